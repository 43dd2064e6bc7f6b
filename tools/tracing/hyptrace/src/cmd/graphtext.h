/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_GRAPHTEXT_H
#define HYPTRACE_GRAPHTEXT_H

#include <stdio.h>

#include "cmd/graphview.h"

/** graph_text - print as text. Return: 0, or -1 with a message. */
int graph_text(const struct graph_view *v, const struct graph_how *how, FILE *out);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_GRAPHJSON_H
#define HYPTRACE_GRAPHJSON_H

#include <stdio.h>

#include "cmd/graphview.h"

/** graph_json - print as one JSON document */
void graph_json(const struct graph_view *v, const struct graph_how *how, FILE *out);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_WHYTEXT_H
#define HYPTRACE_WHYTEXT_H

#include <stdio.h>

#include "analysis/filedelays.h"
#include "cmd/whyhow.h"

/** why_text - print as text. Return: 0, or -1 with a message. */
int why_text(const struct filedelays *f, const struct why_how *how, FILE *out);

#endif

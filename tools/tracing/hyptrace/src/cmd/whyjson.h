/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_WHYJSON_H
#define HYPTRACE_WHYJSON_H

#include <stdio.h>

#include "analysis/filedelays.h"
#include "cmd/whyhow.h"

/** why_json - print as one JSON document. Return: 0, or -1 with a message. */
int why_json(const struct filedelays *f, const struct why_how *how, FILE *out);

#endif

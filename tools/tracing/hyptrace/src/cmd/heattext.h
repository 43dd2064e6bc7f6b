/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where faults are, as text or JSON.
 */
#ifndef HYPTRACE_HEATTEXT_H
#define HYPTRACE_HEATTEXT_H

#include <stdio.h>

#include "analysis/pageheat.h"

/** heattext_print - print where faults are */
void heattext_print(const struct pageheat *h, bool json, FILE *out);

#endif

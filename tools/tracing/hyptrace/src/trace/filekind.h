/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a file is that is no recording.
 */
#ifndef HYPTRACE_FILEKIND_H
#define HYPTRACE_FILEKIND_H

#include "lib/types.h"

/** filekind - such as "a gzip file", from the first bytes; NULL if it is not known */
const char *filekind(const u8 *data, u64 size);

#endif

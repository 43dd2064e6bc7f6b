/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of recordings.
 */
#ifndef HYPTRACE_FILEROWS_H
#define HYPTRACE_FILEROWS_H

#include "query/tabletype.h"

extern const struct computed_table recording_table;

#endif

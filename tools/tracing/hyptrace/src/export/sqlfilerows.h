/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of recordings.
 */
#ifndef HYPTRACE_SQLFILEROWS_H
#define HYPTRACE_SQLFILEROWS_H

#include "export/sqltabletype.h"

extern const struct computed_table recording_table;

#endif

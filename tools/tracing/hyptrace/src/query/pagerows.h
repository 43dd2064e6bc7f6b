/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of the transitions of pages.
 */
#ifndef HYPTRACE_PAGEROWS_H
#define HYPTRACE_PAGEROWS_H

#include "query/tabletype.h"

extern const struct computed_table page_table;

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of the transitions of pages.
 */
#ifndef HYPTRACE_SQLPAGEROWS_H
#define HYPTRACE_SQLPAGEROWS_H

#include "export/sqltabletype.h"

extern const struct computed_table page_table;

#endif

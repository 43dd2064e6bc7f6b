/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The computed tables.
 */
#ifndef HYPTRACE_SQLCOMPUTED_H
#define HYPTRACE_SQLCOMPUTED_H

#include "export/sqltabletype.h"

/** computed_table - the i-th, NULL behind the last */
const struct computed_table *computed_table(unsigned int i);

/** computed_find - the one of this name, ignoring case as SQL does; NULL if there is none */
const struct computed_table *computed_find(const char *name);

#endif

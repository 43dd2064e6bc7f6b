/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of the delays of vCPUs, and of their parts.
 */
#ifndef HYPTRACE_SQLDELAYROWS_H
#define HYPTRACE_SQLDELAYROWS_H

#include "export/sqltabletype.h"

extern const struct computed_table delay_table;
extern const struct computed_table delay_part_table;
extern const struct computed_table delay_piece_table;
extern const struct computed_table delay_summary_table;

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of the delays of vCPUs, and of their parts.
 */
#ifndef HYPTRACE_DELAYROWS_H
#define HYPTRACE_DELAYROWS_H

#include "query/tabletype.h"

extern const struct computed_table delay_table;
extern const struct computed_table delay_part_table;
extern const struct computed_table delay_piece_table;
extern const struct computed_table delay_summary_table;

#endif

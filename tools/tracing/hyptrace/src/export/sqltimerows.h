/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of where time goes: EL2 entries, hypercalls, world switches, windows, the time of
 * CPUs, entries of guests; and what was not measured.
 */
#ifndef HYPTRACE_SQLTIMEROWS_H
#define HYPTRACE_SQLTIMEROWS_H

#include "export/sqltabletype.h"

extern const struct computed_table entry_table;
extern const struct computed_table hypercall_table;
extern const struct computed_table switch_table;
extern const struct computed_table window_table;
extern const struct computed_table cpu_time_table;
extern const struct computed_table guest_entry_table;
extern const struct computed_table summary_table;

#endif

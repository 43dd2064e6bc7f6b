/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks that the calls of EL2's functions are nested. The rules: callstack.c.
 */
#ifndef HYPTRACE_CALLCHECK_H
#define HYPTRACE_CALLCHECK_H

#include "analysis/violations.h"
#include "lib/types.h"
#include "trace/evdb.h"
#include "trace/merge.h"

struct callcheck;

/** callcheck_new - begin; all of hyp_enter and hyp_exit was recorded. NULL with a message. */
struct callcheck *callcheck_new(struct evdb *db, struct violations *v);

/** callcheck_feed - take the next event of EL2, or a corrupt place. 0, -1 with a message. */
int callcheck_feed(struct callcheck *c, const struct merged *ev);

/** callcheck_calls - how many calls there were */
u64 callcheck_calls(const struct callcheck *c);

/** callcheck_free - @c may be NULL */
void callcheck_free(struct callcheck *c);

#endif

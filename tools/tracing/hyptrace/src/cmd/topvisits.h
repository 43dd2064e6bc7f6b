/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hyptrace top --counters: a live table of what EL2 counts itself, without any event.
 */
#ifndef HYPTRACE_TOPVISITS_H
#define HYPTRACE_TOPVISITS_H

#include "lib/types.h"

/**
 * struct topvisits_options - what is wanted
 * @remote:	name of the remote, or a path; NULL for "hypervisor"
 * @interval_ms: how often a table is shown
 * @duration_ms: when it ends; 0 for never
 * @iterations:	after how many tables it ends; 0 for none
 * @rows:	most rows of a table; 0 for all
 */
struct topvisits_options {
	const char *remote;
	u64 interval_ms;
	u64 duration_ms;
	u64 iterations;
	u64 rows;
};

/** topvisits - show tables until that ends. Return: an exit status. */
int topvisits(const struct topvisits_options *o);

#endif

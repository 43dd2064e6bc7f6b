/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is recorded: one or two trace directories, some events, some CPUs.
 */
#ifndef HYPTRACE_RECORDING_H
#define HYPTRACE_RECORDING_H

#include "lib/util.h"
#include "record/tdir.h"
#include "trace/side.h"

/**
 * struct recording - what is recorded
 * @dir:	the trace directory of each side; NULL if it is not recorded
 * @events:	the events that are enabled, of each side
 * @filters:	the filter of each event, "" for none
 * @clock:	the trace clock of each side
 * @cpus:	the CPUs
 * @from_boot:	it began with the boot
 * @last_boot:	what the kernel knows of the boot that the hypervisor's events are of; NULL if that
 *		is this boot
 * @last_log:	the end of that boot's kernel log, or NULL
 */
struct recording {
	struct tdir *dir[NR_SIDES];
	struct strlist events[NR_SIDES];
	struct strlist filters[NR_SIDES];
	char *clock[NR_SIDES];
	struct cpulist cpus;
	bool from_boot;
	char *last_boot;
	char *last_log;
};

/* Are the buffers of the side read? Nothing of the host was kept of an earlier boot */
static inline bool recording_reads(const struct recording *r, enum side side)
{
	return r->dir[side] && !(r->last_boot && side == HOST);
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes what a recording found out into a trace.dat file: the descriptions
 * that a reader needs, then the capture.
 */
#ifndef HYPTRACE_SAVE_H
#define HYPTRACE_SAVE_H

#include "capture.h"
#include "tdir.h"

/**
 * struct recording - what there is to save
 * @dir:	the trace directory of each side
 * @events:	the events that were enabled, of each side
 * @clock:	the trace clock of each side
 * @cpus:	the CPUs
 * @capture:	stopped
 */
struct recording {
	struct tdir *dir[NR_SIDES];
	struct strlist events[NR_SIDES];
	char *clock[NR_SIDES];
	struct cpulist cpus;
	struct capture *capture;
};

/** save_recording - write the file. Return: 0, or -1 with a message. */
int save_recording(const struct recording *r, const char *path);

#endif

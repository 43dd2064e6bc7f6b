/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two sides of a recording: the host's events and the hypervisor's.
 */
#ifndef HYPTRACE_SIDE_H
#define HYPTRACE_SIDE_H

enum side { HOST, HYP, NR_SIDES };

/** side_name - the name that is printed: "host" or "hyp" */
const char *side_name(enum side side);

/** side_buffer - the name of its buffer in the file */
const char *side_buffer(enum side side);

/** side_of_buffer - whose buffer has this name in the file */
enum side side_of_buffer(const char *name);

#endif

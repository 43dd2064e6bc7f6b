/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sides of a recording: the host's events and the hypervisor's. With "hyptrace merge",
 * those of guests come to it.
 */
#ifndef HYPTRACE_SIDE_H
#define HYPTRACE_SIDE_H

enum side {
	HOST,
	HYP,
	NR_SIDES,		/* that a kernel records */
	GUEST = NR_SIDES,
	NR_ALL_SIDES,
};

/** side_name - the name that is printed: "host", "hyp" or "guest" */
const char *side_name(enum side side);

/** side_buffer - the name of its buffer in the file */
const char *side_buffer(enum side side);

/** side_of_buffer - whose buffer has this name in the file */
enum side side_of_buffer(const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which CPUs are the hypervisor's, in a recording that was sent: its file has version 6 and one
 * buffer, in which the CPUs of the hypervisor follow those of the host.
 *
 * An option CPUSTAT says so: "hyptrace: sent cpus=N clock=CLOCK", with a newline.
 */
#ifndef HYPTRACE_SIDECPUS_H
#define HYPTRACE_SIDECPUS_H

#include "lib/types.h"
#include "trace/datfile.h"

/**
 * struct sidecpus - what it says
 * @host:	how many are the host's; all others are the hypervisor's
 * @clock:	the trace clock of both sides
 */
struct sidecpus {
	u32 host;
	char clock[DAT_MAX_CLOCK];
};

/** sidecpus_format - Return: the text, or NULL with a message */
char *sidecpus_format(u32 host, const char *clock);

/** sidecpus_parse - Return: 1; 0 if @text is another one, or -1 if it is corrupt */
int sidecpus_parse(const char *text, struct sidecpus *s);

#endif

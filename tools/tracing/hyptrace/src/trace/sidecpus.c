// SPDX-License-Identifier: GPL-2.0
/*
 * Which CPUs are the hypervisor's. See sidecpus.h.
 */
#include <stdio.h>
#include <string.h>

#include "lib/util.h"
#include "trace/sidecpus.h"

#define PREFIX		"hyptrace: sent "

char *sidecpus_format(u32 host, const char *clock)
{
	return xasprintf(PREFIX "cpus=%u clock=%s\n", host, clock);
}

int sidecpus_parse(const char *text, struct sidecpus *s)
{
	if (strncmp(text, PREFIX, strlen(PREFIX)))
		return 0;
	return sscanf(text, PREFIX "cpus=%u clock=%31[^\n]", &s->host, s->clock) == 2 ? 1 : -1;
}

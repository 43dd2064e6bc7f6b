// SPDX-License-Identifier: GPL-2.0
/*
 * Counters as text. See stats.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "util.h"

#define PREFIX		"hyptrace: buffer=%s cpu=%u "
#define COUNTERS	"written=%llu overrun=%llu read=%llu dropped=%llu"

char *stats_format(const char *buffer, unsigned int cpu,
		   const struct cpu_stats *s)
{
	return xasprintf(PREFIX COUNTERS "\n", *buffer ? buffer : "host", cpu,
			 s->written, s->overrun, s->read, s->dropped);
}

int stats_parse(const char *text, const char *buffer, unsigned int cpu,
		struct cpu_stats *s)
{
	char *prefix = xasprintf(PREFIX, *buffer ? buffer : "host", cpu);
	size_t len;
	int ret = -1;

	if (!prefix)
		return -1;
	len = strlen(prefix);
	if (!strncmp(text, prefix, len) &&
	    sscanf(text + len, COUNTERS, &s->written, &s->overrun,
		   &s->read, &s->dropped) == 4)
		ret = 0;
	free(prefix);
	return ret;
}

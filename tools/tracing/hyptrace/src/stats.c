// SPDX-License-Identifier: GPL-2.0
/*
 * Counters as text. See stats.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "util.h"

#define PREFIX		"hyptrace: buffer=%s cpu=%u "
#define COUNTERS	"written=%" PRIu64 " overrun=%" PRIu64 \
			" read=%" PRIu64 " dropped=%" PRIu64 "\n"
#define SCAN_COUNTERS	"written=%" SCNu64 " overrun=%" SCNu64 \
			" read=%" SCNu64 " dropped=%" SCNu64

char *stats_format(const char *buffer, unsigned int cpu,
		   const struct cpu_stats *s)
{
	return xasprintf(PREFIX COUNTERS, *buffer ? buffer : "host", cpu,
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
	    sscanf(text + len, SCAN_COUNTERS, &s->written, &s->overrun,
		   &s->read, &s->dropped) == 4)
		ret = 0;
	free(prefix);
	return ret;
}

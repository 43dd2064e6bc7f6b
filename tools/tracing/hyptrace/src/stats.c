// SPDX-License-Identifier: GPL-2.0
/*
 * Counters as text. See stats.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "util.h"

#define PREFIX		"hyptrace: buffer="
#define COUNTERS	" cpu=%u written=%llu overrun=%llu read=%llu dropped=%llu"

static const char *name_of(const char *buffer)
{
	return *buffer ? buffer : "host";
}

char *stats_format(const char *buffer, unsigned int cpu,
		   const struct cpu_stats *s)
{
	return xasprintf(PREFIX "%s" COUNTERS "\n", name_of(buffer), cpu,
			 s->written, s->overrun, s->read, s->dropped);
}

static bool take(const char **text, const char *prefix)
{
	size_t len = strlen(prefix);

	if (strncmp(*text, prefix, len))
		return false;
	*text += len;
	return true;
}

int stats_parse(const char *text, const char *buffer, unsigned int *cpu,
		struct cpu_stats *s)
{
	if (!take(&text, PREFIX) || !take(&text, name_of(buffer)))
		return -1;
	return sscanf(text, COUNTERS, cpu, &s->written, &s->overrun, &s->read,
		      &s->dropped) == 5 ? 0 : -1;
}

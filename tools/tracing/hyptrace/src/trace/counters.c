// SPDX-License-Identifier: GPL-2.0
/*
 * Counters as text. See counters.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "trace/counters.h"

#define PREFIX		"hyptrace: buffer="
#define COUNTERS	" cpu=%u written=%llu overrun=%llu read=%llu dropped=%llu"

static const char *name_of(const char *buffer)
{
	return *buffer ? buffer : "host";
}

char *counters_format(const char *buffer, unsigned int cpu,
		      const struct counters *s)
{
	return xasprintf(PREFIX "%s" COUNTERS "\n", name_of(buffer), cpu,
			 s->written, s->overrun, s->read, s->dropped);
}

static bool skip(const char **text, const char *prefix)
{
	size_t len = strlen(prefix);

	if (strncmp(*text, prefix, len))
		return false;
	*text += len;
	return true;
}

int counters_parse(const char *text, const char *buffer, unsigned int *cpu,
		   struct counters *s)
{
	if (!skip(&text, PREFIX) || !skip(&text, name_of(buffer)))
		return -1;
	return sscanf(text, COUNTERS, cpu, &s->written, &s->overrun, &s->read,
		      &s->dropped) == 5 ? 0 : -1;
}

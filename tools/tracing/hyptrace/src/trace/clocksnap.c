// SPDX-License-Identifier: GPL-2.0
/*
 * Boot time on a trace clock, as text. See clocksnap.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "trace/clocksnap.h"

#define PREFIX		"hyptrace: clock=%s "
#define TIMES		"now=%llu boot=%llu"

char *clocksnap_format(const char *clock, const struct clocksnap *s)
{
	return xasprintf(PREFIX TIMES "\n", clock, s->now, s->boot);
}

int clocksnap_parse(const char *text, const char *clock, struct clocksnap *s)
{
	char *prefix = xasprintf(PREFIX, clock);
	size_t len;
	int ret = -1;

	if (!prefix)
		return -1;
	len = strlen(prefix);
	if (!strncmp(text, prefix, len) &&
	    sscanf(text + len, TIMES, &s->now, &s->boot) == 2)
		ret = 0;
	free(prefix);
	return ret;
}

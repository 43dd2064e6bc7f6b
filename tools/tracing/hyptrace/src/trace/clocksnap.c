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

char *clocksnap_format(const char *clock, u64 now, u64 boot)
{
	return xasprintf(PREFIX TIMES "\n", clock, now, boot);
}

int clocksnap_parse(const char *text, const char *clock, u64 *offset)
{
	char *prefix = xasprintf(PREFIX, clock);
	u64 now, boot;
	size_t len;
	int ret = -1;

	if (!prefix)
		return -1;
	len = strlen(prefix);
	if (!strncmp(text, prefix, len) &&
	    sscanf(text + len, TIMES, &now, &boot) == 2) {
		*offset = boot - now;
		ret = 0;
	}
	free(prefix);
	return ret;
}

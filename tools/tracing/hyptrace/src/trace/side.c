// SPDX-License-Identifier: GPL-2.0
/*
 * The sides of a recording. See side.h.
 */
#include <string.h>

#include "trace/side.h"

const char *side_name(enum side side)
{
	static const char * const names[] = {
		[HOST]	= "host",
		[HYP]	= "hyp",
		[GUEST]	= "guest",
	};

	return names[side];
}

const char *side_buffer(enum side side)
{
	return side == HYP ? "hypervisor" : "";
}

enum side side_of_buffer(const char *name)
{
	return strcmp(name, side_buffer(HYP)) ? HOST : HYP;
}

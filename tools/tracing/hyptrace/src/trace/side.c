// SPDX-License-Identifier: GPL-2.0
/*
 * The two sides of a recording. See side.h.
 */
#include <string.h>

#include "trace/side.h"

const char *side_name(enum side side)
{
	return side == HYP ? "hyp" : "host";
}

const char *side_buffer(enum side side)
{
	return side == HYP ? "hypervisor" : "";
}

enum side side_of_buffer(const char *name)
{
	return strcmp(name, side_buffer(HYP)) ? HOST : HYP;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The names of vCPUs. See vcpuname.h.
 */
#include <stdio.h>

#include "cmd/vcpuname.h"

const char *vcpu_name(char *name, size_t size, const struct times_row *r, const char *task)
{
	if (!r->named)
		snprintf(name, size, "?:? of %s", task);
	else if (!r->vm)
		snprintf(name, size, "?:%u of %s", r->vcpu, task);
	else
		snprintf(name, size, "0x%x:%u of %s", r->vm, r->vcpu, task);
	return name;
}

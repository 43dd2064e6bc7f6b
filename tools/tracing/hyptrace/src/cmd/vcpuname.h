/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_VCPUNAME_H
#define HYPTRACE_VCPUNAME_H

#include <stddef.h>

#include "analysis/rows.h"

/**
 * vcpu_name - name a vCPU, such as "0x1003:0 of vmm-70"
 * @name:	gets the name
 * @size:	room of @name
 * @r:		the vCPU. Its VM is "?" if it has no handle, as outside of protected mode
 * @task:	name of the task that runs it
 *
 * Return: @name.
 */
const char *vcpu_name(char *name, size_t size, const struct times_row *r, const char *task);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_CHECK_H
#define HYPTRACE_CHECK_H

#include <stdio.h>

#include "lib/util.h"
#include "trace/datr.h"

/**
 * check_file - check the events of a file
 * @d:		the file
 * @cpus:	these CPUs; NULL for all
 * @out:	where the findings go
 *
 * Return: 0, or -1 with a message or with findings printed to @out.
 */
int check_file(struct datr *d, const struct cpulist *cpus, FILE *out);

#endif

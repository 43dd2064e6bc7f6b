/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_GRAPH_H
#define HYPTRACE_GRAPH_H

#include <stdio.h>

#include "cmd/graphview.h"

/**
 * graph_file - print where time goes inside of EL2
 * @d:		the file
 * @cpus:	these CPUs; NULL for all
 * @how:	what is printed
 * @out:	where the text goes
 *
 * Return: 0; -1 with a message; 1 with a message if everything was printed, but
 * there were corrupt sub-buffers.
 */
int graph_file(struct datr *d, const struct cpulist *cpus, const struct graph_how *how,
	       FILE *out);

#endif

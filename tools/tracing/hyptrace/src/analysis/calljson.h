/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_CALLJSON_H
#define HYPTRACE_CALLJSON_H

#include <stdio.h>

#include "analysis/callgraph.h"

/**
 * calljson_print - print a call graph as one JSON value
 * @g:		the graph, after callgraph_finish()
 * @r:		its result
 * @out:	where the text goes
 *
 * Its "nodes", which count from 1, are lists of the parent (0 for an EL2 entry), what it is (an
 * index of "entries" or "functions"), calls, ns of self, and calls that resumed there; parents come
 * first.
 */
void calljson_print(const struct callgraph *g, const struct callgraph_result *r, FILE *out);

#endif

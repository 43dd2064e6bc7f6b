/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where time goes inside of EL2, in a file.
 */
#ifndef HYPTRACE_FILEGRAPH_H
#define HYPTRACE_FILEGRAPH_H

#include "analysis/callgraph.h"
#include "analysis/fileprofile.h"
#include "analysis/scope.h"
#include "lib/util.h"
#include "trace/datr.h"

/**
 * struct filegraph - the result
 * @profiler:	where time goes in all, for what is missing
 * @graph:	where it goes inside of EL2
 * @result:	of @graph
 */
struct filegraph {
	struct profiler *profiler;
	struct callgraph *graph;
	struct callgraph_result result;
};

/**
 * struct filegraph_rule - what of a file
 * @cpus:	these CPUs; NULL for all
 * @scope:	what counts; NULL for everything
 * @pattern:	of EL2 entries, see callgraph_new()
 */
struct filegraph_rule {
	const struct cpulist *cpus;
	const struct scope *scope;
	const char *pattern;
};

/**
 * filegraph_read - compute it
 * @d:		the file; must outlive the result
 * @rule:	what of it; its @pattern must outlive the result
 *
 * Return: NULL with a message, also if the file has no calls of functions.
 */
struct filegraph *filegraph_read(struct datr *d, const struct filegraph_rule *rule);
void filegraph_free(struct filegraph *f);

#endif

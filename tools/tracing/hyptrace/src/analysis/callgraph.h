/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where time goes inside of EL2, by the events of the function graph tracer. The rules:
 * callgraph.c.
 */
#ifndef HYPTRACE_CALLGRAPH_H
#define HYPTRACE_CALLGRAPH_H

#include "analysis/calltree.h"
#include "analysis/dist.h"
#include "analysis/times.h"
#include "lib/types.h"
#include "trace/evdb.h"
#include "trace/merge.h"

/**
 * struct callgraph_result - what was measured, and what was not
 * @entries:	EL2 entries that were measured
 * @ns:		their durations
 * @untraced:	of these, the time in no function that was traced
 * @cut:	entries that were not measured, as functions were called before the events
 *		that the file has
 * @misnested:	entries in which a call or a return did not fit
 * @other:	entries that were not asked for
 * @calls:	events of calls
 * @unreturned:	calls that ended without an event, as functions do that do not return
 * @overrun:	calls that were too deep to be recorded, as EL2 counts them
 */
struct callgraph_result {
	u64 entries;
	u64 ns;
	u64 untraced;
	u64 cut;
	u64 misnested;
	u64 other;
	u64 calls;
	u64 unreturned;
	u64 overrun;
};

struct callgraph;

/**
 * callgraph_new - begin
 * @pattern:	count only EL2 entries whose reason, hypercall, or both as they are printed
 *		match this pattern; NULL for all
 *
 * Return: NULL with a message.
 */
struct callgraph *callgraph_new(const char *pattern);

/**
 * callgraph_feed - take the next event of the hypervisor, or a corrupt place
 * @g:		the graph
 * @db:		what events mean
 * @ev:		the event; those of a CPU in their order
 *
 * Return: 0, or -1 with a message.
 */
int callgraph_feed(struct callgraph *g, struct evdb *db, const struct merged *ev);

/** callgraph_stay - the EL2 entry of which callgraph_feed() took the end is counted */
void callgraph_stay(struct callgraph *g, const struct times_stay *stay);

/** callgraph_finish - sum up. Return: 0, or -1 with a message, also of callgraph_stay(). */
int callgraph_finish(struct callgraph *g, struct callgraph_result *result);
void callgraph_free(struct callgraph *g);

/**
 * callgraph_tree - the calls
 * @g:		the graph
 *
 * The nodes below the root are the kinds of EL2 entries; their self time is in no function
 * that was traced. All others are functions. Of a function that runs while a guest does,
 * time at EL2 counts, where it was spent; the call counts in the entry that it is made in,
 * and has resumed in the later ones.
 */
const struct calltree *callgraph_tree(const struct callgraph *g);

/** callgraph_entry_name - of a node below the root, by its @what */
const char *callgraph_entry_name(const struct callgraph *g, u32 what);

/** callgraph_function_name - of any other node */
const char *callgraph_function_name(const struct callgraph *g, u32 what);

/** callgraph_durations - of complete calls of a function, by its @what: time at EL2 */
struct dist *callgraph_durations(const struct callgraph *g, u32 what);

/** callgraph_nr_entries - how many kinds of EL2 entries occurred, as callgraph_nr_functions() */
u32 callgraph_nr_entries(const struct callgraph *g);

/** callgraph_nr_functions - how many functions occurred; smaller numbers are a @what */
u32 callgraph_nr_functions(const struct callgraph *g);

#endif

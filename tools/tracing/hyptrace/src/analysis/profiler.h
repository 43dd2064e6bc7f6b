/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Computes a profile, which says where time goes, from events that come one by one.
 */
#ifndef HYPTRACE_PROFILER_H
#define HYPTRACE_PROFILER_H

#include "analysis/account.h"
#include "analysis/dist.h"
#include "analysis/times.h"
#include "lib/types.h"
#include "trace/corrupt.h"
#include "trace/evdb.h"
#include "trace/merge.h"
#include "trace/side.h"

/**
 * struct profile - where time went
 * @db:		the file's events, for the names of tasks
 * @times:	of CPUs, tasks, vCPUs, and world switches
 * @reasons:	EL2 entries by their reason, in order
 * @hcalls:	hypercalls, in order
 * @steps:	steps of EL2's start, in order; none if it was not recorded
 * @result:	of @times
 * @events:	events and losses
 * @corrupt:	corrupt sub-buffers
 * @calls:	the hypervisor's events have calls of functions
 * @stacks:	they have stacks
 */
struct profile {
	struct evdb *db;
	struct times *times;
	struct dists *reasons;
	struct dists *hcalls;
	struct dists *steps;
	struct times_result result;
	struct account_result events;
	struct corrupt corrupt;
	bool calls;
	bool stacks;
};

struct profiler;

/**
 * profiler_new - begin
 * @db:		the events; must outlive the profiler
 * @switches:	all of sched_switch is among them
 * @bounded:	keep distributions in bounded memory, see dists_new()
 *
 * Return: NULL with a message.
 */
struct profiler *profiler_new(struct evdb *db, bool switches, bool bounded);

/**
 * profiler_feed - take the next event
 * @r:		the profiler
 * @ev:		the event, or a corrupt place
 * @chosen:	its CPU was added to the times; otherwise only its time counts
 * @side:	whose event it is
 *
 * Return: 0, or -1 with a message.
 */
int profiler_feed(struct profiler *r, const struct merged *ev, bool chosen, enum side side);

/** profiler_set_scope - count only what is in @scope, whose @db is not used */
void profiler_set_scope(struct profiler *r, const struct scope *scope);

/** profiler_profile - the result, with @events still to be filled in */
struct profile *profiler_profile(struct profiler *r);

/** profiler_finish - account for the rest. Return: 0, or -1 with a message. */
int profiler_finish(struct profiler *r);

/** profiler_tick - account for all up to @ts, see times_tick(). Return: as above. */
int profiler_tick(struct profiler *r, u64 ts);

/** profiler_restart - begin again at the last tick */
void profiler_restart(struct profiler *r);
void profiler_free(struct profiler *r);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes statistics of events that come one by one.
 */
#ifndef HYPTRACE_STATREAD_H
#define HYPTRACE_STATREAD_H

#include "merge.h"
#include "stat.h"
#include "types.h"

struct statread;

/**
 * statread_new - begin
 * @db:		the events; must outlive what is returned
 * @switches:	all of sched_switch is among them
 * @bounded:	keep distributions in bounded memory, see dists_new()
 *
 * Return: NULL with a message.
 */
struct statread *statread_new(struct evdb *db, bool switches, bool bounded);

/**
 * statread_feed - take the next event
 * @r:		the statistics
 * @ev:		the event, or a corrupt place
 * @hyp:	of the hypervisor, else of the host
 * @chosen:	its CPU was added to the times; otherwise only its time counts
 *
 * Return: 0, or -1 with a message.
 */
int statread_feed(struct statread *r, const struct merged *ev, bool hyp, bool chosen);

/** statread_data - what came out, with @events still to be filled in */
struct stat_data *statread_data(struct statread *r);

/** statread_finish - account for the rest. Return: 0, or -1 with a message. */
int statread_finish(struct statread *r);

/** statread_tick - account for all up to @ts, see times_tick(). Return: as above. */
int statread_tick(struct statread *r, u64 ts);

/** statread_restart - begin again, where the last tick was */
void statread_restart(struct statread *r);
void statread_free(struct statread *r);

#endif

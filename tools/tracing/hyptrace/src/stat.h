/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where time goes in a recording: reads it, and prints what came out.
 */
#ifndef HYPTRACE_STAT_H
#define HYPTRACE_STAT_H

#include <stdio.h>

#include "account.h"
#include "datr.h"
#include "dist.h"
#include "evdb.h"
#include "times.h"
#include "util.h"

/**
 * struct stat_data - what came out
 * @db:		the file's events, for the names of tasks
 * @times:	of CPUs, tasks, vCPUs, and world switches
 * @reasons:	EL2 entries by their reason, in order
 * @hcalls:	hypercalls, in order
 * @result:	of @times
 * @events:	events and losses
 * @corrupt:	corrupt sub-buffers
 */
struct stat_data {
	struct evdb *db;
	struct times *times;
	struct dists *reasons;
	struct dists *hcalls;
	struct times_result result;
	struct account_result events;
	u64 corrupt;
};

/**
 * struct stat_watch - somebody who looks on while a file is read
 * @event:	takes each event of the CPUs to look at, and each place that is
 *		corrupt, before the times do. Return: 0, or -1 with a message.
 * @times:	takes how the times come about; its @ctx is that of @event as well
 */
struct stat_watch {
	int (*event)(void *ctx, struct evdb *db, const struct merged *ev);
	struct times_watch times;
};

struct statread;

/**
 * stat_read - find out where time goes
 * @d:		the file; must outlive what comes out
 * @cpus:	these CPUs; NULL for all
 * @watch:	who looks on, or NULL
 *
 * Return: what came out, see statread_data(); NULL with a message. That sub-buffers
 * are corrupt is no error here.
 */
struct statread *stat_read(struct datr *d, const struct cpulist *cpus,
			   const struct stat_watch *watch);
void stat_free(struct statread *s);

/** stat_check - Return: 0, or 1 with a message if there was something corrupt */
int stat_check(struct statread *s, const struct datr *d);

/**
 * stat_file - print where time goes
 * @d:		the file
 * @cpus:	these CPUs; NULL for all
 * @json:	as JSON, else as tables
 * @histogram:	with histograms
 * @out:	where the text goes
 *
 * Return: 0; -1 with a message; 1 with a message if all was done, but there
 * were corrupt sub-buffers.
 */
int stat_file(struct datr *d, const struct cpulist *cpus, bool json,
	      bool histogram, FILE *out);

/** stat_way_name - what a way is called */
const char *stat_way_name(enum way way);

/** stat_print_text - as tables */
void stat_print_text(const struct stat_data *s, bool histogram, FILE *out);

/** stat_print_json - as one JSON document */
void stat_print_json(const struct stat_data *s, bool histogram, FILE *out);

#endif

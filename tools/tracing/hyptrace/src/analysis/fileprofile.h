/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The profile of a file: where time goes in it.
 */
#ifndef HYPTRACE_FILEPROFILE_H
#define HYPTRACE_FILEPROFILE_H

#include "analysis/profiler.h"
#include "lib/util.h"
#include "trace/datr.h"

/**
 * struct profile_watch - an observer of the events and times while a file is read
 * @event:	gets each event of the CPUs to look at, and each corrupt sub-buffer,
 *		before the times do; or NULL. Return: 0, or -1 with a message.
 * @guests:	@event gets those of guests as well, if all CPUs are looked at
 * @times:	gets the parts of the times; its @ctx is that of @event as well
 */
struct profile_watch {
	int (*event)(void *ctx, struct evdb *db, const struct merged *ev);
	bool guests;
	struct times_watch times;
};

/** fileprofile_possible - whether all of hyp_enter and hyp_exit was recorded */
bool fileprofile_possible(const struct datr *d);

/**
 * fileprofile_read - compute where time goes
 * @d:		the file; must outlive the result
 * @cpus:	these CPUs; NULL for all
 * @watch:	observer, or NULL
 *
 * Return: the result, see profiler_profile(); NULL with a message. Corrupt sub-buffers
 * are no error here.
 */
struct profiler *fileprofile_read(struct datr *d, const struct cpulist *cpus,
				  const struct profile_watch *watch);

/** fileprofile_read_scope - the same, of what is in a scope, whose @db is not used */
struct profiler *fileprofile_read_scope(struct datr *d, const struct cpulist *cpus,
					const struct scope *scope,
					const struct profile_watch *watch);
void fileprofile_free(struct profiler *s);

struct profile_reading;

/**
 * fileprofile_begin - compute where time goes, some events at a time
 * @d:		the file; must outlive the reading
 * @watch:	observer; @guests is of no meaning
 *
 * Distributions are kept in bounded memory.
 *
 * Return: NULL with a message.
 */
struct profile_reading *fileprofile_begin(struct datr *d, const struct profile_watch *watch);

/** fileprofile_step - take some events. Return: 1 if there are more, 0, or -1 with a message. */
int fileprofile_step(struct profile_reading *r);

/** fileprofile_so_far - the profile, whose names stay valid until fileprofile_end() */
const struct profile *fileprofile_so_far(const struct profile_reading *r);

/** fileprofile_end - @r may be NULL */
void fileprofile_end(struct profile_reading *r);

/** fileprofile_check - Return: 0, or 1 with a message if there were corrupt sub-buffers */
int fileprofile_check(struct profiler *s, const struct datr *d);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * The profile of a file. See fileprofile.h.
 */
#include <stdlib.h>

#include "analysis/account.h"
#include "analysis/fileprofile.h"
#include "lib/log.h"
#include "trace/merge.h"

/**
 * struct profile_reading - a file being read
 * @d:		the file
 * @cpus:	the CPUs to look at, NULL for all
 * @scope:	what counts, or NULL for everything
 * @watch:	observer, or NULL
 * @account:	counts events
 * @profiler:	makes a profile of them
 * @out:	the result
 * @merge:	the events, if some are taken at a time
 */
struct profile_reading {
	struct datr *d;
	const struct cpulist *cpus;
	const struct scope *scope;
	const struct profile_watch *watch;
	struct account *account;
	struct profiler *profiler;
	struct profile *out;
	struct merge *merge;
};

static bool is_chosen(const struct profile_reading *r, unsigned int cpu)
{
	return !r->cpus || cpulist_has(r->cpus, cpu);
}

static int take_event(void *ctx, const struct merged *ev)
{
	struct profile_reading *r = ctx;
	bool chosen = is_chosen(r, ev->cpu);

	if (ev->guest)
		return r->watch->event(r->watch->times.ctx, r->out->db, ev);
	account_feed(r->account, ev);
	if (chosen && r->watch && r->watch->event &&
	    r->watch->event(r->watch->times.ctx, r->out->db, ev))
		return -1;
	return profiler_feed(r->profiler, ev, chosen, datr_side(r->d, ev->buffer));
}

static int add_all_cpus(struct profile_reading *r)
{
	const struct datr_buffer *b;
	unsigned int i, j;

	for (i = 0; i < datr_nr_buffers(r->d); i++) {
		b = datr_buffer(r->d, i);
		for (j = 0; j < b->nr_cpus; j++) {
			if (times_add_cpu(r->out->times, b->cpu[j].cpu))
				return -1;
		}
	}
	return 0;
}

static int add_cpus(struct profile_reading *r)
{
	unsigned int i;

	if (!r->cpus)
		return add_all_cpus(r);
	for (i = 0; i < r->cpus->nr; i++) {
		if (times_add_cpu(r->out->times, r->cpus->cpu[i]))
			return -1;
	}
	return 0;
}

static int begin_profile(struct profile_reading *r, bool bounded)
{
	bool switches = datr_enabled(r->d, "sched/sched_switch");
	struct evdb *db = evdb_load(r->d);

	if (!db)
		return -1;
	r->profiler = profiler_new(db, switches, bounded);
	if (!r->profiler) {
		evdb_free(db);
		return -1;
	}
	r->out = profiler_profile(r->profiler);
	r->account = account_new(r->d);
	if (!r->account)
		return -1;
	if (r->scope)
		profiler_set_scope(r->profiler, r->scope);
	if (r->watch)
		times_set_watch(r->out->times, &r->watch->times);
	return add_cpus(r);
}

static int finish_profile(struct profile_reading *r)
{
	if (profiler_finish(r->profiler))
		return -1;
	account_finish(r->account, r->cpus, NULL, &r->out->events);
	return 0;
}

static const char enter[] = "hypervisor/hyp_enter", leave[] = "hypervisor/hyp_exit";

bool fileprofile_possible(const struct datr *d)
{
	return datr_enabled(d, enter) && datr_enabled(d, leave);
}

static int check_recorded(const struct datr *d)
{
	if (fileprofile_possible(d))
		return 0;
	return log_error("%s: hyp_enter and hyp_exit were %s: expected a file of hyptrace record that has both, without a filter",
			 datr_name(d), datr_filtered(d, enter) || datr_filtered(d, leave) ?
			 "filtered" : "not recorded");
}

static int each_event(struct profile_reading *r)
{
	if (r->watch && r->watch->guests && !r->cpus)
		return merge_each_world(r->d, take_event, r);
	/* of all CPUs: the first and the last event define the wall time */
	return merge_each(r->d, NULL, take_event, r);
}

static int read_events(struct profile_reading *r)
{
	if (check_recorded(r->d))
		return -1;
	if (begin_profile(r, false) || each_event(r))
		return -1;
	return finish_profile(r);
}

struct profiler *fileprofile_read_scope(struct datr *d, const struct cpulist *cpus,
					const struct scope *scope,
					const struct profile_watch *watch)
{
	struct profile_reading r = { .d = d, .cpus = cpus, .scope = scope, .watch = watch };
	int ret = read_events(&r);

	account_free(r.account);
	if (!ret)
		return r.profiler;
	fileprofile_free(r.profiler);
	return NULL;
}

struct profiler *fileprofile_read(struct datr *d, const struct cpulist *cpus,
				  const struct profile_watch *watch)
{
	return fileprofile_read_scope(d, cpus, NULL, watch);
}

/* Some events at a time */

struct profile_reading *fileprofile_begin(struct datr *d, const struct profile_watch *watch)
{
	struct profile_reading *r = calloc(1, sizeof(*r));

	if (!r) {
		log_oom();
		return NULL;
	}
	r->d = d;
	r->watch = watch;
	if (!check_recorded(d) && !begin_profile(r, true)) {
		r->merge = merge_new(d, NULL);
		if (r->merge)
			return r;
	}
	fileprofile_end(r);
	return NULL;
}

int fileprofile_step(struct profile_reading *r)
{
	return merge_some(r->merge, take_event, r) ?: finish_profile(r);
}

const struct profile *fileprofile_so_far(const struct profile_reading *r)
{
	return r->out;
}

void fileprofile_end(struct profile_reading *r)
{
	if (!r)
		return;
	merge_free(r->merge);
	account_free(r->account);
	fileprofile_free(r->profiler);
	free(r);
}

void fileprofile_free(struct profiler *s)
{
	struct evdb *db = s ? profiler_profile(s)->db : NULL;

	profiler_free(s);
	evdb_free(db);
}

int fileprofile_check(struct profiler *s, const struct datr *d)
{
	return corrupt_tell(&profiler_profile(s)->corrupt, d);
}

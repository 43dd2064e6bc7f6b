// SPDX-License-Identifier: GPL-2.0
/*
 * A profile as tables. See profiletext.h.
 */
#include <stdlib.h>

#include "cmd/profiletext.h"
#include "cmd/table.h"
#include "cmd/vcpuname.h"
#include "lib/visible.h"

#define BAR_WIDTH	40
#define NAME_SIZE	64

/**
 * struct profile_printer - a profile being printed
 * @s:		the profile
 * @how:	what of it
 * @out:	where the text goes
 */
struct profile_printer {
	const struct profile *s;
	const struct profiletext *how;
	FILE *out;
};

/* Cells */

static void add_time(const struct profile_printer *p, struct table *t, u64 ns)
{
	table_add_time(t, ns, p->how->unit);
}

/* Of the time of one CPU, or of all of them together */
static void add_share(const struct profile_printer *p, struct table *t, u64 ns, bool of_all)
{
	double whole = p->s->result.wall;

	if (of_all)
		whole *= times_nr_cpus(p->s->times);
	table_add_percent(t, whole ? 100 * ns / whole : 0);
}

static int end_table(const struct profile_printer *p, struct table *t)
{
	return table_end(t, p->how->width, p->out);
}

static const char *task_name(const struct profile_printer *p, s32 id, char *name, size_t size)
{
	if (id == TIMES_UNKNOWN)
		return "unknown task";
	snprintf(name, size, "%s-%d", evdb_comm(p->s->db, id), id);
	return name;
}

static void add_others(struct table *t, unsigned int nr)
{
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "others (%u)", nr);
	table_add(t, name);
}

/* Places */

static const struct column places_columns[] = {
	{ "entries", 4 }, { "task", 9 }, { "%task", 0 }, { "EL2", 7 }, { "%EL2", 0 },
	{ "guest", 8 }, { "%guest", 0 }, { "irq", 6 }, { "%irq", 0 }, { "softirq", 5 },
	{ "%softirq", 2 }, { "idle", 10 }, { "%idle", 0 }, { "unknown", 11 }, { "%unknown", 3 },
};

/**
 * struct places - the times of CPUs, of tasks or of vCPUs, as a table
 * @at:		the i-th row, NULL behind the last
 * @name:	names a row
 * @entries:	rows have a number of entries
 */
struct places {
	const struct times_row *(*at)(const struct times *t, unsigned int i);
	const char *(*name)(const struct profile_printer *p, const struct times_row *r,
			    char name[NAME_SIZE]);
	bool entries;
};

static const char *cpu_name(const struct profile_printer *p, const struct times_row *r,
			    char name[NAME_SIZE])
{
	(void)p;
	snprintf(name, NAME_SIZE, "%d", r->id);
	return name;
}

static const char *row_task_name(const struct profile_printer *p, const struct times_row *r,
				 char name[NAME_SIZE])
{
	return task_name(p, r->id, name, NAME_SIZE);
}

static const char *row_vcpu_name(const struct profile_printer *p, const struct times_row *r,
				 char name[NAME_SIZE])
{
	char task[NAME_SIZE / 2];

	return vcpu_name(name, NAME_SIZE, r, task_name(p, r->id, task, sizeof(task)));
}

static void add_places(const struct profile_printer *p, struct table *t, const struct places *what,
		       const struct times_row *r, bool of_all)
{
	enum place place;

	if (what->entries)
		table_add_number(t, r->entries);
	for (place = 0; place < NR_PLACES; place++) {
		add_time(p, t, r->ns[place]);
		add_share(p, t, r->ns[place], of_all);
	}
}

static void sum_up(struct times_row *sum, const struct times_row *r)
{
	enum place place;

	sum->entries += r->entries;
	for (place = 0; place < NR_PLACES; place++)
		sum->ns[place] += r->ns[place];
}

static int print_places(const struct profile_printer *p, const char *title,
			const struct places *what)
{
	struct table t = {
		.title = title, .column = places_columns + !what->entries,
		.nr = ARRAY_SIZE(places_columns) - !what->entries,
	};
	struct times_row total = { 0 }, others = { 0 };
	const struct times_row *r;
	unsigned int i, nr = 0;
	char name[NAME_SIZE];

	for (i = 0; (r = what->at(p->s->times, i)); i++) {
		if (times_row_empty(r) && what->at != times_cpu)
			continue;
		sum_up(&total, r);
		if (p->how->top && nr++ >= p->how->top) {
			sum_up(&others, r);
			continue;
		}
		table_add(&t, what->name(p, r, name));
		add_places(p, &t, what, r, false);
	}
	if (p->how->top && nr > p->how->top) {
		add_others(&t, nr - p->how->top);
		add_places(p, &t, what, &others, false);
	}
	table_add(&t, "total");
	add_places(p, &t, what, &total, true);
	return end_table(p, &t);
}

static int print_all_places(const struct profile_printer *p)
{
	static const struct places cpus = { times_cpu, cpu_name, true };
	static const struct places tasks = { times_task, row_task_name, false };
	static const struct places vcpus = { times_vcpu, row_vcpu_name, true };

	if (print_places(p, "CPU", &cpus) || print_places(p, "TASK", &tasks))
		return -1;
	return times_vcpu(p->s->times, 0) ? print_places(p, "VCPU", &vcpus) : 0;
}

/* Durations */

static const struct column dist_columns[] = {
	{ "count", 0 }, { "total", 2 }, { "%", 0 }, { "mean", 3 }, { "min", 5 },
	{ "p50", 0 }, { "p90", 6 }, { "p99", 0 }, { "p99.9", 4 }, { "max", 0 },
};

static void add_dist(const struct profile_printer *p, struct table *t, struct dist *d,
		     bool of_all)
{
	struct dist_summary s;

	dist_summarize(d, &s);
	table_add_number(t, s.count);
	add_time(p, t, s.total);
	add_share(p, t, s.total, of_all);
	add_time(p, t, s.mean);
	add_time(p, t, s.min);
	add_time(p, t, s.p50);
	add_time(p, t, s.p90);
	add_time(p, t, s.p99);
	add_time(p, t, s.p999);
	add_time(p, t, s.max);
}

static void print_bar(const struct profile_printer *p, u64 nr, u64 most)
{
	u64 i, len = (nr * BAR_WIDTH + most - 1) / most;

	for (i = 0; i < len; i++)
		fputc('#', p->out);
	fputc('\n', p->out);
}

static void print_bucket(const struct profile_printer *p, unsigned int b, u64 nr, u64 most)
{
	u64 from = b ? 1ULL << (b - 1) : 0;
	char text[2][UNIT_TEXT];

	fprintf(p->out, "  %10s .. %10s %9llu ", unit_text(text[0], from, p->how->unit),
		unit_text(text[1], from ? 2 * from - 1 : 0, p->how->unit), nr);
	print_bar(p, nr, most);
}

static void print_histogram(const struct profile_printer *p, const struct dist *d)
{
	u64 bucket[DIST_BUCKETS], most = 0;
	unsigned int b;

	dist_histogram(d, bucket);
	for (b = 0; b < DIST_BUCKETS; b++) {
		if (bucket[b] > most)
			most = bucket[b];
	}
	if (!most)
		return;
	fputc('\n', p->out);
	visible_put(p->out, dist_name(d));
	fputc('\n', p->out);
	for (b = 0; b < DIST_BUCKETS; b++) {
		if (bucket[b])
			print_bucket(p, b, bucket[b], most);
	}
}

/* Return: the number of @dists that have values, of which the first ones are in the table */
static unsigned int add_dists(const struct profile_printer *p, struct table *t,
			      const struct dists *dists, struct dist *total,
			      struct dist *others)
{
	unsigned int i, nr = 0;
	struct dist *d;

	for (i = 0; (d = dists_at(dists, i)); i++) {
		if (!dist_count(d))
			continue;
		t->failed |= dist_pool(total, d);
		if (p->how->top && nr++ >= p->how->top) {
			t->failed |= dist_pool(others, d);
			continue;
		}
		table_add(t, dist_name(d));
		add_dist(p, t, d, false);
	}
	return nr;
}

static void add_sums(const struct profile_printer *p, struct table *t, const struct dists *dists)
{
	struct dists *sums = dists_new(false);
	struct dist *total = sums ? dists_get(sums, 0) : NULL;
	struct dist *others = total ? dists_get(sums, 1) : NULL;
	unsigned int nr;

	t->failed |= !others;
	if (others) {
		nr = add_dists(p, t, dists, total, others);
		if (p->how->top && nr > p->how->top) {
			add_others(t, nr - p->how->top);
			add_dist(p, t, others, false);
		}
		table_add(t, "total");
		add_dist(p, t, total, true);
	}
	dists_free(sums);
}

static int print_dists(const struct profile_printer *p, const char *title,
		       const struct dists *dists)
{
	struct table t = {
		.title = title, .column = dist_columns, .nr = ARRAY_SIZE(dist_columns),
	};
	struct dist *d;
	unsigned int i;

	add_sums(p, &t, dists);
	if (end_table(p, &t))
		return -1;
	for (i = 0; p->how->histogram && (d = dists_at(dists, i)); i++)
		print_histogram(p, d);
	return 0;
}

static int print_all_dists(const struct profile_printer *p)
{
	const struct profile *s = p->s;

	if (dists_at(s->reasons, 0) && print_dists(p, "EL2 ENTRY", s->reasons))
		return -1;
	if (dists_at(s->hcalls, 0) && print_dists(p, "HYPERCALL", s->hcalls))
		return -1;
	if (dists_at(s->steps, 0) && print_dists(p, "EL2 START", s->steps))
		return -1;
	return print_dists(p, "SWITCH", times_ways(s->times));
}

/* The longest durations */

static const struct column slow_columns[] = {
	{ "time", 0 }, { "at", 0 }, { "CPU", 0 }, { "task", 1 },
};

static void add_slow(const struct profile_printer *p, struct table *t, const struct slow *slow)
{
	char text[NAME_SIZE];

	add_time(p, t, slow->ns);
	snprintf(text, sizeof(text), "%llu.%09llu", slow->start / NSEC_PER_SEC,
		 slow->start % NSEC_PER_SEC);
	table_add(t, text);
	table_add_number(t, slow->cpu);
	table_add(t, task_name(p, slow->task, text, sizeof(text)));
}

static void add_slow_entry(const struct profile_printer *p, struct table *t,
			   const struct slow *slow)
{
	char *name = xasprintf("%s%s%s", slow->what ? dist_name(slow->what) : "?",
			       slow->call ? " " : "", slow->call ? dist_name(slow->call) : "");

	t->failed |= !name;
	table_add(t, name ? name : "");
	add_slow(p, t, slow);
	free(name);
}

static int print_slowest(const struct profile_printer *p)
{
	const struct slowest *s = p->how->slowest;
	struct table entries = {
		.title = "SLOWEST EL2 ENTRY", .column = slow_columns,
		.nr = ARRAY_SIZE(slow_columns),
	};
	struct table switches = entries;
	unsigned int i;

	for (i = 0; i < s->entries.nr; i++)
		add_slow_entry(p, &entries, &s->entries.list[i]);
	if (end_table(p, &entries))
		return -1;
	switches.title = "SLOWEST SWITCH";
	for (i = 0; i < s->switches.nr; i++) {
		table_add(&switches, way_name(s->switches.list[i].way));
		add_slow(p, &switches, &s->switches.list[i]);
	}
	return end_table(p, &switches);
}

/* What the numbers are based on, and what is missing */
static void print_summary(const struct profile_printer *p)
{
	const struct profile *s = p->s;
	const struct times_result *r = &s->result;
	char text[UNIT_TEXT];

	fprintf(p->out, "recording: ");
	if (!p->how->part)
		fprintf(p->out, "time=%s ", unit_text(text, r->wall, UNIT_AUTO));
	fprintf(p->out, "events=%llu host_events=%llu lost=%llu%s\n", s->events.seen[HYP],
		s->events.seen[HOST], s->events.lost, lost_more(s->events.vague));
	if (p->how->part)
		fprintf(p->out, "selected: time=%s from=%llu.%09llu\n",
			unit_text(text, r->wall, UNIT_AUTO), r->start / NSEC_PER_SEC,
			r->start % NSEC_PER_SEC);
	fprintf(p->out, "not measured: losses=%llu misplaced=%llu entries_without_exit=%llu exits_without_entry=%llu\n",
		r->losses, r->misplaced, r->no_exit, r->no_entry);
	if (s->corrupt.nr)
		fprintf(p->out, "corrupt: %llu sub-buffers, " CORRUPT_PLACE "\n", s->corrupt.nr,
			s->corrupt.first);
	if (s->events.unmarked)
		fprintf(p->out, "inexact: %llu events were dropped at unknown places: record with a larger --buffer-size\n",
			s->events.unmarked);
	if (p->how->unit != UNIT_AUTO)
		fprintf(p->out, "all times of the tables are in %s\n", unit_words[p->how->unit]);
}

int profile_print_text(const struct profile *s, const struct profiletext *how, FILE *out)
{
	const struct profile_printer p = { .s = s, .how = how, .out = out };

	print_summary(&p);
	if (print_all_places(&p) || print_all_dists(&p))
		return -1;
	return how->slowest ? print_slowest(&p) : 0;
}

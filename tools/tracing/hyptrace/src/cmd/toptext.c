// SPDX-License-Identifier: GPL-2.0
/*
 * The profile of an interval as narrow tables. See toptext.h.
 */
#include "cmd/toptext.h"
#include "cmd/vcpuname.h"
#include "lib/visible.h"

#define NAME_WIDTH	28
#define PLACES_NAME	22	/* where there are more columns */

/**
 * struct top_table - a table in progress
 * @s:		the profile
 * @out:	where it goes
 * @left:	rows that may still be printed
 */
struct top_table {
	const struct profile *s;
	FILE *out;
	unsigned int left;
};

static double share(const struct top_table *t, u64 ns)
{
	u64 wall = t->s->result.wall;

	return wall ? 100.0 * ns / wall : 0;
}

static double per_s(const struct top_table *t, u64 count)
{
	u64 wall = t->s->result.wall;

	return wall ? 1e9 * count / wall : 0;
}

static bool take_row(struct top_table *t)
{
	if (!t->left)
		return false;
	t->left--;
	return true;
}

/* Places */

static void places_head(const struct top_table *t, const char *what, const char *rate)
{
	fprintf(t->out, "\n%-*s %9s %7s %7s %7s %7s %7s %7s\n", PLACES_NAME, what, rate,
		"task %", "EL2 %", "guest %", "irq %", "idle %", "unknown");
}

static void print_places(const struct top_table *t, const char *name,
			 const struct times_row *r, bool rate)
{
	const u64 ns[] = {
		r->ns[PLACE_TASK], r->ns[PLACE_EL2], r->ns[PLACE_GUEST],
		r->ns[PLACE_IRQ] + r->ns[PLACE_SOFTIRQ], r->ns[PLACE_IDLE], r->ns[PLACE_UNKNOWN],
	};
	unsigned int i;

	visible_cell(t->out, name, -PLACES_NAME, PLACES_NAME);
	if (rate)
		fprintf(t->out, " %9.0f", per_s(t, r->entries));
	else
		fprintf(t->out, " %9s", "");
	for (i = 0; i < ARRAY_SIZE(ns); i++)
		fprintf(t->out, " %7.2f", share(t, ns[i]));
	fputc('\n', t->out);
}

static void print_cpus(const struct top_table *t)
{
	const struct times_row *r;
	unsigned int i;
	char name[16];

	places_head(t, "CPU", "entries/s");
	for (i = 0; (r = times_cpu(t->s->times, i)); i++) {
		snprintf(name, sizeof(name), "%d", r->id);
		print_places(t, name, r, true);
	}
}

/* "COMM-PID", or what is in its place */
static void task_name(const struct top_table *t, s32 id, char *name, size_t size)
{
	if (id == TIMES_UNKNOWN)
		snprintf(name, size, "unknown task");
	else if (id == TIMES_OTHERS)
		snprintf(name, size, "other tasks");
	else
		snprintf(name, size, "%s-%d", evdb_comm(t->s->db, id), id);
}

static void print_vcpus(struct top_table t)
{
	const struct times_row *r;
	unsigned int i;
	char name[64], task[48];

	for (i = 0; (r = times_vcpu(t.s->times, i)) && take_row(&t); i++) {
		if (times_row_empty(r))
			break;	/* by time */
		if (!i)
			places_head(&t, "VCPU", "entries/s");
		task_name(&t, r->id, task, sizeof(task));
		print_places(&t, vcpu_name(name, sizeof(name), r, task), r, true);
	}
}

static void print_tasks(struct top_table t)
{
	const struct times_row *r;
	unsigned int i;
	char name[64];

	places_head(&t, "TASK", "");
	for (i = 0; (r = times_task(t.s->times, i)); i++) {
		if (times_row_empty(r) || !take_row(&t))
			continue;
		task_name(&t, r->id, name, sizeof(name));
		print_places(&t, name, r, false);
	}
}

/* Durations */

static void dists_head(const struct top_table *t, const char *what)
{
	fprintf(t->out, "\n%-*s %11s %9s %9s %9s %9s\n", NAME_WIDTH, what, "count/s",
		"time %", "p50 us", "p99 us", "max us");
}

/* Return: false if there was none */
static bool print_dist(const struct top_table *t, const char *name, struct dist *d)
{
	struct dist_summary s;

	dist_summarize(d, &s);
	if (!s.count)
		return false;
	visible_cell(t->out, name, -NAME_WIDTH, NAME_WIDTH);
	fprintf(t->out, " %11.0f %9.2f %9.2f %9.2f %9.2f\n", per_s(t, s.count),
		share(t, s.total), s.p50 / 1e3, s.p99 / 1e3, s.max / 1e3);
	return true;
}

static void print_dists(struct top_table t, const char *what, const struct dists *dists)
{
	struct dist *d;
	unsigned int i;

	dists_head(&t, what);
	for (i = 0; (d = dists_at(dists, i)) && t.left; i++)
		t.left -= print_dist(&t, dist_name(d), d);
}

static void print_ways(const struct top_table *t)
{
	enum way way;

	dists_head(t, "SWITCH");
	for (way = 0; way < NR_WAYS; way++)
		print_dist(t, way_name(way), times_way(t->s->times, way));
}

static void print_head(const struct top_table *t, u64 elapsed_ms)
{
	const struct account_result *n = &t->s->events;

	fprintf(t->out, "hyptrace top: %.1f s, last %.3f s: %.0f hyp events/s, %.0f host events/s\n",
		elapsed_ms / 1e3, t->s->result.wall / 1e9, per_s(t, n->seen[HYP]),
		per_s(t, n->seen[HOST]));
	if (n->lost)
		fprintf(t->out, "%llu events lost: some durations not measured; try a larger --buffer-size\n",
			n->lost);
}

void top_print(const struct profile *s, u64 elapsed_ms, unsigned int rows,
	       FILE *out)
{
	const struct top_table t = {
		.s = s, .out = out, .left = rows ? rows : UINT32_MAX,
	};

	print_head(&t, elapsed_ms);
	print_cpus(&t);
	print_vcpus(t);
	print_dists(t, "EL2 ENTRY", s->reasons);
	print_dists(t, "HYPERCALL", s->hcalls);
	print_ways(&t);
	print_tasks(t);
}

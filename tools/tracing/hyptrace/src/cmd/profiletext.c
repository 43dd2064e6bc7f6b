// SPDX-License-Identifier: GPL-2.0
/*
 * A profile as tables. See profiletext.h.
 */
#include <limits.h>

#include "cmd/profiletext.h"
#include "lib/visible.h"

#define NAME_WIDTH	30
#define BAR_WIDTH	40

/* "1234.567"; several buffers in turn, since a line has several numbers */
static const char *us(u64 ns)
{
	static char text[8][32];
	static unsigned int next;
	char *s = text[next++ % ARRAY_SIZE(text)];

	snprintf(s, sizeof(text[0]), "%llu.%03llu", ns / 1000, ns % 1000);
	return s;
}

static double percent(u64 part, u64 all)
{
	return all ? 100.0 * part / all : 0;
}

/* Places */

static void print_places_head(FILE *out, const char *what, const char *number)
{
	fprintf(out, "\n%-*s %9s %14s %6s %14s %6s %14s %6s %14s %6s\n",
		NAME_WIDTH, what, number, "host", "%", "EL2", "%", "guest", "%",
		"unknown", "%");
}

static void print_places(FILE *out, const char *name, const char *number,
			 const struct times_row *r, u64 wall)
{
	unsigned int i;

	visible_cell(out, name, -NAME_WIDTH, INT_MAX);
	fprintf(out, " %9s", number);
	for (i = 0; i < NR_PLACES; i++)
		fprintf(out, " %14s %6.2f", us(r->ns[i]),
			percent(r->ns[i], wall));
	fputc('\n', out);
}

static void print_cpus(const struct profile *s, FILE *out)
{
	const struct times_row *r;
	char name[16], number[24];
	unsigned int i;

	print_places_head(out, "CPU", "entries");
	for (i = 0; (r = times_cpu(s->times, i)); i++) {
		snprintf(name, sizeof(name), "%d", r->id);
		snprintf(number, sizeof(number), "%llu", r->entries);
		print_places(out, name, number, r, s->result.wall);
	}
}

static void print_tasks(const struct profile *s, FILE *out)
{
	const struct times_row *r;
	unsigned int i;
	char name[64];

	print_places_head(out, "TASK", "");
	for (i = 0; (r = times_task(s->times, i)); i++) {
		if (times_row_empty(r))
			continue;
		snprintf(name, sizeof(name), "%s-%d",
			 evdb_comm(s->db, r->id), r->id);
		print_places(out, r->id == TIMES_NOBODY ? "unknown task" : name,
			     "", r, s->result.wall);
	}
}

static void print_vcpus(const struct profile *s, FILE *out)
{
	const struct times_row *r;
	char name[64], number[24];
	unsigned int i;

	if (!times_vcpu(s->times, 0))
		return;
	print_places_head(out, "VCPU", "entries");
	for (i = 0; (r = times_vcpu(s->times, i)); i++) {
		snprintf(number, sizeof(number), "%llu", r->entries);
		if (r->named)
			snprintf(name, sizeof(name), "0x%x:%u of %s-%d", r->vm,
				 r->vcpu, evdb_comm(s->db, r->id), r->id);
		else
			snprintf(name, sizeof(name), "?:? of %s-%d",
				 evdb_comm(s->db, r->id), r->id);
		print_places(out, name, number, r, s->result.wall);
	}
}

/* Durations */

static void print_dist(FILE *out, const char *name, struct dist *d)
{
	struct dist_summary s;

	dist_summarize(d, &s);
	if (!s.count)
		return;
	visible_cell(out, name, -NAME_WIDTH, INT_MAX);
	fprintf(out, " %9llu %14s %11s %11s %11s %11s %11s\n", s.count,
		us(s.total), us(s.mean), us(s.p50), us(s.p90),
		us(s.p99), us(s.max));
}

static void print_bar(FILE *out, u64 nr, u64 most)
{
	u64 i, len = (nr * BAR_WIDTH + most - 1) / most;

	for (i = 0; i < len; i++)
		fputc('#', out);
	fputc('\n', out);
}

static void print_bucket(FILE *out, unsigned int b, u64 nr, u64 most)
{
	u64 from = b ? 1ULL << (b - 1) : 0;

	fprintf(out, "  %14s .. %14s %9llu ", us(from), us(from ? 2 * from - 1 : 0),
		nr);
	print_bar(out, nr, most);
}

static void print_histogram(FILE *out, const char *name, const struct dist *d)
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
	fputc('\n', out);
	visible_put(out, name);
	fputc('\n', out);
	for (b = 0; b < DIST_BUCKETS; b++) {
		if (bucket[b])
			print_bucket(out, b, bucket[b], most);
	}
}

static void print_dists_head(FILE *out, const char *what)
{
	fprintf(out, "\n%-*s %9s %14s %11s %11s %11s %11s %11s\n", NAME_WIDTH,
		what, "count", "total", "mean", "p50", "p90", "p99", "max");
}

static void print_dists(FILE *out, const char *what, const struct dists *dists,
			bool histogram)
{
	struct dist *d;
	unsigned int i;

	if (!dists_at(dists, 0))
		return;
	print_dists_head(out, what);
	for (i = 0; (d = dists_at(dists, i)); i++)
		print_dist(out, dist_name(d), d);
	for (i = 0; histogram && (d = dists_at(dists, i)); i++)
		print_histogram(out, dist_name(d), d);
}

static void print_ways(const struct profile *s, bool histogram, FILE *out)
{
	unsigned int i;

	print_dists_head(out, "SWITCH");
	for (i = 0; i < NR_WAYS; i++)
		print_dist(out, way_name(i), times_way(s->times, i));
	for (i = 0; histogram && i < NR_WAYS; i++)
		print_histogram(out, way_name(i), times_way(s->times, i));
}

/* What the numbers are based on, and what is missing */
static void print_summary(const struct profile *s, FILE *out)
{
	const struct times_result *r = &s->result;

	fprintf(out, "recording: us=%s events=%llu host_events=%llu lost=%llu%s\n",
		us(r->wall), s->events.seen[HYP], s->events.seen[HOST],
		s->events.lost, lost_more(s->events.vague));
	fprintf(out, "not measured: losses=%llu misplaced=%llu entries_without_exit=%llu exits_without_entry=%llu\n",
		r->losses, r->misplaced, r->no_exit, r->no_entry);
	if (s->corrupt.nr)
		fprintf(out, "corrupt: %llu sub-buffers, " CORRUPT_PLACE "\n", s->corrupt.nr,
			s->corrupt.first);
	if (s->events.unmarked)
		fprintf(out, "inexact: %llu events were dropped at unknown places: record with a larger --buffer-size\n",
			s->events.unmarked);
}

void profile_print_text(const struct profile *s, bool histogram, FILE *out)
{
	print_summary(s, out);
	print_cpus(s, out);
	print_tasks(s, out);
	print_vcpus(s, out);
	print_dists(out, "EL2 ENTRY", s->reasons, histogram);
	print_dists(out, "HYPERCALL", s->hcalls, histogram);
	print_ways(s, histogram, out);
}

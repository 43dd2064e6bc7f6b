// SPDX-License-Identifier: GPL-2.0
/*
 * A profile as JSON. See profilejson.h.
 */
#include "analysis/calljson.h"
#include "analysis/profilejson.h"
#include "lib/json.h"

/* ", " before all but the first. Return: false if no more are to be printed */
static bool separate(const struct profilejson *how, FILE *out, unsigned int *nr)
{
	if (how->top && *nr == how->top)
		return false;
	fputs((*nr)++ ? ",\n  " : "\n  ", out);
	return true;
}

static void put_places(FILE *out, const struct times_row *r)
{
	enum place p;

	for (p = 0; p < NR_PLACES; p++)
		fprintf(out, "%s\"%s\": %llu", p ? ", " : "", place_name(p), r->ns[p]);
	fputs("}", out);
}

static void put_cpus(const struct profile *s, const struct profilejson *how, FILE *out)
{
	const struct times_row *r;
	unsigned int i, nr = 0;

	fputs(",\n\"cpus\": [", out);
	for (i = 0; (r = times_cpu(s->times, i)) && separate(how, out, &nr); i++) {
		fprintf(out, "{\"cpu\": %d, \"entries\": %llu, ", r->id,
			r->entries);
		put_places(out, r);
	}
	fputs("]", out);
}

/* An unknown task is null; other tasks have no pid either, but a name */
static void put_task(const struct profile *s, FILE *out, s32 pid)
{
	if (pid == TIMES_UNKNOWN) {
		fputs("\"pid\": null, \"comm\": null, ", out);
		return;
	}
	if (pid == TIMES_OTHERS) {
		fputs("\"pid\": null, \"comm\": \"other tasks\", ", out);
		return;
	}
	fprintf(out, "\"pid\": %d, \"comm\": ", pid);
	json_string(out, evdb_comm(s->db, pid));
	fputs(", ", out);
}

static void put_tasks(const struct profile *s, const struct profilejson *how, FILE *out)
{
	const struct times_row *r;
	unsigned int i, nr = 0;

	fputs(",\n\"tasks\": [", out);
	for (i = 0; (r = times_task(s->times, i)); i++) {
		if (times_row_empty(r))
			continue;
		if (!separate(how, out, &nr))
			break;
		fputs("{", out);
		put_task(s, out, r->id);
		put_places(out, r);
	}
	fputs("]", out);
}

static void put_vcpus(const struct profile *s, const struct profilejson *how, FILE *out)
{
	const struct times_row *r;
	unsigned int i, nr = 0;

	fputs(",\n\"vcpus\": [", out);
	for (i = 0; (r = times_vcpu(s->times, i)); i++) {
		if (times_row_empty(r))
			continue;
		if (!separate(how, out, &nr))
			break;
		fputs("{", out);
		put_task(s, out, r->id);
		if (r->named)
			fprintf(out, "\"vm\": %u, \"vcpu\": %u, ", r->vm,
				r->vcpu);
		else
			fputs("\"vm\": null, \"vcpu\": null, ", out);
		fprintf(out, "\"entries\": %llu, ", r->entries);
		put_places(out, r);
	}
	fputs("]", out);
}

/* Pairs of a bucket's smallest value and its count */
static void put_histogram(FILE *out, const struct dist *d)
{
	u64 bucket[DIST_BUCKETS];
	unsigned int b, nr = 0;

	dist_histogram(d, bucket);
	fputs(", \"histogram\": [", out);
	for (b = 0; b < DIST_BUCKETS; b++) {
		if (bucket[b])
			fprintf(out, "%s[%llu, %llu]", nr++ ? ", " : "",
				b ? 1ULL << (b - 1) : 0, bucket[b]);
	}
	fputs("]", out);
}

static void put_dist(FILE *out, unsigned int *nr, struct dist *d,
		     const struct profilejson *how)
{
	struct dist_summary s;

	dist_summarize(d, &s);
	if (!s.count || !separate(how, out, nr))
		return;
	fputs("{\"name\": ", out);
	json_string(out, dist_name(d));
	fprintf(out, ", \"count\": %llu, \"total\": %llu, \"mean\": %llu, \"p50\": %llu, \"p90\": %llu, \"p99\": %llu, \"max\": %llu, \"min\": %llu, \"p999\": %llu",
		s.count, s.total, s.mean, s.p50, s.p90, s.p99, s.max, s.min, s.p999);
	if (how->histogram)
		put_histogram(out, d);
	fputs("}", out);
}

static void put_dists(FILE *out, const char *what, const struct dists *dists,
		      const struct profilejson *how)
{
	unsigned int i, nr = 0;
	struct dist *d;

	fprintf(out, ",\n\"%s\": [", what);
	for (i = 0; (d = dists_at(dists, i)); i++)
		put_dist(out, &nr, d, how);
	fputs("]", out);
}

static void put_name(FILE *out, const char *member, const char *name)
{
	fprintf(out, "\"%s\": ", member);
	if (name)
		json_string(out, name);
	else
		fputs("null", out);
	fputs(", ", out);
}

static void put_slow(const struct profile *s, FILE *out, const struct slow *slow)
{
	put_task(s, out, slow->task);
	fprintf(out, "\"cpu\": %u, \"ts\": %llu, \"ns\": %llu}", slow->cpu, slow->start,
		slow->ns);
}

static void put_slowest(const struct profile *s, const struct slowest *slowest, FILE *out)
{
	const struct slow *slow;
	unsigned int i;

	fputs(",\n\"slowest_entries\": [", out);
	for (i = 0; i < slowest->entries.nr; i++) {
		slow = &slowest->entries.list[i];
		fputs(i ? ",\n  {" : "\n  {", out);
		put_name(out, "name", slow->what ? dist_name(slow->what) : NULL);
		put_name(out, "hypercall", slow->call ? dist_name(slow->call) : NULL);
		put_slow(s, out, slow);
	}
	fputs("],\n\"slowest_switches\": [", out);
	for (i = 0; i < slowest->switches.nr; i++) {
		slow = &slowest->switches.list[i];
		fputs(i ? ",\n  {" : "\n  {", out);
		put_name(out, "name", way_name(slow->way));
		put_slow(s, out, slow);
	}
	fputs("]", out);
}

static void put_summary(const struct profile *s, FILE *out)
{
	const struct times_result *r = &s->result;

	fprintf(out, "\"wall\": %llu, \"start\": %llu, \"events\": %llu, \"host_events\": %llu, \"lost\": ",
		r->wall, r->start, s->events.seen[HYP], s->events.seen[HOST]);
	if (s->events.vague)
		fputs("null", out);
	else
		fprintf(out, "%llu", s->events.lost);
	fprintf(out, ", \"dropped\": %llu, \"corrupt\": %llu,\n", s->events.unmarked,
		s->corrupt.nr);
	fprintf(out, "\"losses\": %llu, \"misplaced\": %llu, \"entries_without_exit\": %llu, \"exits_without_entry\": %llu",
		r->losses, r->misplaced, r->no_exit, r->no_entry);
}

void profile_print_json(const struct profile *s, const struct profilejson *how, FILE *out)
{
	fputs("{", out);
	put_summary(s, out);
	put_cpus(s, how, out);
	put_tasks(s, how, out);
	put_vcpus(s, how, out);
	put_dists(out, "entries", s->reasons, how);
	put_dists(out, "hypercalls", s->hcalls, how);
	if (dists_at(s->steps, 0))
		put_dists(out, "steps", s->steps, how);
	put_dists(out, "switches", times_ways(s->times), how);
	if (how->slowest)
		put_slowest(s, how->slowest, out);
	if (how->calls) {
		fputs(",\n\"functions\": ", out);
		calljson_print(how->calls, how->of_calls, out);
	}
	fputs("}\n", out);
}

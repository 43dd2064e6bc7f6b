// SPDX-License-Identifier: GPL-2.0
/*
 * A profile as JSON. See profilejson.h.
 */
#include "analysis/profilejson.h"
#include "lib/json.h"

/* ", " before all but the first */
static void separate(FILE *out, unsigned int *nr)
{
	fputs((*nr)++ ? ",\n  " : "\n  ", out);
}

static void put_places(FILE *out, const struct times_row *r)
{
	fprintf(out, "\"host\": %llu, \"el2\": %llu, \"guest\": %llu, \"unknown\": %llu}",
		r->ns[PLACE_HOST], r->ns[PLACE_EL2], r->ns[PLACE_GUEST],
		r->ns[PLACE_UNKNOWN]);
}

static void put_cpus(const struct profile *s, FILE *out)
{
	const struct times_row *r;
	unsigned int i, nr = 0;

	fputs(",\n\"cpus\": [", out);
	for (i = 0; (r = times_cpu(s->times, i)); i++) {
		separate(out, &nr);
		fprintf(out, "{\"cpu\": %d, \"entries\": %llu, ", r->id,
			r->entries);
		put_places(out, r);
	}
	fputs("]", out);
}

/* An unknown task is null; other tasks have no pid either, but a name */
static void put_task(const struct profile *s, FILE *out, s32 pid)
{
	if (pid == TIMES_NOBODY) {
		fputs("{\"pid\": null, \"comm\": null, ", out);
		return;
	}
	if (pid == TIMES_OTHERS) {
		fputs("{\"pid\": null, \"comm\": \"other tasks\", ", out);
		return;
	}
	fprintf(out, "{\"pid\": %d, \"comm\": ", pid);
	json_string(out, evdb_comm(s->db, pid));
	fputs(", ", out);
}

static void put_tasks(const struct profile *s, FILE *out)
{
	const struct times_row *r;
	unsigned int i, nr = 0;

	fputs(",\n\"tasks\": [", out);
	for (i = 0; (r = times_task(s->times, i)); i++) {
		if (times_row_empty(r))
			continue;
		separate(out, &nr);
		put_task(s, out, r->id);
		put_places(out, r);
	}
	fputs("]", out);
}

static void put_vcpus(const struct profile *s, FILE *out)
{
	const struct times_row *r;
	unsigned int i, nr = 0;

	fputs(",\n\"vcpus\": [", out);
	for (i = 0; (r = times_vcpu(s->times, i)); i++) {
		if (times_row_empty(r))
			continue;
		separate(out, &nr);
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

static void put_dist(FILE *out, unsigned int *nr, const char *name,
		     struct dist *d, bool histogram)
{
	struct dist_summary s;

	dist_summarize(d, &s);
	if (!s.count)
		return;
	separate(out, nr);
	fputs("{\"name\": ", out);
	json_string(out, name);
	fprintf(out, ", \"count\": %llu, \"total\": %llu, \"mean\": %llu, \"p50\": %llu, \"p90\": %llu, \"p99\": %llu, \"max\": %llu",
		s.count, s.total, s.mean, s.p50, s.p90, s.p99, s.max);
	if (histogram)
		put_histogram(out, d);
	fputs("}", out);
}

static void put_dists(FILE *out, const char *what, const struct dists *dists,
		      bool histogram)
{
	unsigned int i, nr = 0;
	struct dist *d;

	fprintf(out, ",\n\"%s\": [", what);
	for (i = 0; (d = dists_at(dists, i)); i++)
		put_dist(out, &nr, dist_name(d), d, histogram);
	fputs("]", out);
}

static void put_ways(const struct profile *s, bool histogram, FILE *out)
{
	unsigned int i, nr = 0;

	fputs(",\n\"switches\": [", out);
	for (i = 0; i < NR_WAYS; i++)
		put_dist(out, &nr, way_name(i), times_way(s->times, i),
			 histogram);
	fputs("]", out);
}

static void put_summary(const struct profile *s, FILE *out)
{
	const struct times_result *r = &s->result;

	fprintf(out, "\"wall\": %llu, \"events\": %llu, \"host_events\": %llu, \"lost\": ",
		r->wall, s->events.seen[HYP], s->events.seen[HOST]);
	if (s->events.vague)
		fputs("null", out);
	else
		fprintf(out, "%llu", s->events.lost);
	fprintf(out, ", \"dropped\": %llu, \"corrupt\": %llu,\n", s->events.unmarked,
		s->corrupt.nr);
	fprintf(out, "\"losses\": %llu, \"misplaced\": %llu, \"entries_without_exit\": %llu, \"exits_without_entry\": %llu",
		r->losses, r->misplaced, r->no_exit, r->no_entry);
}

void profile_print_json(const struct profile *s, bool histogram, FILE *out)
{
	fputs("{", out);
	put_summary(s, out);
	put_cpus(s, out);
	put_tasks(s, out);
	put_vcpus(s, out);
	put_dists(out, "entries", s->reasons, histogram);
	put_dists(out, "hypercalls", s->hcalls, histogram);
	put_ways(s, histogram, out);
	fputs("}\n", out);
}

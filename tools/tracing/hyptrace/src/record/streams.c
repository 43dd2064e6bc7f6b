// SPDX-License-Identifier: GPL-2.0
/*
 * The buffers of all CPUs. See streams.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "lib/log.h"
#include "record/streams.h"

/* "dropped events: N" of the CPU's stats file, 0 if there is no such line */
static u64 read_dropped(const struct tdir *d, unsigned int cpu)
{
	static const char key[] = "dropped events: ";
	char *file = xasprintf("per_cpu/cpu%u/stats", cpu), *text = NULL;
	const char *at;
	u64 n = 0;

	if (file && tdir_has(d, file))
		text = tdir_read(d, file, NULL);
	at = text ? strstr(text, key) : NULL;
	if (at)
		n = strtoull(at + strlen(key), NULL, 10);
	free(text);
	free(file);
	return n;
}

static int open_stream(struct stream *s)
{
	char *file = xasprintf("per_cpu/cpu%u/trace_pipe_raw", s->cpu);
	char *path = file ? tdir_path(s->dir, file) : NULL;

	if (path)
		s->f = follower_open(path);
	free(path);
	free(file);
	if (!s->f)
		return -1;
	s->dropped = read_dropped(s->dir, s->cpu);
	return 0;
}

int streams_open(struct streams *s, const struct recording *r)
{
	struct stream *one;
	enum side side;
	unsigned int i;

	s->cpu = calloc(r->cpus.nr, sizeof(*s->cpu));
	if (!s->cpu)
		return log_oom();
	s->nr_cpus = r->cpus.nr;
	for (i = 0; i < s->nr_cpus; i++) {
		for (side = HOST; side < NR_SIDES; side++) {
			one = &s->cpu[i][side];
			one->dir = r->dir[side];
			one->side = side;
			one->cpu = r->cpus.cpu[i];
			if (recording_reads(r, side) && open_stream(one))
				return -1;
		}
	}
	return 0;
}

void streams_totals(const struct streams *s, struct streams_totals *t)
{
	struct counters n;
	enum side side;
	unsigned int i;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < s->nr_cpus; i++) {
		for (side = HOST; side < NR_SIDES; side++) {
			if (!s->cpu[i][side].f)
				continue;
			stream_counts(&s->cpu[i][side], &n);
			t->written[side] += n.written;
			t->kept[side] += n.written - n.overrun;
			t->lost += n.overrun + n.dropped;
			t->bytes += follower_bytes(s->cpu[i][side].f);
		}
	}
}

u64 streams_lost(const struct streams *s, unsigned int i)
{
	struct counters n;
	enum side side;
	u64 lost = 0;

	for (side = HOST; side < NR_SIDES; side++) {
		if (!s->cpu[i][side].f)
			continue;
		stream_counts(&s->cpu[i][side], &n);
		lost += n.overrun + n.dropped;
	}
	return lost;
}

void streams_tell(const struct streams *s, const char *what)
{
	struct streams_totals t;

	streams_totals(s, &t);
	log_note("%s: %llu hypervisor events, %llu host events, %llu lost", what,
		 t.kept[HYP], t.kept[HOST], t.lost);
}

void streams_keep_from(const struct streams *s, u64 ts)
{
	enum side side;
	unsigned int i;

	for (i = 0; i < s->nr_cpus; i++) {
		for (side = HOST; side < NR_SIDES; side++) {
			if (s->cpu[i][side].f)
				follower_keep_from(s->cpu[i][side].f, ts);
		}
	}
}

u64 streams_since(const struct streams *s)
{
	u64 since = 0;
	enum side side;
	unsigned int i;

	for (i = 0; i < s->nr_cpus; i++) {
		for (side = HOST; side < NR_SIDES; side++) {
			if (s->cpu[i][side].f)
				since = MAX(since, follower_since(s->cpu[i][side].f));
		}
	}
	return since;
}

bool stream_drained(const struct stream *s)
{
	struct follow_counts n;

	if (!s->f)
		return true;
	follower_live(s->f, &n);
	return n.written == n.overrun + n.read;
}

void stream_counts(const struct stream *s, struct counters *counts)
{
	struct follow_counts n;

	*counts = (struct counters) { 0 };
	if (!s->f)
		return;
	follower_live(s->f, &n);
	*counts = (struct counters) {
		.written = n.written,
		.overrun = n.overrun + follower_skipped(s->f),
		.read = n.read - follower_skipped(s->f),
		.dropped = read_dropped(s->dir, s->cpu) - s->dropped,
	};
}

void streams_close(struct streams *s)
{
	enum side side;
	unsigned int i;

	for (i = 0; i < s->nr_cpus; i++) {
		for (side = HOST; side < NR_SIDES; side++)
			follower_close(s->cpu[i][side].f);
	}
	free(s->cpu);
	s->cpu = NULL;
	s->nr_cpus = 0;
}

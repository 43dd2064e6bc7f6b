// SPDX-License-Identifier: GPL-2.0
/*
 * The accounting. See account.h.
 */
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "log.h"
#include "stats.h"

/**
 * struct tally - what the file holds of one buffer and CPU
 * @seen:	events
 * @marked:	lost events, as marked in the sub-buffers
 * @vague:	there are marks without a number
 */
struct tally {
	u64 seen;
	u64 marked;
	bool vague;
};

struct account {
	const struct datr *d;
	struct tally *tally;	/* [buffer * MAX_CPUS + cpu] */
};

bool buffer_is_hyp(const struct datr_buffer *b)
{
	return !strcmp(b->name, "hypervisor");
}

struct account *account_new(const struct datr *d)
{
	struct account *a = calloc(1, sizeof(*a));
	size_t nr = (size_t)datr_nr_buffers(d) * MAX_CPUS;

	if (a)
		a->tally = calloc(nr ? nr : 1, sizeof(*a->tally));
	if (!a || !a->tally) {
		log_oom();
		free(a);
		return NULL;
	}
	a->d = d;
	return a;
}

void account_feed(struct account *a, const struct merged *ev)
{
	struct tally *t = &a->tally[ev->buffer * MAX_CPUS + ev->cpu];

	if (ev->ev.data)
		t->seen++;
	if (ev->lost == RBPAGE_LOST_UNKNOWN)
		t->vague = true;
	else
		t->marked += ev->lost;
}

static int find_stats(const struct datr *d, const struct datr_buffer *b,
		      unsigned int cpu, struct cpu_stats *s)
{
	const char *text;
	unsigned int i;

	for (i = 0; (text = datr_text(d, i)); i++) {
		if (!stats_parse(text, b->name, cpu, s))
			return 0;
	}
	return -1;
}

static u64 difference(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/* Return: how many events nobody can explain */
static u64 compare(const struct tally *t, const struct cpu_stats *s)
{
	u64 off = difference(s->written, t->seen + s->overrun);

	if (t->vague ? t->marked > s->overrun : t->marked != s->overrun)
		off += difference(t->marked, s->overrun);
	return off;
}

static void account_cpu(struct account *a, unsigned int index,
			unsigned int cpu, FILE *out,
			struct account_result *result)
{
	const struct datr_buffer *b = datr_buffer(a->d, index);
	const struct tally *t = &a->tally[index * MAX_CPUS + cpu];
	struct cpu_stats s;
	u64 off;

	result->seen[buffer_is_hyp(b)] += t->seen;
	if (find_stats(a->d, b, cpu, &s)) {
		result->no_counters++;
		return;
	}
	off = compare(t, &s);
	result->lost += s.overrun + s.dropped;
	result->dropped += s.dropped;
	result->unaccounted += off;
	if (off && out)
		fprintf(out,
			"unaccounted: [%03u] %s: written=%llu overrun=%llu read=%llu, in the file: events=%llu lost=%llu%s\n",
			cpu, buffer_is_hyp(b) ? "hyp" : "host", s.written,
			s.overrun, s.read, t->seen, t->marked,
			t->vague ? "+?" : "");
}

void account_finish(struct account *a, const struct cpulist *cpus, FILE *out,
		    struct account_result *result)
{
	const struct datr_buffer *b;
	unsigned int i, j;

	memset(result, 0, sizeof(*result));
	for (i = 0; i < datr_nr_buffers(a->d); i++) {
		b = datr_buffer(a->d, i);
		for (j = 0; j < b->nr_cpus; j++) {
			if (!cpus || cpulist_has(cpus, b->cpu[j].cpu))
				account_cpu(a, i, b->cpu[j].cpu, out, result);
		}
	}
}

void account_free(struct account *a)
{
	if (!a)
		return;
	free(a->tally);
	free(a);
}

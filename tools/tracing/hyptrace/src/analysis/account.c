// SPDX-License-Identifier: GPL-2.0
/*
 * The accounting. See account.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/account.h"
#include "lib/log.h"
#include "trace/counters.h"

/**
 * struct tally - what the file holds of one buffer and CPU
 * @seen:	events
 * @marked:	lost events, as marked in the sub-buffers
 * @vague:	there are marks without a number
 * @counted:	@counters is valid
 * @counters:	the kernel's counters
 */
struct tally {
	u64 seen;
	u64 marked;
	bool vague;
	bool counted;
	struct counters counters;
};

struct account {
	const struct datr *d;
	struct tally *tally;	/* [buffer * MAX_CPUS + cpu] */
};

/* Of several texts about a CPU, the first one is used */
static void take_text(struct account *a, const char *text)
{
	struct counters s;
	unsigned int i, cpu;
	struct tally *t;

	for (i = 0; i < datr_nr_buffers(a->d); i++) {
		if (counters_parse(text, datr_buffer(a->d, i)->name, &cpu, &s) ||
		    cpu >= MAX_CPUS)
			continue;
		t = &a->tally[i * MAX_CPUS + cpu];
		if (!t->counted)
			t->counters = s;
		t->counted = true;
	}
}

struct account *account_new(const struct datr *d)
{
	struct account *a = calloc(1, sizeof(*a));
	size_t nr = (size_t)datr_nr_buffers(d) * MAX_CPUS;
	const char *text;
	unsigned int i;

	if (a)
		a->tally = calloc(nr ? nr : 1, sizeof(*a->tally));
	if (!a || !a->tally) {
		log_oom();
		free(a);
		return NULL;
	}
	a->d = d;
	for (i = 0; (text = datr_text(d, i)); i++)
		take_text(a, text);
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

/* EL2's writer marks dropped events as well, if a sub-buffer follows */
static u64 most_marked(const struct counters *s, enum side side)
{
	return s->overrun + (side == HYP ? s->dropped : 0);
}

/* Marks without a number may stand for all losses that can be marked */
static u64 unmarked(const struct tally *t, enum side side)
{
	u64 marked = t->vague ? most_marked(&t->counters, side) : t->marked;
	u64 lost = t->counters.overrun + t->counters.dropped;

	return lost > marked ? lost - marked : 0;
}

static u64 difference(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/* Return: the number of unaccounted events */
static u64 unexplained(const struct tally *t, enum side side)
{
	const struct counters *s = &t->counters;
	u64 off = difference(s->written, t->seen + s->overrun);
	u64 least = t->vague ? 0 : s->overrun, most = most_marked(s, side);

	if (t->marked < least)
		return off + least - t->marked;
	return off + (t->marked > most ? t->marked - most : 0);
}

static void account_cpu(struct account *a, unsigned int index,
			unsigned int cpu, FILE *out,
			struct account_result *result)
{
	const struct tally *t = &a->tally[index * MAX_CPUS + cpu];
	const struct counters *s = &t->counters;
	enum side side = datr_side(a->d, index);
	u64 off;

	result->seen[side] += t->seen;
	if (!t->counted) {
		result->no_counters++;
		result->lost += t->marked;
		result->vague |= t->vague;
		return;
	}
	off = unexplained(t, side);
	result->lost += s->overrun + s->dropped;
	result->unmarked += unmarked(t, side);
	result->unaccounted += off;
	if (off && out)
		fprintf(out,
			"unaccounted: [%03u] %s: written=%llu overrun=%llu read=%llu dropped=%llu, in the file: events=%llu lost=%llu%s\n",
			cpu, side_name(side), s->written, s->overrun, s->read,
			s->dropped, t->seen, t->marked, lost_more(t->vague));
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

bool account_cut(const struct account *a, unsigned int buffer, unsigned int cpu)
{
	const struct tally *t = &a->tally[buffer * MAX_CPUS + cpu];

	return !t->counted || unmarked(t, datr_side(a->d, buffer));
}

void account_free(struct account *a)
{
	if (!a)
		return;
	free(a->tally);
	free(a);
}

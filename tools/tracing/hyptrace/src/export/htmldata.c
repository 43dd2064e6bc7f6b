// SPDX-License-Identifier: GPL-2.0
/*
 * The data of the page of "export --html". See htmldata.h; html/data.js reads it.
 *
 * All numbers are varints (bytes.h); signed ones are marked with +-. A list is its
 * length and its elements. Elements refer to each other by their index in a list.
 *
 *	"HTD1"
 *	texts		file, kernel, clock, base (ns), the JSON of stat
 *	words		list of texts
 *	lines		list of {list of words}, to be joined by blanks
 *	tasks		list of {+-pid, word}; the first one is unknown
 *	kinds		list of {what, side, cpu, task, word system, word name}; a side is 0
 *			host, 1 hypervisor, 2 guest, whose cpu is that of the machine
 *	places		list of {place, task, vcpu: 0 none, 1 without name, or
 *			2, vm, vcpu}
 *	events		list of {+-ns since the one before, kind, line}
 *	CPUs		list of {cpu, +-start, spans, stays, calls, switches}
 *	  spans		list of {ns, place}; each begins where the last one ends
 *	  stays		list of {+-ns since the last one's end, ns, reason, call},
 *			these being 0 or a word's index plus 1
 *	  calls		list of {+-ns since the last one's end, ns, call, ns at EL2},
 *			hypercalls up to the return to the host
 *	  switches	list of {+-ns since the last one's end, ns, way}, a word's
 *			index plus 1
 *
 * Times count from base, the timestamp of the recording's first event.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/account.h"
#include "analysis/vcpuplace.h"
#include "export/htmldata.h"
#include "export/htmllists.h"
#include "lib/log.h"
#include "lib/util.h"

#define MAGIC		"HTD1"

/**
 * struct visits - EL2 entries, hypercalls or world switches of a CPU
 * @end:	of the last one
 * @list:	all of them
 * @nr:		how many
 */
struct visits {
	u64 end;
	struct bytes list;
	u64 nr;
};

/**
 * struct lane - the spans and visits of a CPU
 * @start:	of its first span
 * @end:	of its last span
 * @place:	the last span's, which is not written yet if @ns is not 0
 * @ns:		and how long it is so far
 * @spans:	those that are written
 * @nr_spans:	how many
 * @stays:	the EL2 entries
 * @calls:	the hypercalls
 * @switches:	the world switches
 */
struct lane {
	u64 start;
	u64 end;
	u32 place;
	u64 ns;
	struct bytes spans;
	u64 nr_spans;
	struct visits stays;
	struct visits calls;
	struct visits switches;
};

struct htmldata {
	const struct datr *d;
	struct htmllists *lists;
	struct vcpuplaces *vcpus;
	struct bytes events;
	u64 base;
	u64 last;
	u64 nr_entries;
	struct lane *lane[MAX_CPUS];
	struct htmldata_counts counts;
	bool failed;
};

/* Lanes */

static struct lane *lane_new(struct htmldata *h)
{
	struct lane *l = calloc(1, sizeof(*l));

	if (l)
		l->start = h->base;
	else if (!h->failed)
		log_oom();
	h->failed |= !l;
	return l;
}

static struct lane *lane_of(struct htmldata *h, unsigned int cpu)
{
	if (!h->lane[cpu])
		h->lane[cpu] = lane_new(h);
	return h->lane[cpu];
}

/* Events */

static void add_entry(struct htmldata *h, const struct merged *ev,
		      enum entry what, const struct evdb_head *head,
		      const char *text)
{
	u32 kind = htmllists_kind(h->lists, what, ev, head);

	bytes_signed(&h->events, (long long)(ev->ev.ts - h->last));
	bytes_varint(&h->events, kind);
	bytes_varint(&h->events, htmllists_line(h->lists, text));
	h->last = ev->ev.ts;
	h->nr_entries++;
}

static void add_loss(struct htmldata *h, const struct merged *ev)
{
	static const struct evdb_head head = { "", "", TIMES_UNKNOWN };
	char text[64] = "events lost, number unknown";

	if (ev->lost != RBPAGE_LOST_UNKNOWN)
		snprintf(text, sizeof(text), "%llu events lost", ev->lost);
	add_entry(h, ev, ENTRY_LOSS, &head, text);
	h->counts.losses++;
}

static void add_corrupt(struct htmldata *h, const struct merged *ev)
{
	static const struct evdb_head head = { "", "", TIMES_UNKNOWN };
	char text[64];

	snprintf(text, sizeof(text), "corrupt sub-buffer at file offset %llu",
		 ev->offset);
	add_entry(h, ev, ENTRY_CORRUPT, &head, text);
	h->counts.losses++;
}

static void add_event(struct htmldata *h, struct evdb *db, const struct merged *ev)
{
	struct evdb_head head = { "", evdb_name(db, &ev->ev), evdb_pid(&ev->ev) };
	bool known = evdb_head(db, &ev->ev, &head);

	add_entry(h, ev, known ? ENTRY_EVENT : ENTRY_STRANGER, &head,
		  evdb_text(db, &ev->ev, ev->cpu));
	h->counts.events++;
}

/* In the lane of the CPU on which it happened. Return: false if that is not known. */
static bool place_event(struct htmldata *h, const struct merged *ev, struct merged *placed)
{
	*placed = *ev;
	if (!ev->guest || vcpuplaces_cpu(h->vcpus, ev, &placed->cpu))
		return true;
	h->counts.outside++;
	return false;
}

static int add_placed(struct htmldata *h, struct evdb *db, const struct merged *ev)
{
	htmllists_set_db(h->lists, db);
	lane_of(h, ev->cpu);	/* also if no time passes */
	if (ev->lost)
		add_loss(h, ev);
	if (ev->ev.data)
		add_event(h, db, ev);
	else
		add_corrupt(h, ev);
	return h->events.failed ? -1 : 0;
}

int htmldata_event(void *ctx, struct evdb *db, const struct merged *ev)
{
	struct htmldata *h = ctx;
	struct merged placed;

	if (merged_side(h->d, ev) == HYP && vcpuplaces_feed(h->vcpus, db, ev))
		return -1;
	if (!place_event(h, ev, &placed))
		return 0;
	return add_placed(h, evdb_of(db, ev->guest), &placed);
}

/* Times */

static void end_span(struct lane *l)
{
	if (!l->ns)
		return;
	bytes_varint(&l->spans, l->ns);
	bytes_varint(&l->spans, l->place);
	l->nr_spans++;
	l->ns = 0;
}

/* Equal ones in a row are merged */
void htmldata_span(void *ctx, const struct times_span *s)
{
	struct htmldata *h = ctx;
	struct lane *l = lane_of(h, s->cpu);
	u32 p = htmllists_place(h->lists, s);

	if (!l)
		return;
	if (p != l->place)
		end_span(l);
	if (!l->end)
		l->start = s->start;
	l->end = s->start + s->ns;
	l->place = p;
	l->ns += s->ns;
}

static u32 name_word(struct htmldata *h, const char *name)
{
	return name ? htmllists_word(h->lists, name) + 1 : 0;
}

static u32 dist_word(struct htmldata *h, const struct dist *d)
{
	return name_word(h, d ? dist_name(d) : NULL);
}

static void add_visit(const struct htmldata *h, struct visits *v, u64 start, u64 end,
		      u32 what)
{
	bytes_signed(&v->list, start - (v->nr ? v->end : h->base));
	bytes_varint(&v->list, end - start);
	bytes_varint(&v->list, what);
	v->end = end;
	v->nr++;
}

void htmldata_stay(void *ctx, const struct times_stay *s)
{
	struct htmldata *h = ctx;
	struct lane *l = lane_of(h, s->cpu);

	if (!l)
		return;
	add_visit(h, &l->stays, s->start, s->end, dist_word(h, s->reason));
	bytes_varint(&l->stays.list, dist_word(h, s->call));
}

void htmldata_call(void *ctx, const struct times_call *s)
{
	struct htmldata *h = ctx;
	struct lane *l = lane_of(h, s->cpu);

	if (!l)
		return;
	add_visit(h, &l->calls, s->start, s->end, dist_word(h, s->call));
	bytes_varint(&l->calls.list, s->ns);
}

void htmldata_switch(void *ctx, const struct times_switch *s)
{
	struct htmldata *h = ctx;
	struct lane *l = lane_of(h, s->cpu);

	if (l)
		add_visit(h, &l->switches, s->start, s->end,
			  name_word(h, way_name(s->way)));
}

/* All */

struct htmldata *htmldata_new(const struct datr *d)
{
	struct htmldata *h = calloc(1, sizeof(*h));

	if (!h) {
		log_oom();
		return NULL;
	}
	h->d = d;
	h->lists = htmllists_new(d);
	h->vcpus = vcpuplaces_new(d);
	if (!h->lists || !h->vcpus || merge_first(d, &h->base)) {
		htmldata_free(h);
		return NULL;
	}
	h->last = h->base;
	return h;
}

void htmldata_free(struct htmldata *h)
{
	unsigned int i;

	if (!h)
		return;
	for (i = 0; i < MAX_CPUS; i++) {
		if (!h->lane[i])
			continue;
		bytes_free(&h->lane[i]->spans);
		bytes_free(&h->lane[i]->stays.list);
		bytes_free(&h->lane[i]->calls.list);
		bytes_free(&h->lane[i]->switches.list);
		free(h->lane[i]);
	}
	htmllists_free(h->lists);
	vcpuplaces_free(h->vcpus);
	bytes_free(&h->events);
	free(h);
}

static void put_text(struct bytes *out, const char *text)
{
	bytes_text(out, text, strlen(text));
}

static void put_head(const struct htmldata *h, struct bytes *out)
{
	const char *path = datr_name(h->d), *file = strrchr(path, '/');
	const char *kernel = datr_uname(h->d);
	unsigned int nr = datr_nr_buffers(h->d);
	char base[32];

	snprintf(base, sizeof(base), "%llu", h->base);
	put_text(out, file ? file + 1 : path);
	put_text(out, kernel ? kernel : "");
	put_text(out, nr ? datr_buffer(h->d, 0)->clock : "");
	put_text(out, base);
}

static void put_list(struct bytes *out, u64 nr, const struct bytes *elements)
{
	bytes_varint(out, nr);
	bytes_add(out, elements->data, elements->size);
	out->failed |= elements->failed;
}

static void put_lanes(struct htmldata *h, struct bytes *out)
{
	unsigned int i, nr = 0;
	struct lane *l;

	for (i = 0; i < MAX_CPUS; i++)
		nr += !!h->lane[i];
	bytes_varint(out, nr);
	for (i = 0; i < MAX_CPUS; i++) {
		l = h->lane[i];
		if (!l)
			continue;
		end_span(l);
		bytes_varint(out, i);
		bytes_signed(out, l->start - h->base);
		put_list(out, l->nr_spans, &l->spans);
		put_list(out, l->stays.nr, &l->stays.list);
		put_list(out, l->calls.nr, &l->calls.list);
		put_list(out, l->switches.nr, &l->switches.list);
		h->counts.spans += l->nr_spans;
	}
}

int htmldata_write(struct htmldata *h, const char *stat, size_t size,
		   struct bytes *out, struct htmldata_counts *counts)
{
	bytes_add(out, MAGIC, strlen(MAGIC));
	put_head(h, out);
	bytes_text(out, stat, size);
	htmllists_write(h->lists, out);
	put_list(out, h->nr_entries, &h->events);
	put_lanes(h, out);
	*counts = h->counts;
	return h->failed || out->failed ? -1 : 0;
}

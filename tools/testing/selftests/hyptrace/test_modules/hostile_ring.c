// SPDX-License-Identifier: GPL-2.0
/*
 * The writer and the swaps of one CPU, while the host overwrites everything that is
 * shared. EL2 must not rely on any of that, so each result and each value that it stores
 * can be predicted. The clock stands still, so that all events have the same size.
 */
#include <linux/ring_buffer_writer.h>
#include <linux/sched.h>
#include <linux/sched_clock.h>
#include <linux/smp.h>

#include "hostile.h"

#define EVENT_ID	0x1234
#define EVENT_SIZE	(RB_PAGE_EVENT_HDR + sizeof(struct remote_rec_selftest))
#define PER_PAGE	(RB_PAGE_DATA_SIZE / EVENT_SIZE)
#define STAMP		0x123456789abcULL
#define TASK		0x5a5a1234

#define MAX_RING	16
/* Where a meta page has its counters, and a sub-buffer its commit */
#define NR_HEADER_WORDS	(sizeof(struct trace_buffer_meta) / sizeof(u64))
#define CLOCK_PAGE	(NR_SCRIBBLED - 1)

/* A sub-buffer: the number of its events, and of those written or dropped before */
struct sub_model {
	u64	first;
	u32	nr;
};

/**
 * struct ring_model - the expected state of the writer
 * @cpu:	its CPU
 * @nr_slots:	sub-buffers in the ring
 * @overwrite:	the mode
 * @full:	the last event was dropped
 * @head:	number of the oldest sub-buffer
 * @tail:	number of the one that is written
 * @entries:	events written
 * @dropped:	events refused
 * @overrun:	events overwritten
 * @lost:	sub-buffers overwritten
 * @closed:	events on those that were left and not overwritten
 * @read:	sub-buffers swapped out
 * @reader:	what the reader has, once it is closed
 * @reader_seq:	its number, or none yet
 * @reader_id:	its id
 * @subs:	by number, modulo
 * @ids:	of the slots
 */
static struct ring_model {
	u32			cpu;
	u32			nr_slots;
	bool			overwrite;
	bool			full;
	u64			head;
	u64			tail;
	u64			entries;
	u64			dropped;
	u64			overrun;
	u64			lost;
	u64			closed;
	u64			read;
	struct sub_model	reader;
	u64			reader_seq;
	u32			reader_id;
	struct sub_model	subs[MAX_RING];
	u32			ids[MAX_RING];
} ring;

#define NO_SEQ		U64_MAX

/* In this round, overwrite shared pages? Otherwise, check them */
static bool scribbling;

static struct trace_buffer_meta *meta(void)
{
	return pool_va(0);
}

static struct rb_page *subbuf(u32 id)
{
	return pool_va(1 + id);
}

static struct sub_model *sub(u64 seq)
{
	return &ring.subs[seq % MAX_RING];
}

static void scribble(struct rng *rng)
{
	u32 page, i, nr = ring.nr_slots + 2;

	for (page = 0; page < nr; page++) {
		u64 *words = pool_va(page);

		for (i = 0; i < NR_HEADER_WORDS; i++)
			WRITE_ONCE(words[i], rng_u64(rng));
		for (; i < PAGE_SIZE / sizeof(*words); i += 1 + rng_below(rng, 32))
			WRITE_ONCE(words[i], rng_u64(rng));
	}
}

static bool is(u64 val, u64 expected, const char *what)
{
	return val == expected || wrong("%s: %llu instead of %llu", what, val, expected);
}

static void model_reset(void)
{
	ring.full = false;
	ring.head = 0;
	ring.tail = 0;
	ring.entries = 0;
	ring.dropped = 0;
	ring.overrun = 0;
	ring.lost = 0;
	ring.closed = 0;
	ring.read = 0;
	ring.reader = (struct sub_model){};
	ring.reader_seq = NO_SEQ;
	*sub(0) = (struct sub_model){};
}

static void model_write(void)
{
	if (ring.full || sub(ring.tail)->nr == PER_PAGE) {
		if (ring.tail + 1 - ring.head == ring.nr_slots) {
			if (!ring.overwrite) {
				ring.full = true;
				ring.dropped++;
				return;
			}
			ring.closed -= sub(ring.head)->nr;
			ring.overrun += sub(ring.head++)->nr;
			ring.lost++;
		}
		ring.full = false;
		ring.closed += sub(ring.tail)->nr;
		*sub(++ring.tail) = (struct sub_model){ .first = ring.entries + ring.dropped };
	}
	sub(ring.tail)->nr++;
	ring.entries++;
}

/* Mostly when the next event needs another sub-buffer, where it would have an effect */
static bool is_time_to_scribble(struct rng *rng)
{
	return scribbling && rng_percent(rng, sub(ring.tail)->nr == PER_PAGE ? 50 : 2);
}

/* EL2 has stored all values that have changed, whatever was there before */
static bool changes_ok(const struct ring_model *old)
{
	const struct trace_buffer_meta *m = meta();

	return (ring.entries == old->entries || is(m->entries, ring.entries, "entries")) &&
	       (ring.dropped == old->dropped || is(m->dropped, ring.dropped, "dropped")) &&
	       (ring.tail == old->tail ||
		(is(m->pages_touched, ring.tail, "pages_touched") &&
		 is(m->closed_bytes, ring.closed * EVENT_SIZE, "closed_bytes"))) &&
	       (ring.lost == old->lost || (is(m->pages_lost, ring.lost, "pages_lost") &&
					   is(m->overrun, ring.overrun, "overrun")));
}

static bool write_event(void)
{
	static struct ring_model old;
	s64 ret;

	old = ring;
	ret = hcall(__hyp_trace_selftest, ring.entries + ring.dropped);
	if (ret)
		return wrong("selftest: %lld", ret);
	model_write();
	return changes_ok(&old);
}

static bool write_events(struct rng *rng)
{
	u32 i, nr = rng_below(rng, rng_percent(rng, 60) ? 4 * PER_PAGE : 40);

	for (i = 0; i < nr; i++) {
		if (!write_event())
			return false;
		if (is_time_to_scribble(rng))
			scribble(rng);
	}
	return true;
}

/* The events of sub-buffer @s are on the page as they were written */
static bool page_ok(const struct rb_page *page, const struct sub_model *s, u64 lost, bool closed)
{
	u64 commit = s->nr * EVENT_SIZE;
	u32 i, words[EVENT_SIZE / 4];

	if (closed && lost)
		commit |= RB_PAGE_MISSED |
			  (s->nr < PER_PAGE ? RB_PAGE_MISSED_STORED : 0);
	if (!is(page->commit, commit, "commit") ||
	    !is(page->time_stamp, s->nr ? STAMP : 0, "stamp"))
		return false;
	for (i = 0; i < s->nr; i++) {
		memcpy(words, page->data + i * EVENT_SIZE, EVENT_SIZE);
		if (!is(words[0], RB_PAGE_EVENT(EVENT_SIZE / 4 - 1, 0), "header of an event") ||
		    !is(words[1], EVENT_ID, "type") || !is(words[2], TASK, "pid") ||
		    !is(words[3], (u32)(s->first + i), "event") || !is(words[4], 0, "event's rest"))
			return false;
	}
	return true;
}

static bool all_meta_ok(void)
{
	const struct trace_buffer_meta *m = meta();

	return is(m->entries, ring.entries, "entries") &&
	       is(m->overrun, ring.overrun, "overrun") &&
	       is(m->dropped, ring.dropped, "dropped") &&
	       is(m->pages_touched, ring.tail, "pages_touched") &&
	       is(m->pages_lost, ring.lost, "pages_lost") &&
	       is(m->pages_read, ring.read, "pages_read") &&
	       is(m->closed_bytes, ring.closed * EVENT_SIZE, "closed_bytes") &&
	       is(m->reader.id, ring.reader_id, "reader.id");
}

/* The swap was won by the reader */
static bool check_swap(void)
{
	u64 end = ring.reader.first + ring.reader.nr, seq = ring.head++;
	u32 *id = &ring.ids[seq % ring.nr_slots];
	bool closed = ring.tail != seq;
	u64 lost;

	swap(*id, ring.reader_id);
	ring.reader_seq = seq;
	ring.read++;
	lost = sub(seq)->first - end;
	if (!is(meta()->reader.id, ring.reader_id, "reader.id") ||
	    !is(meta()->reader.lost_events, lost, "lost_events") ||
	    !is(meta()->reader_entries, closed ? sub(seq)->nr : 0, "reader_entries") ||
	    !is(meta()->pages_read, ring.read, "pages_read") ||
	    !is(meta()->pages_gone, seq + 1, "pages_gone"))
		return false;
	if (scribbling)
		return true;
	return page_ok(subbuf(ring.reader_id), sub(seq), lost, closed) && all_meta_ok();
}

static bool swap_reader(struct rng *rng)
{
	s64 ret, expected = RB_SWAP_DONE;
	u32 seen;

	if (ring.reader_seq != NO_SEQ)
		ring.reader = *sub(ring.reader_seq);
	seen = ring.reader.nr * EVENT_SIZE;
	if (rng_percent(rng, 20))
		seen = rng_u64(rng) | 1;

	if (ring.tail + 1 == ring.head)
		expected = RB_SWAP_NOTHING;
	else if (seen & 1)
		expected = RB_SWAP_MORE;
	ret = hcall(__hyp_trace_swap_reader, ring.cpu, seen);
	if (ret != expected)
		return wrong("swap: %lld instead of %lld", ret, expected);
	return ret != RB_SWAP_DONE || check_swap();
}

static bool switch_mode(struct rng *rng)
{
	u32 flags = HYP_TRACE_ON | (rng_below(rng, 2) ? HYP_TRACE_OVERWRITE : 0);
	s64 ret = hcall(__hyp_trace_enable, flags);

	if (ret)
		return wrong("enable: %lld", ret);
	ring.overwrite = flags & HYP_TRACE_OVERWRITE;
	return true;
}

static bool reset_ring(struct rng *rng)
{
	s64 ret = hcall(__hyp_trace_reset, ring.cpu);

	if (ret)
		return wrong("reset: %lld", ret);
	model_reset();
	return true;
}

/* The host cannot take a page to which EL2 writes */
static bool steal(struct rng *rng)
{
	u32 lent = rng_below(rng, ring.nr_slots + 2), given = NR_SCRIBBLED + 2 * ring.cpu;
	s64 ret = hcall(__pkvm_host_unshare_hyp, pool_pfn(lent));

	if (ret != -EBUSY)
		return wrong("unsharing a loaded page: %lld", ret);
	ret = hcall(__pkvm_host_share_hyp, pool_pfn(given + rng_below(rng, 2)));
	return ret == -EPERM || wrong("sharing a page of EL2's: %lld", ret);
}

/* A clock that stands still, and a task */
static bool set_clock(void)
{
	struct clock_read_data *banks = pool_va(CLOCK_PAGE);
	u32 *latch = pool_va(CLOCK_PAGE) + PAGE_SIZE / 2;
	struct hyp_trace_task *tasks = clock_tasks(pool_va(CLOCK_PAGE));
	s64 ret;

	memset(pool_va(CLOCK_PAGE), 0, PAGE_SIZE);
	banks[0].epoch_ns = STAMP;
	banks[1].epoch_ns = STAMP;
	tasks[ring.cpu].word.pid = TASK;
	ret = hcall(__pkvm_host_share_hyp, pool_pfn(CLOCK_PAGE)) ?:
	      hcall(__hyp_trace_set_clock, HYP_CLOCK_SCHED, (u64)latch, (u64)banks, 0, 0,
		    (u64)tasks);
	return !ret || wrong("setting the clock: %lld", ret);
}

static bool start(struct rng *rng)
{
	u32 id;

	scribbling = rng_percent(rng, 60);
	ring = (struct ring_model){
		.cpu		= smp_processor_id(),
		/* Mostly few, so that a round fills them several times */
		.nr_slots	= 2 + (rng_percent(rng, 75) ? 0 : rng_below(rng, 6)),
	};
	for (id = 0; id < ring.nr_slots; id++)
		ring.ids[id] = id + 1;
	model_reset();

	if (hcall(__hyp_trace_enable_event, HYP_EVENT_selftest, EVENT_ID))
		return wrong("no event");
	return set_clock() && load_cpu(ring.cpu, 0, ring.nr_slots + 1) && switch_mode(rng);
}

static bool (*const steps[])(struct rng *rng) = {
	write_events, write_events, write_events, swap_reader, swap_reader, swap_reader,
	switch_mode, reset_ring, steal,
};

bool ring_round(void)
{
	struct rng *rng = &hostile.rng;

	guard(migrate)();
	if (!start(rng))
		return false;
	while (atomic_read(&hostile.nr_calls) < hostile.want) {
		/* Resets are rare, so that the ring gets full */
		u32 step = rng_below(rng, ARRAY_SIZE(steps));

		if (steps[step] == reset_ring && rng_percent(rng, 80))
			continue;
		if (!steps[step](rng))
			return false;
	}
	return true;
}

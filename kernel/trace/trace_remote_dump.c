// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the last events of a buffer with a remote writer; see trace_remote_dump.h.
 *
 * The readers of ring_buffer.c take locks, which may be held by a CPU that has been
 * stopped, and they trust the pages. Here the pages may be damaged, and may be
 * written at the same time. So each word is read once, checked, and then used; a
 * record is copied, and dropped if its sub-buffer was overwritten meanwhile.
 *
 * Events cannot be read backwards. So the last events of a CPU are found by counting
 * those of each sub-buffer, from the last sub-buffer back, until there are enough.
 */
#include <linux/minmax.h>
#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/ring_buffer_writer.h>
#include <linux/string.h>

#include "trace_remote_dump.h"

/* Zeroes after the record: in a damaged one, a format may take more arguments than it has */
#define REC_SLACK	256

/**
 * struct dump_pos - a place in the buffer of a CPU
 * @buffer:	the buffer
 * @cpu:	CPU
 * @head:	number of the oldest sub-buffer of the ring; @head - 1 stands for the reader's
 * @tail:	number of the last one
 * @number:	number of the sub-buffer
 * @page:	the sub-buffer; NULL after the last event
 * @from:	offset of its first event that was not consumed
 * @pos:	offset of the event, or of the next one to be found
 * @end:	where its events end
 * @hdr:	bytes of the event's header
 * @size:	bytes of the event's record; 0 if it is damaged
 * @ts:		timestamp of the event
 */
struct dump_pos {
	struct trace_buffer	*buffer;
	int			cpu;
	u64			head;
	u64			tail;
	u64			number;
	const struct rb_page	*page;
	u32			from;
	u32			pos;
	u32			end;
	u32			hdr;
	u32			size;
	u64			ts;
};

static DEFINE_PER_CPU(struct dump_pos, dump_positions);
static u8 dump_rec[RB_WRITER_MAX_LONG + REC_SLACK] __aligned(8);

static void dump_open(struct dump_pos *p, u64 number)
{
	unsigned long commit;

	p->number = number;
	p->page = number == p->head - 1 ?
		  ring_buffer_remote_look_reader(p->buffer, p->cpu, &p->from) :
		  ring_buffer_remote_look(p->buffer, p->cpu, number, &p->from);
	commit = READ_ONCE(p->page->commit) & ~(RB_PAGE_MISSED | RB_PAGE_MISSED_STORED);
	smp_rmb(); /* Pairs with A: the events are there */
	p->ts = READ_ONCE(p->page->time_stamp);
	p->pos = 0;
	/* Too large a commit stays too large by one, for dump_find() to notice */
	p->end = min(commit, RB_PAGE_DATA_SIZE + 1);
}

/* Is the sub-buffer still what it was when it was opened? */
static bool dump_is_there(struct dump_pos *p)
{
	u64 head, tail;

	smp_rmb(); /* Pairs with D, by way of the meta page: the record was read before */
	ring_buffer_remote_range(p->buffer, p->cpu, &head, &tail);
	return p->number == p->head - 1 || p->number - head <= tail - head;
}

/* The rest of the sub-buffer is damaged: it counts as one event of size 0 */
static bool dump_damaged(struct dump_pos *p)
{
	p->size = 0;
	p->pos = p->end;
	return true;
}

/* Can a record have this size? */
static bool is_size(u32 size)
{
	return size && size <= RB_WRITER_MAX_LONG && !(size % sizeof(u32));
}

/* Find the event at @p->pos or after it; false at the end of the sub-buffer */
static bool dump_find(struct dump_pos *p)
{
	u32 word, type_len, size;

	if (p->end > RB_PAGE_DATA_SIZE && p->pos < p->end)
		return dump_damaged(p);

	for (; p->pos < p->end; p->pos += size) {
		const u32 *event = (const void *)(p->page->data + p->pos);
		u32 left = p->end - p->pos;

		if (left < RB_PAGE_TIME_EXTEND_LEN)
			return dump_damaged(p);
		word = READ_ONCE(event[0]);
		type_len = word & 31;
		p->ts += word >> 5;
		if (type_len == RB_PAGE_TYPE_TIME_EXTEND) {
			p->ts += (u64)READ_ONCE(event[1]) << RB_PAGE_DELTA_BITS;
			size = RB_PAGE_TIME_EXTEND_LEN;
			continue;
		}

		p->hdr = RB_PAGE_EVENT_HDR;
		size = RB_PAGE_EVENT_HDR + 4 * type_len;
		if (type_len == RB_PAGE_TYPE_LONG) {
			p->hdr = RB_PAGE_LONG_HDR;
			size = RB_PAGE_EVENT_HDR + READ_ONCE(event[1]);
		}
		if (type_len > RB_PAGE_MAX_TYPE_LEN || !is_size(size - p->hdr) || size > left)
			return dump_damaged(p);
		if (p->pos < p->from)
			continue;
		p->size = size - p->hdr;
		return true;
	}
	return false;
}

/* Move past the event that was found */
static void dump_skip(struct dump_pos *p)
{
	if (p->size)
		p->pos += p->hdr + p->size;
}

/* Find the next event in this sub-buffer or a later one */
static void dump_next(struct dump_pos *p)
{
	while (!dump_find(p)) {
		if (p->number == p->tail) {
			p->page = NULL;
			return;
		}
		dump_open(p, p->number + 1);
	}
}

static unsigned long dump_count(struct dump_pos *p)
{
	unsigned long nr;

	for (nr = 0; dump_find(p); nr++)
		dump_skip(p);
	touch_nmi_watchdog();
	return nr;
}

/* Go back until there are @max events, or to the oldest; return how many there are */
static unsigned long dump_seek(struct dump_pos *p, unsigned long max)
{
	unsigned long nr = 0;
	u64 number;

	ring_buffer_remote_range(p->buffer, p->cpu, &p->head, &p->tail);
	for (number = p->tail;; number--) {
		dump_open(p, number);
		nr += dump_count(p);
		if (number == p->head - 1 || (max && nr >= max))
			break;
	}
	dump_open(p, number);
	dump_next(p);
	return nr;
}

/* The CPU with the oldest event, or NULL if there is none left */
static struct dump_pos *dump_oldest(struct trace_buffer *buffer, int only_cpu)
{
	struct dump_pos *p, *oldest = NULL;
	int cpu;

	for_each_cpu(cpu, ring_buffer_remote_cpus(buffer)) {
		p = per_cpu_ptr(&dump_positions, cpu);
		if (only_cpu != RING_BUFFER_ALL_CPUS && only_cpu != cpu)
			continue;
		if (p->page && (!oldest || p->ts < oldest->ts))
			oldest = p;
	}
	return oldest;
}

/* Pass the event to @fn; false if it was overwritten */
static bool dump_one(struct dump_pos *p, remote_dump_fn fn, void *data)
{
	const void *rec = p->page->data + p->pos + p->hdr;

	memset(dump_rec, 0, sizeof(dump_rec));
	memcpy(dump_rec, rec, p->size);
	if (!dump_is_there(p))
		return false;
	fn(p->cpu, p->ts, dump_rec, p->size, data);
	touch_nmi_watchdog();
	return true;
}

unsigned long remote_dump_events(struct trace_buffer *buffer, int only_cpu, unsigned long max,
				 remote_dump_fn fn, void *data)
{
	unsigned long total = 0, nr = 0;
	struct dump_pos *p;
	int cpu;

	for_each_cpu(cpu, ring_buffer_remote_cpus(buffer)) {
		if (only_cpu != RING_BUFFER_ALL_CPUS && only_cpu != cpu)
			continue;
		p = per_cpu_ptr(&dump_positions, cpu);
		p->buffer = buffer;
		p->cpu = cpu;
		total += dump_seek(p, max);
	}

	for (; (p = dump_oldest(buffer, only_cpu)); total--) {
		if (!max || total <= max)
			nr += dump_one(p, fn, data);
		dump_skip(p);
		dump_next(p);
	}
	return nr;
}

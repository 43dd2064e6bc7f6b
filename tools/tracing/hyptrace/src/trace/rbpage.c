// SPDX-License-Identifier: GPL-2.0
/*
 * One sub-buffer of a tracefs ring buffer. See rbpage.h, and
 * include/linux/ring_buffer.h for the event encoding.
 */
#include <string.h>

#include "trace/rbpage.h"

#define TS_SHIFT		27
/* An absolute timestamp has 59 bits; the rest comes from the previous one */
#define ABS_TS_BITS		59
#define ABS_TS_TOP		(~0ULL << ABS_TS_BITS)

enum type_len {
	LEN_IN_ARRAY	= 0,
	PADDING		= 29,
	TIME_EXTEND	= 30,
	TIME_STAMP	= 31,
};

static u32 get32(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static u64 get64(const void *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static int set_lost(struct rbpage *p, u32 commit, size_t capacity)
{
	if (!(commit & RBPAGE_MISSED_EVENTS))
		return 0;
	p->lost = RBPAGE_LOST_UNKNOWN;
	if (!(commit & RBPAGE_MISSED_STORED))
		return 0;
	if (capacity - p->size < sizeof(u64))
		return -1;
	p->lost = get64(p->data + p->size);
	return 0;
}

int rbpage_init(struct rbpage *p, const void *subbuf, size_t subbuf_size)
{
	const u8 *base = subbuf;
	u32 commit;

	if (subbuf_size < RBPAGE_HEADER)
		return -1;
	/* the upper half is 0, or ones: the kernel adds bit 31 as a signed int */
	commit = get32(base + 8);
	memset(p, 0, sizeof(*p));
	if ((commit & ~RBPAGE_MISSED_MASK) > subbuf_size - RBPAGE_HEADER)
		return -1;
	p->data = base + RBPAGE_HEADER;
	p->size = commit & ~RBPAGE_MISSED_MASK;
	p->ts = get64(base);
	return set_lost(p, commit, subbuf_size - RBPAGE_HEADER);
}

void rbpage_grow(struct rbpage *p, const void *subbuf, size_t subbuf_size)
{
	struct rbpage now;

	if (!rbpage_init(&now, subbuf, subbuf_size) && now.size > p->size) {
		p->data = now.data;
		p->size = now.size;
	}
}

/* The word behind the event header, if it is inside the page */
static int second_word(const struct rbpage *p, u32 *word)
{
	if (p->size - p->pos < 8)
		return -1;
	*word = get32(p->data + p->pos + 4);
	return 0;
}

static u64 absolute_ts(u64 before, u64 ts)
{
	u64 top = before & ABS_TS_TOP;

	if (!top)
		return ts;
	ts |= top;
	/* the low part has wrapped around since @before */
	if (ts < before)
		ts += 1ULL << ABS_TS_BITS;
	return ts;
}

static int take_time(struct rbpage *p, u32 type, u32 delta)
{
	u32 word;
	u64 ts;

	if (second_word(p, &word))
		return -1;
	ts = ((u64)word << TS_SHIFT) + delta;
	p->ts = type == TIME_STAMP ? absolute_ts(p->ts, ts) : p->ts + ts;
	p->pos += 8;
	return 0;
}

/*
 * A discarded event, which keeps its delta because the writer counted it; or
 * with a delta of 0 the unused rest of the page, with 1 a filler.
 */
static int take_padding(struct rbpage *p, u32 delta)
{
	u32 word;

	if (!delta) {
		p->pos = p->size;
		return 0;
	}
	if (second_word(p, &word) || word > p->size - p->pos - 4)
		return -1;
	p->ts += delta == 1 ? 0 : delta;
	p->pos += 4 + word;
	return 0;
}

static int take_data(struct rbpage *p, u32 len, u32 delta,
		     struct rbevent *ev)
{
	u32 head = 4, left = p->size - p->pos;

	if (len == LEN_IN_ARRAY) {
		if (second_word(p, &len) || len < 4)
			return -1;
		len -= 4;
		head = 8;
	} else {
		len *= 4;
	}
	if (len > left - head)
		return -1;
	p->ts += delta;
	ev->ts = p->ts;
	ev->data = p->data + p->pos + head;
	ev->size = len;
	len = (len + 3) & ~3u;
	p->pos = len > left - head ? p->size : p->pos + head + len;
	return 1;
}

/* Return: 1 an event, 0 something that only moves the position, -1 corrupt */
static int step(struct rbpage *p, struct rbevent *ev)
{
	u32 word, type, delta;

	if (p->size - p->pos < 4)
		return -1;
	word = get32(p->data + p->pos);
	type = word & 31;
	delta = word >> 5;
	switch (type) {
	case PADDING:
		return take_padding(p, delta);
	case TIME_EXTEND:
	case TIME_STAMP:
		return take_time(p, type, delta);
	default:
		return take_data(p, type, delta, ev);
	}
}

int rbpage_next(struct rbpage *p, struct rbevent *ev)
{
	int ret = 0;

	while (!ret && p->pos < p->size)
		ret = step(p, ev);
	return ret;
}

int rbpage_skip_to(struct rbpage *p, u32 pos)
{
	struct rbevent ev;

	while (p->pos < pos && p->pos < p->size) {
		if (step(p, &ev) < 0)
			return -1;
	}
	return p->pos == pos ? 0 : -1;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The mapped reader.
 *
 * The kernel maps a meta page and all sub-buffers read-only. One sub-buffer,
 * meta->reader.id, is the reader's: it is out of the writer's ring. The ioctl
 * GET_READER does one of three things:
 *
 *  GREW	The reader sub-buffer holds more than was consumed: it counts as
 *		consumed up to its commit, which becomes meta->reader.read.
 *		This happens while the writer still fills that sub-buffer.
 *  NEW		All of it was consumed and the writer has left it: it goes back
 *		into the ring, empty. The oldest full one is taken out and
 *		counts as consumed up to its commit.
 *  SAME	There is nothing new.
 *
 * A reader learns that a sub-buffer is complete only by the NEW that takes it
 * away. But NEW can only follow when the previous call reported everything in
 * it. So it is enough to have all of [0, reader.read) on disk before the next
 * ioctl:
 *
 *	ioctl		NEW	write the sub-buffer into the next slot
 *			GREW	write the sub-buffer into its slot again
 *			SAME	done for now
 *
 * A slot has the size of a sub-buffer and a fixed place in the file. So the file is
 * valid after each write and never has an event twice. The cost is that a
 * sub-buffer is written several times if it is read while it fills; the caller
 * limits this by not reading too often.
 *
 * A slot is written with one pwritev(): a header made here, the events right
 * from the mapping, zeros up to the sub-buffer's end. The header is made here
 * because the mapped commit may be ahead of reader.read by the time it is
 * copied, and because it must have the number of lost events: some writers put it
 * into the page (RB_MISSED_*), some only into meta->reader.lost_events.
 *
 * Everything in the mapping is checked before it is used as an index or size.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/util.h"
#include "record/follow.h"
#include "trace/rbpage.h"

/*
 * As struct trace_buffer_meta in include/uapi/linux/trace_mmap.h; repeated
 * because the headers of the C library are often older than 6.10.
 */
struct meta {
	u32 meta_page_size;
	u32 meta_struct_len;
	u32 subbuf_size;
	u32 nr_subbufs;
	struct {
		u64 lost_events;
		u32 id;
		u32 read;
	} reader;
	u64 flags;
	u64 entries;
	u64 overrun;
	u64 read;
};

#define GET_READER		_IO('R', 0x20)

#define MAX_SUBBUF_SIZE		BIT(20)
#define MAX_SUBBUFS		BIT(24)

enum reader_move { SAME, GREW, NEW };

/**
 * struct slot - the sub-buffer that is being copied
 * @id:		its id, NO_SLOT before the first
 * @read:	bytes of events that are in the file
 * @skip:	bytes of events at the front that were consumed before the start
 * @base_ts:	timestamp behind @skip
 * @lost:	events lost before it
 */
struct slot {
	u32 id;
	u32 read;
	u32 skip;
	u64 base_ts;
	u64 lost;
};

#define NO_SLOT			UINT32_MAX

struct follower {
	char *path;
	int fd;
	follow_sink sink;
	void *sink_ctx;
	const struct meta *meta;
	const u8 *subbufs;
	size_t map_size;
	u32 subbuf_size;
	u32 nr_subbufs;
	u8 *zeros;
	struct slot slot;
	u64 nr_slots;	/* in the file, with the current one */
	u64 from;	/* sub-buffers that end before are left out; 0 for none */
	u64 in_slot;	/* events in the current one, if some are left out */
	u64 left_out;	/* before the current one, with what was lost before these */
	u64 skipped;	/* left out in all */
	u64 since;	/* when the first one began, if events were overwritten before it */
	struct follow_counts start;
	char error[256];
};

/* For follower_error(). Return: -1 always. */
static int __printf(2, 3)
set_error(struct follower *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(f->error, sizeof(f->error), fmt, args);
	va_end(args);
	return -1;
}

static int map_failed(const struct follower *f, int err)
{
	if (err == ENODEV || err == ENOTTY) {
		log_error("cannot map %s: needs a kernel that can map trace_pipe_raw (6.10 or later)",
			  f->path);
		return -1;
	}
	if (err == EBUSY)
		return log_error("cannot map %s: the buffer is in use by a snapshot or another program",
				 f->path);
	return log_error("cannot map %s: %s", f->path, strerror(err));
}

/* Read the sizes from the meta page, which is mapped just for this */
static int read_geometry(struct follower *f, u32 *meta_size)
{
	size_t page = sysconf(_SC_PAGESIZE);
	const struct meta *m;

	m = mmap(NULL, page, PROT_READ, MAP_SHARED, f->fd, 0);
	if (m == MAP_FAILED)
		return map_failed(f, errno);
	*meta_size = m->meta_page_size;
	f->subbuf_size = m->subbuf_size;
	f->nr_subbufs = m->nr_subbufs;
	munmap((void *)m, page);
	if (*meta_size < sizeof(*m) || *meta_size > MAX_SUBBUF_SIZE ||
	    f->subbuf_size <= RBPAGE_HEADER ||
	    f->subbuf_size > MAX_SUBBUF_SIZE ||
	    !f->nr_subbufs || f->nr_subbufs > MAX_SUBBUFS)
		return log_error("%s: invalid meta page: %u sub-buffers of %u bytes",
				 f->path, f->nr_subbufs, f->subbuf_size);
	return 0;
}

static int map_buffer(struct follower *f)
{
	u32 meta_size = 0;
	void *map;

	if (read_geometry(f, &meta_size))
		return -1;
	f->map_size = meta_size + (size_t)f->nr_subbufs * f->subbuf_size;
	map = mmap(NULL, f->map_size, PROT_READ, MAP_SHARED, f->fd, 0);
	if (map == MAP_FAILED)
		return map_failed(f, errno);
	f->meta = map;
	f->subbufs = (u8 *)map + meta_size;
	f->zeros = calloc(1, f->subbuf_size);
	return f->zeros ? 0 : log_oom();
}

static const u8 *subbuf(const struct follower *f, u32 id)
{
	return f->subbufs + (size_t)id * f->subbuf_size;
}

/*
 * The reader sub-buffer may hold events that another reader has consumed before:
 * the file starts behind them.
 */
static int skip_consumed(struct follower *f)
{
	u32 id = READ_ONCE(f->meta->reader.id), read = READ_ONCE(f->meta->reader.read);
	struct rbpage p;

	f->slot.id = NO_SLOT;
	if (!read)
		return 0;
	if (id >= f->nr_subbufs ||
	    rbpage_init(&p, subbuf(f, id), f->subbuf_size) ||
	    rbpage_skip_to(&p, read)) {
		log_error("%s: invalid meta page: read position is byte %u of sub-buffer %u, where no event starts",
			  f->path, read, id);
		return -1;
	}
	f->slot = (struct slot) {
		.id = id, .read = read, .skip = read, .base_ts = p.ts,
	};
	return 0;
}

struct follower *follower_open(const char *raw_path)
{
	struct follower *f = calloc(1, sizeof(*f));

	if (!f) {
		log_oom();
		return NULL;
	}
	f->fd = open(raw_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	f->path = xasprintf("%s", raw_path);
	if (!f->path)
		goto fail;
	if (f->fd < 0) {
		log_error("cannot open %s: %s", raw_path, strerror(errno));
		goto fail;
	}
	if (map_buffer(f) || skip_consumed(f))
		goto fail;
	f->start.written = READ_ONCE(f->meta->entries);
	f->start.overrun = READ_ONCE(f->meta->overrun);
	f->start.read = READ_ONCE(f->meta->read);
	return f;
fail:
	follower_close(f);
	return NULL;
}

void follower_close(struct follower *f)
{
	if (!f)
		return;
	if (f->meta)
		munmap((void *)f->meta, f->map_size);
	if (f->fd >= 0)
		close(f->fd);
	free(f->zeros);
	free(f->path);
	free(f);
}

void follower_set_sink(struct follower *f, follow_sink sink, void *ctx)
{
	f->sink = sink;
	f->sink_ctx = ctx;
}

int follower_poll_fd(const struct follower *f)
{
	return f->fd;
}

u32 follower_subbuf_size(const struct follower *f)
{
	return f->subbuf_size;
}

/*
 * The loss that the page itself reports, if it does. A page gets its marks
 * before the ioctl that hands it out returns, and keeps them.
 */
static void loss_from_page(struct follower *f)
{
	struct slot *s = &f->slot;
	struct rbpage p;

	if (s->skip || rbpage_init(&p, subbuf(f, s->id), f->subbuf_size))
		return;
	if (p.lost)
		s->lost = p.lost;
}

/* Fill in the header; the count of lost events goes to @tail if it has room */
static u32 make_header(const struct follower *f, u64 header[2], u64 *tail)
{
	const struct slot *s = &f->slot;
	u32 size = s->read - s->skip;
	u64 lost = s->lost == RBPAGE_LOST_UNKNOWN ? s->lost : s->lost + f->left_out;

	if (s->skip)
		header[0] = s->base_ts;
	else
		memcpy(&header[0], subbuf(f, s->id), sizeof(header[0]));
	header[1] = size;
	if (!lost)
		return 0;
	header[1] |= RBPAGE_MISSED_EVENTS;
	if (lost == RBPAGE_LOST_UNKNOWN ||
	    f->subbuf_size - RBPAGE_HEADER - size < sizeof(*tail))
		return 0;
	header[1] |= RBPAGE_MISSED_STORED;
	*tail = lost;
	return sizeof(*tail);
}

static int write_slot(struct follower *f)
{
	const struct slot *s = &f->slot;
	const u8 *events = subbuf(f, s->id) + RBPAGE_HEADER + s->skip;
	u32 size = s->read - s->skip, tail_size;
	u64 header[2], tail;
	struct iovec iov[4];

	tail_size = make_header(f, header, &tail);
	iov[0] = (struct iovec) { header, RBPAGE_HEADER };
	iov[1] = (struct iovec) { (void *)events, size };
	iov[2] = (struct iovec) { &tail, tail_size };
	iov[3] = (struct iovec) {
		f->zeros, f->subbuf_size - RBPAGE_HEADER - size - tail_size,
	};
	if (f->sink(f->sink_ctx, f->nr_slots - 1, iov, ARRAY_SIZE(iov)))
		return set_error(f, "cannot write the trace data: %s",
				 strerror(errno));
	return 0;
}

/* Get the next data, and find out what the kernel did. Return: -1 on errors. */
static int get_reader(struct follower *f)
{
	struct slot *s = &f->slot;
	u32 id, read;

	if (ioctl(f->fd, GET_READER) && errno != EAGAIN && errno != EINTR)
		return set_error(f, "cannot read from %s: %s", f->path,
				 strerror(errno));
	id = READ_ONCE(f->meta->reader.id);
	read = READ_ONCE(f->meta->reader.read);
	if (id >= f->nr_subbufs || read > f->subbuf_size - RBPAGE_HEADER)
		return set_error(f, "%s: invalid meta page: %u bytes in sub-buffer %u",
				 f->path, read, id);
	if (id == s->id && read == s->read)
		return SAME;
	if (id == s->id && read > s->read) {
		s->read = read;
		return GREW;
	}
	if (!read)
		return SAME;
	*s = (struct slot) {
		.id = id, .read = read, .lost = READ_ONCE(f->meta->reader.lost_events),
	};
	return NEW;
}

/*
 * A first GREW needs a new slot if the events that were in the sub-buffer before
 * were skipped, see skip_consumed().
 */
static bool needs_slot(const struct follower *f, enum reader_move move)
{
	return move == NEW || !f->nr_slots;
}

static u64 page_ts(const struct follower *f)
{
	u64 ts;

	memcpy(&ts, subbuf(f, f->slot.id), sizeof(ts));
	return ts;
}

static u64 count_events(const struct follower *f)
{
	const struct slot *s = &f->slot;
	struct rbevent ev;
	struct rbpage p;
	u64 nr = 0;

	if (rbpage_init(&p, subbuf(f, s->id), f->subbuf_size) || rbpage_skip_to(&p, s->skip))
		return 0;
	while (p.pos < s->read && rbpage_next(&p, &ev) > 0)
		nr++;
	return nr;
}

/*
 * The sub-buffer follows another one. If all of that is too old, this one takes its slot. @lost
 * were lost before that one.
 */
static bool replaces_last(struct follower *f, u64 lost)
{
	if (!f->from || !f->nr_slots || page_ts(f) > f->from) {
		f->left_out = 0;
		return false;
	}
	f->left_out += f->in_slot + (lost == RBPAGE_LOST_UNKNOWN ? 0 : lost);
	f->skipped += f->in_slot;
	return true;
}

/* @lost: before the last one */
static int copy_subbuf(struct follower *f, enum reader_move move, u64 lost)
{
	bool replaces = move == NEW && replaces_last(f, lost);

	/* pairs with follower_final(): what the slots before have is in the file */
	if (!replaces && needs_slot(f, move))
		__atomic_store_n(&f->nr_slots, f->nr_slots + 1,
				 __ATOMIC_RELEASE);
	loss_from_page(f);
	if (f->nr_slots == 1)
		f->since = f->slot.lost && !f->left_out ? page_ts(f) : 0;
	if (f->from)
		f->in_slot = count_events(f);
	return write_slot(f);
}

int follower_drain(struct follower *f, bool all, unsigned int *percent)
{
	u64 taken = 0, lost;
	int move;

	do {
		lost = f->slot.lost;
		move = get_reader(f);
		if (move < 0)
			return -1;
		if (move == SAME)
			break;
		if (copy_subbuf(f, move, lost))
			return -1;
		taken++;
		/*
		 * A sub-buffer that only grew is read again if there may be more
		 * behind it: always at the end, else once.
		 */
	} while (move == NEW || (move == GREW && (all || taken == 1)));
	*percent = (100 * taken + f->nr_subbufs - 1) / f->nr_subbufs;
	return 0;
}

void follower_keep_from(struct follower *f, u64 ts)
{
	f->from = ts;
}

u64 follower_skipped(const struct follower *f)
{
	return f->skipped;
}

u64 follower_since(const struct follower *f)
{
	return f->since;
}

const char *follower_error(const struct follower *f)
{
	return f->error;
}

u64 follower_bytes(const struct follower *f)
{
	return __atomic_load_n(&f->nr_slots, __ATOMIC_RELAXED) *
	       f->subbuf_size;
}

u64 follower_final(const struct follower *f)
{
	u64 nr = __atomic_load_n(&f->nr_slots, __ATOMIC_ACQUIRE);

	return nr ? (nr - 1) * f->subbuf_size : 0;
}

void follower_live(const struct follower *f, struct follow_counts *c)
{
	const struct follow_counts *s = &f->start;

	c->overrun = READ_ONCE(f->meta->overrun) - s->overrun;
	c->read = READ_ONCE(f->meta->read) - s->read;
	/* events that were in the buffer at the start are read, too */
	c->written = READ_ONCE(f->meta->entries) - s->overrun - s->read;
}

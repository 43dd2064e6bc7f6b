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
 *		into the ring, empty, and the oldest full one comes out and
 *		counts as consumed up to its commit.
 *  SAME	There is nothing new.
 *
 * Nothing tells a reader that a sub-buffer is complete, except the NEW that
 * takes it away. But NEW can only follow when the previous call reported
 * everything in it. So it is enough to have all of [0, reader.read) on disk
 * before the next ioctl:
 *
 *	ioctl		NEW	write the sub-buffer into the next slot
 *			GREW	write the sub-buffer into its slot again
 *			SAME	done for now
 *
 * A slot is sub-buffer sized and has a fixed place in the file, so the file is
 * valid after each write and never has an event twice. The cost is that a
 * sub-buffer is written more than once if it is looked at while it fills; the
 * caller limits that by not looking too often.
 *
 * A slot is written with one pwritev(): a header made here, the events right
 * from the mapping, zeros up to the sub-buffer's end. The header is made here
 * because the mapped commit may be ahead of reader.read by the time it is
 * copied, and because a loss must be stored in it: some writers put it into
 * the page (RB_MISSED_*), some only into meta->reader.lost_events.
 *
 * Everything in the mapping is checked before it is used as an index or size.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "follow.h"
#include "log.h"
#include "rbpage.h"
#include "util.h"

/*
 * As struct trace_buffer_meta in include/uapi/linux/trace_mmap.h; repeated
 * because the headers of the C library are often older than 6.10.
 */
struct meta {
	uint32_t meta_page_size;
	uint32_t meta_struct_len;
	uint32_t subbuf_size;
	uint32_t nr_subbufs;
	struct {
		uint64_t lost_events;
		uint32_t id;
		uint32_t read;
	} reader;
	uint64_t flags;
	uint64_t entries;
	uint64_t overrun;
	uint64_t read;
};

#define GET_READER		_IO('R', 0x20)

#define MAX_SUBBUF_SIZE		(1u << 20)
#define MAX_SUBBUFS		(1u << 24)

enum reader_move { SAME, GREW, NEW };

/**
 * struct slot - the sub-buffer that is being copied
 * @id:		its id, NO_SLOT before the first
 * @read:	bytes of events that are in the file
 * @skip:	bytes of events in front that were consumed before the start
 * @base_ts:	time stamp behind @skip
 * @lost:	events lost before it
 */
struct slot {
	uint32_t id;
	uint32_t read;
	uint32_t skip;
	uint64_t base_ts;
	uint64_t lost;
};

#define NO_SLOT			UINT32_MAX

struct follower {
	char *path;
	int fd;
	int out;
	const volatile struct meta *meta;
	const uint8_t *subbufs;
	size_t map_size;
	uint32_t subbuf_size;
	uint32_t nr_subbufs;
	uint8_t *zeros;
	struct slot slot;
	uint64_t nr_slots;	/* in the file, with the current one */
	struct follow_counts start;
};

static int map_failed(const struct follower *f, int err)
{
	if (err == ENODEV || err == ENOTTY)
		return log_error("cannot map %s: want a kernel whose trace_pipe_raw can be mapped (6.10 or later)",
				 f->path);
	if (err == EBUSY)
		return log_error("cannot map %s: a snapshot or another user holds the buffer",
				 f->path);
	return log_error("cannot map %s: %s", f->path, strerror(err));
}

/* Read the sizes from the meta page, which is mapped for that alone */
static int read_geometry(struct follower *f, uint32_t *meta_size)
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
		return log_error("%s: nonsense in the meta page: %u sub-buffers of %u bytes",
				 f->path, f->nr_subbufs, f->subbuf_size);
	return 0;
}

static int map_buffer(struct follower *f)
{
	uint32_t meta_size = 0;
	void *map;

	if (read_geometry(f, &meta_size))
		return -1;
	f->map_size = meta_size + (size_t)f->nr_subbufs * f->subbuf_size;
	map = mmap(NULL, f->map_size, PROT_READ, MAP_SHARED, f->fd, 0);
	if (map == MAP_FAILED)
		return map_failed(f, errno);
	f->meta = map;
	f->subbufs = (uint8_t *)map + meta_size;
	f->zeros = calloc(1, f->subbuf_size);
	return f->zeros ? 0 : log_oom();
}

static const uint8_t *subbuf(const struct follower *f, uint32_t id)
{
	return f->subbufs + (size_t)id * f->subbuf_size;
}

/*
 * The reader sub-buffer may hold events that somebody consumed before: the
 * file shall start behind them.
 */
static int skip_consumed(struct follower *f)
{
	uint32_t id = f->meta->reader.id, read = f->meta->reader.read;
	struct rbpage p;

	f->slot.id = NO_SLOT;
	if (!read)
		return 0;
	if (id >= f->nr_subbufs ||
	    rbpage_init(&p, subbuf(f, id), f->subbuf_size) ||
	    rbpage_skip_to(&p, read))
		return log_error("%s: the reader stands at byte %u of sub-buffer %u, where no event starts",
				 f->path, read, id);
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
	f->out = -1;
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
	f->start.written = f->meta->entries;
	f->start.overrun = f->meta->overrun;
	f->start.read = f->meta->read;
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

void follower_set_output(struct follower *f, int fd)
{
	f->out = fd;
}

int follower_poll_fd(const struct follower *f)
{
	return f->fd;
}

uint32_t follower_subbuf_size(const struct follower *f)
{
	return f->subbuf_size;
}

/* All of @iov to @pos. Return: 0, or an errno. */
static int write_all(int fd, struct iovec *iov, int nr, off_t pos)
{
	ssize_t n;

	while (nr) {
		n = pwritev(fd, iov, nr, pos);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		if (!n)
			return ENOSPC;
		pos += n;
		while (nr && (size_t)n >= iov->iov_len) {
			n -= iov->iov_len;
			iov++;
			nr--;
		}
		if (nr) {
			iov->iov_base = (uint8_t *)iov->iov_base + n;
			iov->iov_len -= n;
		}
	}
	return 0;
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
static uint32_t make_header(const struct follower *f, uint64_t header[2],
			    uint64_t *tail)
{
	const struct slot *s = &f->slot;
	uint32_t size = s->read - s->skip;

	if (s->skip)
		header[0] = s->base_ts;
	else
		memcpy(&header[0], subbuf(f, s->id), sizeof(header[0]));
	header[1] = size;
	if (!s->lost)
		return 0;
	header[1] |= RBPAGE_MISSED_EVENTS;
	if (s->lost == RBPAGE_LOST_UNKNOWN ||
	    f->subbuf_size - RBPAGE_HEADER - size < sizeof(*tail))
		return 0;
	header[1] |= RBPAGE_MISSED_STORED;
	*tail = s->lost;
	return sizeof(*tail);
}

static int write_slot(struct follower *f)
{
	const struct slot *s = &f->slot;
	const uint8_t *events = subbuf(f, s->id) + RBPAGE_HEADER + s->skip;
	uint32_t size = s->read - s->skip, tail_size;
	uint64_t header[2], tail;
	struct iovec iov[4];
	int err;

	tail_size = make_header(f, header, &tail);
	iov[0] = (struct iovec) { header, RBPAGE_HEADER };
	iov[1] = (struct iovec) { (void *)events, size };
	iov[2] = (struct iovec) { &tail, tail_size };
	iov[3] = (struct iovec) {
		f->zeros, f->subbuf_size - RBPAGE_HEADER - size - tail_size,
	};
	err = write_all(f->out, iov, 4, (f->nr_slots - 1) * f->subbuf_size);
	if (err)
		return log_error("cannot write the trace data: %s",
				 strerror(err));
	return 0;
}

/* Ask for more, and find out what the kernel did. Return: -1 on errors. */
static int get_reader(struct follower *f)
{
	struct slot *s = &f->slot;
	uint32_t id, read;

	if (ioctl(f->fd, GET_READER) && errno != EAGAIN && errno != EINTR)
		return log_error("cannot read from %s: %s", f->path,
				 strerror(errno));
	id = f->meta->reader.id;
	read = f->meta->reader.read;
	if (id >= f->nr_subbufs || read > f->subbuf_size - RBPAGE_HEADER)
		return log_error("%s: nonsense in the meta page: %u bytes in sub-buffer %u",
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
		.id = id, .read = read, .lost = f->meta->reader.lost_events,
	};
	return NEW;
}

/*
 * A first GREW needs a slot of its own if what was in the sub-buffer before
 * was skipped, see skip_consumed().
 */
static bool needs_slot(const struct follower *f, enum reader_move move)
{
	return move == NEW || !f->nr_slots;
}

static int copy_subbuf(struct follower *f, enum reader_move move)
{
	if (needs_slot(f, move))
		__atomic_store_n(&f->nr_slots, f->nr_slots + 1,
				 __ATOMIC_RELAXED);
	loss_from_page(f);
	return write_slot(f);
}

int follower_drain(struct follower *f, bool all, bool *busy)
{
	uint32_t taken = 0;
	int move;

	do {
		move = get_reader(f);
		if (move < 0)
			return -1;
		if (move != SAME && copy_subbuf(f, move))
			return -1;
		taken++;
		/*
		 * Something that only grew is looked at again if there may be
		 * more behind it: always at the end, else once.
		 */
	} while (move == NEW || (move == GREW && (all || taken == 1)));
	*busy = taken > f->nr_subbufs / 4;
	return 0;
}

uint64_t follower_bytes(const struct follower *f)
{
	return __atomic_load_n(&f->nr_slots, __ATOMIC_RELAXED) *
	       f->subbuf_size;
}

void follower_live(const struct follower *f, struct follow_counts *c)
{
	const struct follow_counts *s = &f->start;

	c->overrun = f->meta->overrun - s->overrun;
	c->read = f->meta->read - s->read;
	/* what was in the buffer at the start is read, too */
	c->written = f->meta->entries - s->overrun - s->read;
}

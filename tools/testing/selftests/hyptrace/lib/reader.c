// SPDX-License-Identifier: GPL-2.0
/*
 * Readers of a ring buffer's interfaces; see reader.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reader.h"

/* Event headers: {type_len:5, time_delta:27}, then words */
enum {
	TYPE_LONG = 0,		/* length in the first word, which it counts */
	TYPE_LEN_MAX = 28,
	TYPE_PADDING = 29,
	TYPE_TIME_EXTEND = 30,
	TYPE_TIME_STAMP = 31,
};

#define DELTA_BITS	27
/* Bits of an absolute timestamp; the page's timestamp has the upper ones */
#define ABS_BITS	59

void events_init(struct events *ev)
{
	*ev = (struct events){};
}

void events_free(struct events *ev)
{
	free(ev->list);
	events_init(ev);
}

void events_clear(struct events *ev)
{
	*ev = (struct events){ .list = ev->list, .room = ev->room };
}

static void set_error(struct events *ev, const char *error)
{
	if (!ev->error)
		ev->error = error;
}

void events_add(struct events *ev, const struct event *event)
{
	if (ev->nr == ev->room) {
		size_t room = ev->room ? 2 * ev->room : 1024;
		struct event *list = realloc(ev->list, room * sizeof(*list));

		if (!list) {
			set_error(ev, "out of memory");
			return;
		}
		ev->list = list;
		ev->room = room;
	}

	ev->list[ev->nr] = *event;
	ev->list[ev->nr].lost = ev->pending;
	ev->list[ev->nr++].uncounted = ev->pending_uncounted;
	ev->pending = 0;
	ev->pending_uncounted = false;
}

static void add_event(struct events *ev, int cpu, __u64 id, __u64 ts, __s32 pid)
{
	events_add(ev, &(struct event){ .id = id, .ts = ts, .cpu = cpu, .pid = pid });
}

void events_add_loss(struct events *ev, __s64 lost)
{
	ev->losses++;
	if (lost < 0) {
		ev->uncounted++;
		ev->pending_uncounted = true;
		return;
	}
	ev->lost += lost;
	ev->pending += lost;
}

size_t events_first_wrong(const struct events *ev, __u64 first)
{
	size_t i;

	for (i = 0; i < ev->nr && ev->list[i].id == first + i; i++)
		;
	return i;
}

size_t events_first_unexplained(const struct events *ev, __u64 *next, bool exact)
{
	size_t i;

	for (i = 0; i < ev->nr; i++) {
		const struct event *e = &ev->list[i];

		__u64 missing = e->id - *next;

		if (e->id < *next)
			break;
		if (e->uncounted ? missing < e->lost + exact :
		    exact ? missing != e->lost : missing > e->lost)
			break;
		*next = e->id + 1;
	}
	return i;
}

/*
 * Pages
 */

/* A record of the remote is {.., u64 id}, one of an instance {.., u64 ip, "id=N"} */
static void add_record(struct events *ev, const struct source *src, int cpu,
		       const struct record *rec, size_t len, __u64 ts)
{
	size_t offset = src->remote ? 0 : sizeof(__u64);
	__u64 id;

	if (ts < ev->last_ts)
		ev->backwards++;
	ev->last_ts = ts;

	if (len < sizeof(*rec)) {
		set_error(ev, "a record without the common fields");
		return;
	}
	if (ev->each)
		ev->each(ev->arg, rec, len);
	if (rec->type != src->type) {
		ev->others++;
		return;
	}
	if (len < sizeof(*rec) + offset + sizeof(id)) {
		set_error(ev, "a record that is too short");
		return;
	}
	if (src->remote && len != sizeof(*rec) + sizeof(id))
		set_error(ev, "a selftest record of a wrong length");
	if (src->remote && (rec->flags || rec->preempt_count))
		set_error(ev, "flags or a preempt count");

	if (src->remote)
		memcpy(&id, rec->data, sizeof(id));
	else
		id = strtoull((const char *)rec->data + offset + strlen("id="), NULL, 10);
	add_event(ev, cpu, id, ts, rec->pid);
}

/* An event at @pos with @left bytes: its length, 0 if it cannot be */
static size_t event_length(const __u8 *pos, size_t left)
{
	__u32 word, first = 0;
	size_t len;

	if (left < sizeof(word))
		return 0;
	memcpy(&word, pos, sizeof(word));
	if (left >= 2 * sizeof(word))
		memcpy(&first, pos + sizeof(word), sizeof(first));

	switch (word & 31) {
	case TYPE_LONG:
		len = sizeof(word) + first;
		break;
	case TYPE_PADDING:
		/* Without a delta it is the end of the page */
		len = word >> 5 ? sizeof(word) + first : left;
		break;
	case TYPE_TIME_EXTEND:
	case TYPE_TIME_STAMP:
		len = 2 * sizeof(word);
		break;
	default:
		len = sizeof(word) * (1 + (word & 31));
		break;
	}
	return len <= left && len % sizeof(word) == 0 ? len : 0;
}

/* The timestamp of the event at @pos, which follows an event with @ts */
static __u64 event_time(const __u8 *pos, __u64 ts)
{
	__u32 word, first;
	__u64 delta;

	memcpy(&word, pos, sizeof(word));
	delta = word >> 5;
	if ((word & 31) != TYPE_TIME_EXTEND && (word & 31) != TYPE_TIME_STAMP)
		return ts + delta;

	memcpy(&first, pos + sizeof(word), sizeof(first));
	delta += (__u64)first << DELTA_BITS;
	if ((word & 31) == TYPE_TIME_EXTEND)
		return ts + delta;
	return (ts & ~0ULL << ABS_BITS) | delta;
}

void events_add_page(struct events *ev, const struct source *src, int cpu,
		     const struct subbuf *page, size_t from, size_t to)
{
	const __u8 *data = page->data;
	__u64 ts = page->time_stamp;
	size_t pos, len;

	if (to > SUBBUF_DATA_SIZE) {
		set_error(ev, "a page with more data than a page has");
		return;
	}

	for (pos = 0; pos < to; pos += len) {
		unsigned int type = data[pos] & 31;

		len = event_length(data + pos, to - pos);
		if (!len) {
			set_error(ev, "an event that does not fit into the page");
			return;
		}
		ts = event_time(data + pos, ts);
		if (pos < from || type > TYPE_LEN_MAX)
			continue;
		if (type == TYPE_LONG)
			add_record(ev, src, cpu, (void *)(data + pos + 8), len - 8, ts);
		else
			add_record(ev, src, cpu, (void *)(data + pos + 4), len - 4, ts);
	}
}

/* The flags were set in an int, so the upper half of the word may be its sign */
static __u32 page_size(__u64 commit)
{
	return commit & ~(__u32)(SUBBUF_MISSED | SUBBUF_MISSED_STORED);
}

/*
 * The loss that a page itself reports: 0 for none, -1 for an unknown number. The number comes
 * behind the events, which may be behind the @size bytes that are there.
 */
static __s64 page_loss(const struct subbuf *page, __u64 commit, size_t size)
{
	__s64 lost;

	if (!(commit & SUBBUF_MISSED))
		return 0;
	if (!(commit & SUBBUF_MISSED_STORED) ||
	    sizeof(*page) + page_size(commit) + sizeof(lost) > size)
		return -1;
	memcpy(&lost, page->data + page_size(commit), sizeof(lost));
	return lost;
}

/* The events and the loss of a page, of which @size bytes are there */
static void add_raw(struct events *ev, const struct source *src, int cpu,
		    const struct subbuf *page, size_t size)
{
	__s64 lost = page_loss(page, page->commit, size);

	if (lost)
		events_add_loss(ev, lost);
	events_add_page(ev, src, cpu, page, 0, page_size(page->commit));
}

void events_add_raw(struct events *ev, const struct source *src, int cpu,
		    const struct subbuf *page)
{
	add_raw(ev, src, cpu, page, SUBBUF_SIZE);
}

/*
 * read()
 */

ssize_t events_read_some(struct events *ev, const struct source *src, int cpu, int fd,
			 size_t size)
{
	union {
		struct subbuf page;
		__u8 bytes[MAX_SUBBUF_SIZE];
	} buf;
	ssize_t ret;

	memset(&buf, 0, size);
	ret = read(fd, &buf, size);
	if (ret <= 0)
		return ret < 0 ? -errno : 0;

	add_raw(ev, src, cpu, &buf.page, ret);
	return ret;
}

int events_read_raw(struct events *ev, const struct source *src, int cpu, int fd)
{
	ssize_t ret;

	do {
		ret = events_read_some(ev, src, cpu, fd, SUBBUF_SIZE);
	} while (ret > 0);
	return ret;
}

/*
 * Text
 */

/* False if the line is not about a loss */
static bool add_loss_line(struct events *ev, const char *line)
{
	unsigned long long lost;
	int cpu, end = 0;

	if (sscanf(line, "CPU:%d [LOST %llu EVENTS]%n", &cpu, &lost, &end) == 2 && end)
		events_add_loss(ev, lost);
	else if (sscanf(line, "CPU:%d [LOST EVENTS]%n", &cpu, &end) == 1 && end)
		events_add_loss(ev, -1);
	return end;
}

/* "task-pid [cpu] flags sec.usec: tracing_mark_write: id=N"; the name may be anything */
static bool add_mark_line(struct events *ev, const char *line)
{
	const char *field = strrchr(line, '[');
	unsigned long long sec, usec, id;
	int cpu;

	if (!field || sscanf(field, "[%d] %*s %llu.%6llu: tracing_mark_write: id=%llu", &cpu,
			     &sec, &usec, &id) != 4)
		return false;
	add_event(ev, cpu, id, (sec * 1000000 + usec) * 1000, 0);
	return true;
}

static void add_event_line(struct events *ev, const char *line)
{
	unsigned long long sec, usec, id;
	int cpu, end = 0;

	/* The header of an ordinary trace file */
	if (line[0] == '#' || add_mark_line(ev, line))
		return;
	if (sscanf(line, "[%d]\t%llu.%6llu: %n", &cpu, &sec, &usec, &end) != 3 || !end)
		set_error(ev, "a line that is neither an event nor a loss");
	else if (sscanf(line + end, "selftest id=%llu", &id) == 1)
		add_event(ev, cpu, id, (sec * 1000000 + usec) * 1000, 0);
	else
		ev->others++;
}

static void add_line(struct events *ev, int nr, const char *line)
{
	int cpu;

	/* Both kinds of line have the number of the CPU */
	if (nr > 1 && (sscanf(line, "CPU:%d", &cpu) == 1 || sscanf(line, "[%d]", &cpu) == 1) &&
	    cpu >= 0 && cpu < nr)
		ev += cpu;
	if (!add_loss_line(ev, line))
		add_event_line(ev, line);
}

size_t events_add_text(struct events *ev, int nr, char *buf, size_t len)
{
	char *line = buf, *end;

	while ((end = memchr(line, '\n', len - (line - buf)))) {
		*end = '\0';
		add_line(ev, nr, line);
		line = end + 1;
	}
	len -= line - buf;
	memmove(buf, line, len);
	return len;
}

int events_read_text_by_cpu(struct events *ev, int nr, int fd)
{
	char buf[4 * MAX_SUBBUF_SIZE];
	size_t len = 0;
	ssize_t ret;

	for (;;) {
		ret = read(fd, buf + len, sizeof(buf) - len);
		if (ret <= 0)
			break;
		len = events_add_text(ev, nr, buf, len + ret);
	}
	if (len)
		set_error(ev, "a text that ends within a line");
	return ret < 0 ? -errno : 0;
}

int events_read_text(struct events *ev, int fd)
{
	return events_read_text_by_cpu(ev, 1, fd);
}

/*
 * Mappings
 */

int mapping_map(struct mapping *m, const struct source *src, int cpu, int fd)
{
	void *map;

	*m = (struct mapping){ .src = src, .cpu = cpu, .fd = fd };
	map = mmap(NULL, SUBBUF_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;

	m->meta = map;
	m->size = m->meta->meta_page_size + (size_t)m->meta->nr_subbufs * m->meta->subbuf_size;
	munmap(map, SUBBUF_SIZE);

	map = mmap(NULL, m->size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	m->meta = map;
	m->data = (__u8 *)map + m->meta->meta_page_size;
	return 0;
}

void mapping_unmap(struct mapping *m)
{
	if (m->size)
		munmap(m->meta, m->size);
	m->size = 0;
}

int mapping_open(struct mapping *m, const struct source *src, int cpu, int flags)
{
	int fd, ret;

	*m = (struct mapping){ .fd = -1 };
	fd = source_open_file(src, O_RDONLY | flags, "per_cpu/cpu%d/trace_pipe_raw", cpu);
	if (fd < 0)
		return fd;

	ret = mapping_map(m, src, cpu, fd);
	if (ret) {
		close(fd);
		m->fd = -1;
	}
	return ret;
}

void mapping_close(struct mapping *m)
{
	mapping_unmap(m);
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}

const struct subbuf *mapping_subbuf(const struct mapping *m, __u32 id)
{
	return (const struct subbuf *)(m->data + (size_t)id * m->meta->subbuf_size);
}

/*
 * A new sub-buffer: the meta page of a remote says how much was lost before it. A
 * closed page says so, too, with the number if there is room for it.
 */
static void add_mapped_loss(struct events *ev, const struct mapping *m,
			    const struct subbuf *page)
{
	__s64 stored = page_loss(page, LOAD(page->commit), SUBBUF_SIZE);
	__s64 lost = stored;

	if (m->src->remote) {
		lost = LOAD(m->meta->reader.lost_events);
		if (stored > 0 && stored != lost)
			set_error(ev, "meta page and sub-buffer report different losses");
		if (stored && !lost)
			set_error(ev, "a sub-buffer reports a loss, the meta page does not");
		ev->unmarked += lost && !stored;
	}
	if (lost)
		events_add_loss(ev, lost);
}

int mapping_list(const struct mapping *m, struct events *ev, __u32 id, __u32 read)
{
	const struct trace_buffer_meta *meta = m->meta;
	const struct subbuf *page;

	if (LOAD(meta->reader.id) == id && LOAD(meta->reader.read) == read)
		return 0;
	if (!ev)
		return 1;

	if (LOAD(meta->reader.id) >= meta->nr_subbufs) {
		set_error(ev, "a reader's id that is out of range");
		return -EPROTO;
	}
	page = mapping_subbuf(m, LOAD(meta->reader.id));
	if (LOAD(meta->reader.id) != id) {
		add_mapped_loss(ev, m, page);
		read = 0;
	}
	events_add_page(ev, m->src, m->cpu, page, read, LOAD(meta->reader.read));
	return 1;
}

int mapping_next(struct mapping *m, struct events *ev)
{
	struct trace_buffer_meta *meta = m->meta;
	__u32 id = LOAD(meta->reader.id), read = LOAD(meta->reader.read);

	if (ioctl(m->fd, TRACE_MMAP_IOCTL_GET_READER))
		return -errno;
	return mapping_list(m, ev, id, read);
}

int mapping_drain(struct mapping *m, struct events *ev)
{
	int ret;

	do {
		ret = mapping_next(m, ev);
	} while (ret > 0);
	return ret;
}

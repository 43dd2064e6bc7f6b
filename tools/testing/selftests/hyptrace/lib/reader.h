/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_READER_H
#define _SELFTEST_HYPTRACE_READER_H
/*
 * Readers of every interface of one CPU's buffer, or of all, which all make the same
 * kind of list. They follow the page format and share no code with the kernel, so that
 * they can judge what it does.
 */
#include <linux/trace_mmap.h>
#include <unistd.h>

#include "remote.h"

/* A page of the kernel */
#define SUBBUF_SIZE	((size_t)getpagesize())
#define MAX_SUBBUF_SIZE	65536

/* The page format: events/header_page, events/header_event */
struct subbuf {
	__u64		time_stamp;
	__u64		commit;
	__u8		data[];
};

#define SUBBUF_MISSED		0x80000000U
#define SUBBUF_MISSED_STORED	0x40000000U
#define SUBBUF_DATA_SIZE	(SUBBUF_SIZE - sizeof(struct subbuf))

/* Size of a selftest event in the buffer: header word, common fields, u64 */
#define EVENT_SIZE		20
#define EVENTS_PER_SUBBUF	(SUBBUF_DATA_SIZE / EVENT_SIZE)

/* The kernel's buffer for text, with pages of any size: no line is longer */
#define TRACE_SEQ_SIZE		8192

/* The start of each record */
struct record {
	__u16		type;
	__u8		flags;
	__u8		preempt_count;
	__s32		pid;
	__u8		data[];
};

/**
 * struct event - an event that source_write() wrote
 * @id:		its number
 * @ts:		timestamp in ns; if read from text, rounded to 1000 ns
 * @lost:	events reported as lost since the last one
 * @uncounted:	a loss without a number was reported since the last one
 * @cpu:	its CPU
 * @pid:	the task that wrote it; 0 if the text does not have it
 */
struct event {
	__u64		id;
	__u64		ts;
	__u64		lost;
	bool		uncounted;
	int		cpu;
	__s32		pid;
};

/**
 * struct events - the events that a reader saw, in that order
 * @list:	the events that source_write() wrote
 * @nr:		how many
 * @room:	allocated
 * @others:	how many other events there were
 * @lost:	sum of all losses reported
 * @losses:	number of reports
 * @uncounted:	reports that do not say how many
 * @unmarked:	reports of a mapped meta page that the sub-buffer itself does not
 *		repeat, which is right only if it was still being written then
 * @pending:	reported since the last event
 * @pending_uncounted: the same, for losses that are not counted
 * @last_ts:	of the last event of any kind, by page
 * @backwards:	events that are older than the one before on the same CPU
 * @error:	the first thing that is malformed, or NULL
 * @each:	if set, called with each record of a page, and its length in bytes
 * @arg:	the first argument of @each
 */
struct events {
	struct event	*list;
	size_t		nr;
	size_t		room;
	size_t		others;
	__u64		lost;
	size_t		losses;
	size_t		uncounted;
	size_t		unmarked;
	__u64		pending;
	bool		pending_uncounted;
	__u64		last_ts;
	size_t		backwards;
	const char	*error;
	void		(*each)(void *arg, const struct record *rec, size_t len);
	void		*arg;
};

void events_init(struct events *ev);
void events_free(struct events *ev);
/* Empty the list, keep its memory */
void events_clear(struct events *ev);

/* The first index at which @ev's numbers are not first, first + 1, ...; else @ev->nr */
size_t events_first_wrong(const struct events *ev, __u64 first);

/**
 * events_first_unexplained - find a gap in the numbers that no loss covers
 * @ev: events of one CPU, numbered from @next on
 * @next: the number that must be next; set to the one that must follow the last
 * @exact: no other events are written, so losses must match exactly
 *
 * Return: index of the first event whose number is not explained by the losses
 * that were reported right before it, or @ev->nr.
 */
size_t events_first_unexplained(const struct events *ev, __u64 *next, bool exact);

/**
 * events_add_page - list the events between two offsets of a page
 * @ev: list
 * @src: where they are from
 * @cpu: their CPU
 * @page: the page
 * @from: offset of the first, in bytes of data
 * @to: end of the last
 */
void events_add_page(struct events *ev, const struct source *src, int cpu,
		     const struct subbuf *page, size_t from, size_t to);
/* The same for a whole page from read() or splice(), with the loss that it reports */
void events_add_raw(struct events *ev, const struct source *src, int cpu,
		    const struct subbuf *page);
/* Add an event to the list, with the losses that were reported before it */
void events_add(struct events *ev, const struct event *event);
/* Note a loss of @lost events; negative if the number is unknown */
void events_add_loss(struct events *ev, __s64 lost);

/* Read with read() until it returns 0 or an errno, which is returned */
int events_read_raw(struct events *ev, const struct source *src, int cpu, int fd);
/* One read() of @size bytes: what it returned, or an errno */
ssize_t events_read_some(struct events *ev, const struct source *src, int cpu, int fd,
			 size_t size);
/*
 * Add the complete lines in the @len bytes of a remote's text in @buf to a list for each
 * of @nr CPUs. Returns how many bytes are left; they are moved to the start of @buf.
 */
size_t events_add_text(struct events *ev, int nr, char *buf, size_t len);
/* Read text of trace or trace_pipe until read() returns 0 or an errno */
int events_read_text(struct events *ev, int fd);
/* The same for a remote, with a list for each of @nr CPUs */
int events_read_text_by_cpu(struct events *ev, int nr, int fd);

/**
 * struct mapping - trace_pipe_raw, mapped
 * @src: whose file it is
 * @cpu: its CPU
 * @fd: the file
 * @meta: the meta page
 * @data: the sub-buffers
 * @size: size of the mapping
 */
struct mapping {
	const struct source		*src;
	int				cpu;
	int				fd;
	struct trace_buffer_meta	*meta;
	const __u8			*data;
	size_t				size;
};

int mapping_open(struct mapping *m, const struct source *src, int cpu, int flags);
void mapping_close(struct mapping *m);
/* The same for a file that is open already, and stays open */
int mapping_map(struct mapping *m, const struct source *src, int cpu, int fd);
void mapping_unmap(struct mapping *m);
const struct subbuf *mapping_subbuf(const struct mapping *m, __u32 id);

/**
 * mapping_next - get the next sub-buffer or events, list them
 * @m: mapping, not blocking
 * @ev: list, or NULL to skip the events
 *
 * Return: 1, 0 if there is nothing, or the errno of the ioctl.
 */
int mapping_next(struct mapping *m, struct events *ev);
/* The same without the ioctl: @id and @read are from the meta page before it */
int mapping_list(const struct mapping *m, struct events *ev, __u32 id, __u32 read);
/* Repeat that until there is nothing left: 0 or an errno */
int mapping_drain(struct mapping *m, struct events *ev);

#endif /* _SELFTEST_HYPTRACE_READER_H */

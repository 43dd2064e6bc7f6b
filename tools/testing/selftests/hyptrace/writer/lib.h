/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WRITER_LIB_H
#define _WRITER_LIB_H
/*
 * Shared by the tests of the ring-buffer writer: a buffer in user space, events whose
 * content is derived from their number, a strict reader of sub-buffers, and TAP.
 *
 * Events are numbered from 1, including refused ones, and carry the number. So an event
 * that is neither read nor counted as lost is noticed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/ring_buffer_writer.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define DATA_SIZE	(PAGE_SIZE - sizeof(struct rb_page))

/* Ends the running test, from any thread, after calling test_fail_hook if set */
void test_fail(const char *file, int line, const char *what) __attribute__((noreturn));
extern void (*test_fail_hook)(void);

#define CHECK(cond) do {						\
	if (!(cond))							\
		test_fail(__FILE__, __LINE__, #cond);			\
} while (0)

#define CHECK_EQ(a, b) do {						\
	u64 _a = (u64)(a), _b = (u64)(b);				\
									\
	if (_a != _b) {							\
		printf("# %s = %llu, %s = %llu\n", #a, _a, #b, _b);	\
		test_fail(__FILE__, __LINE__, #a " == " #b);		\
	}								\
} while (0)

struct test {
	const char	*name;
	void		(*fn)(void);
};

/* Runs each in a child of its own; @only may be NULL. Returns the exit status */
int run_tests(const struct test *tests, int nr, const char *only);

/**
 * struct event - an event as it has to be read
 * @seq: its number, in the first word of the payload; the others are derived from it
 * @size: bytes of payload
 * @ts: timestamp
 */
struct event {
	u32	seq;
	u32	size;
	u64	ts;
};

/**
 * struct buf - a buffer, its writer and the test's counters
 * @tried: events that were written or refused
 * @refused: events refused because the ring was full
 * @off: events refused because the writer was off; these have no number
 */
struct buf {
	struct rb_writer		w;
	struct trace_buffer_meta	*meta;
	u32				nr;
	u32				tried;
	u64				refused;
	u64				off;
};

void buf_init(struct buf *b, u32 nr_subbufs);
void buf_free(struct buf *b);
struct rb_writer_subbuf *buf_subbuf(struct buf *b, u32 id);
u64 buf_head(struct buf *b);

/* The event with number @seq: sizes and times vary, times never go back */
struct event event_gen(u32 seq);
/* Write the next event as event_gen() has it, or as @ev; false if refused */
bool buf_write(struct buf *b);
bool buf_write_as(struct buf *b, u32 size, u64 ts);
/* Write until @pages more sub-buffers were started, or an event was refused */
void buf_write_pages(struct buf *b, u64 pages);
/* At a quiet point: each sub-buffer has one owner, the counters agree */
void buf_check(struct buf *b);
/* Events in the ring, without the reader's sub-buffer; from the private records */
u64 buf_in_ring(struct buf *b);
/* The same, by parsing the sub-buffers */
u64 buf_in_ring_parsed(struct buf *b);

/**
 * struct snapshot - a sub-buffer as the reader saw it
 * @commit: bytes of data
 * @missed: it is marked: events were lost before it
 * @stored: it has their number, @lost
 */
struct snapshot {
	u8	page[PAGE_SIZE] __attribute__((aligned(8)));
	u32	commit;
	bool	missed;
	bool	stored;
	u64	lost;
};

void snapshot_take(struct snapshot *s, const struct rb_page *page);

/**
 * struct walk - a strict walk over a snapshot
 * @pos: of the next event
 * @ts: of the last event
 * @delta: of the last event, as stored
 * @extended: the last event had a time extend
 */
struct walk {
	const struct snapshot	*s;
	u32			pos;
	u64			ts;
	u64			delta;
	bool			extended;
};

void walk_start(struct walk *k, const struct snapshot *s);
/* Fails the test on anything that the writer must not write; false at the end */
bool walk_next(struct walk *k, struct event *ev);
/* Walk with libtraceevent, compare with the strict walk. Returns the events */
u32 snapshot_compare(const struct snapshot *s);

/**
 * struct reader - the reader of a buffer
 * @seen: bytes of data seen on its sub-buffer
 * @next: number of the next event
 * @read: events read
 * @lost: events reported as lost
 * @pages: sub-buffers taken
 * @marked: of these, with a count of lost events stored
 * @unstored: of these, marked without a count
 * @compare: compare each @compare-th sub-buffer with libtraceevent's view
 * @racing: the writer runs: a closed sub-buffer may be unmarked
 * @expect: returns the event with a given number
 */
struct reader {
	struct buf	*b;
	u32		seen;
	u32		next;
	u64		read;
	u64		lost;
	u64		pages;
	u64		marked;
	u64		unstored;
	u32		compare;
	bool		racing;
	struct event	(*expect)(u32 seq);
};

void reader_init(struct reader *r, struct buf *b);
/* rb_writer_swap(), with all that it promises checked */
int reader_swap(struct reader *r);
/* Read up to @max events of the reader's sub-buffer. Returns the events */
u32 reader_read(struct reader *r, u32 max);
/* Swap and read until there is nothing left; checks the accounting */
void reader_drain(struct reader *r);
/* written == read + in the buffer + overrun + dropped */
void reader_account(struct reader *r);
void reader_reset(struct reader *r);

/* A repeatable random number, below @below */
u32 rnd(u64 *state, u32 below);

extern const struct test format_tests[], ring_tests[], model_tests[], thread_tests[],
	filter_tests[], dump_tests[], image_tests[];
extern const int nr_format_tests, nr_ring_tests, nr_model_tests, nr_thread_tests,
	nr_filter_tests, nr_dump_tests, nr_image_tests;

#endif /* _WRITER_LIB_H */

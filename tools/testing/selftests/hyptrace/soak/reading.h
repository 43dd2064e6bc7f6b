/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_SOAK_READING_H
#define _SELFTEST_HYPTRACE_SOAK_READING_H
/*
 * Readers that may be killed at any time, with all events that they took accounted for.
 *
 * Each is a process that shares a struct reading with its parent. A take is one system
 * call that consumes events, into memory that is also shared (or a pipe that both have,
 * or the mapped buffer, which stays unchanged). The events of a take are published as
 * runs, with a single store. So the parent can tell whether a reader was killed during a
 * take, and then lists the events of that take itself: either the system call was not
 * made, or it has delivered everything, as no call waits once it has consumed something.
 */
#include <sys/types.h>

#include "ledger.h"

enum kind {
	KIND_RAW,
	KIND_SPLICE,
	KIND_PIPE,
	KIND_PIPE_ALL,
	KIND_MAP,
	KIND_TRACE,
	KIND_TRACE_ALL,
	NR_KINDS,
};

extern const char *const kind_names[NR_KINDS];

/* Does it read all CPUs? */
static inline bool kind_is_all(enum kind kind)
{
	return kind == KIND_PIPE_ALL || kind == KIND_TRACE_ALL;
}

/* Does it read without consuming? */
static inline bool kind_looks(enum kind kind)
{
	return kind == KIND_TRACE || kind == KIND_TRACE_ALL;
}

#define NR_RUNS			8192
#define TAKE_SIZE		(2 * SUBBUF_SIZE)

/**
 * struct reading - a reader, shared with its parent
 * @kind:	how it reads
 * @cpu:	its CPU, unless it reads all
 * @blocks:	it waits for events
 * @pid:	its process; 0 for none
 * @pipe:	the pipe that it splices through
 * @state:	twice the number of runs published, plus one during a take
 * @drained:	number of runs that the parent has fetched
 * @ticket:	if not 0, it has to pause between two takes
 * @paused:	the ticket for which it has paused
 * @id:		the reader's sub-buffer, by the meta page before the take
 * @read:	bytes read of that, by the meta page before the take
 * @wrong:	why it ended by itself
 * @runs:	the published runs
 * @buf:	destination of takes
 */
struct reading {
	enum kind	kind;
	int		cpu;
	bool		blocks;
	pid_t		pid;
	int		pipe[2];
	__u64		state;
	__u64		drained;
	unsigned int	ticket;
	unsigned int	paused;
	__u32		id;
	__u32		read;
	char		wrong[160];
	struct run	runs[NR_RUNS];
	char		buf[2 * MAX_SUBBUF_SIZE] __attribute__((aligned(64)));
};

/* Allocate @nr readers, none started; NULL if there is no memory */
struct reading *readings_alloc(unsigned int nr);

/* Start @r, whose kind, cpu and blocks are set, on @src with @nr_cpus: 0 or an errno */
int reading_start(struct reading *r, const struct source *src, int nr_cpus);

/* Fetch the runs that @r has published into each CPU's ledger; returns how many events */
__u64 reading_drain(struct reading *r, struct ledger *ledgers);

/**
 * reading_kill - kill a reader and fetch its last events
 * @r: the reader, started
 * @src: where it reads
 * @nr_cpus: number of CPUs
 * @ledgers: one for each CPU
 * @recovered: incremented by the events of a take during which it was killed
 *
 * Return: the number of events, or -1 with the reason in @r->wrong.
 */
long long reading_kill(struct reading *r, const struct source *src, int nr_cpus,
		       struct ledger *ledgers, __u64 *recovered);

/* Make @r, if it maps its buffer, pause between two takes; with @ticket 0, continue */
void reading_pause(struct reading *r, unsigned int ticket);
void reading_resume(struct reading *r);

#endif /* _SELFTEST_HYPTRACE_SOAK_READING_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_SOAK_READING_H
#define _SELFTEST_HYPTRACE_SOAK_READING_H
/*
 * Readers that die by SIGKILL at any time, with nothing they took unaccounted for.
 *
 * Each is a process that shares a struct reading with the one that started it. A
 * take is one system call that consumes, into memory that is shared as well (or a
 * pipe that both have, or the mapped buffer, which stays as it is). What was taken
 * is published as runs, all of a take with a single store. So whoever buries the
 * reader finds out whether it died in a take, and lists what that one got instead
 * of it: the system call either was not made, or has delivered everything, as none
 * that has consumed something waits for anything after that.
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

/* Reads all CPUs */
static inline bool kind_is_all(enum kind kind)
{
	return kind == KIND_PIPE_ALL || kind == KIND_TRACE_ALL;
}

/* Leaves the events where they are */
static inline bool kind_looks(enum kind kind)
{
	return kind == KIND_TRACE || kind == KIND_TRACE_ALL;
}

#define NR_RUNS			8192
#define TAKE_SIZE		(2 * SUBBUF_SIZE)

/**
 * struct reading - a reader and the one who started it
 * @kind:	how it reads
 * @cpu:	which, but for those of all
 * @blocks:	it waits for events
 * @pid:	its process; 0 for none
 * @pipe:	what it splices through
 * @state:	twice the number of runs published, plus one during a take
 * @drained:	the number of runs that were fetched
 * @ticket:	not 0: it is to pause between two takes
 * @paused:	the ticket for which it does
 * @id:		before the take, as the meta page has it: the reader's sub-buffer
 * @read:	what is read of that
 * @wrong:	why it ended by itself
 * @runs:	published
 * @buf:	where takes go
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

/* @nr of them, none started; NULL for lack of memory */
struct reading *readings_alloc(unsigned int nr);

/* Start @r, whose kind, cpu and blocks are set, on @src, which has @nr_cpus: an errno */
int reading_start(struct reading *r, const struct source *src, int nr_cpus);

/* Fetch what @r has published into the ledger of each CPU: how many events that is */
__u64 reading_drain(struct reading *r, struct ledger *ledgers);

/**
 * reading_kill - kill @r, fetch the rest
 * @r: started
 * @src: what it reads
 * @nr_cpus: how many CPUs that has
 * @ledgers: one for each CPU
 * @recovered: added to: events of a take that it died in
 *
 * Return: how many events, or -1 with the reason in @r->wrong.
 */
long long reading_kill(struct reading *r, const struct source *src, int nr_cpus,
		       struct ledger *ledgers, __u64 *recovered);

/* Wait until @r, if it maps its buffer, is between two takes and stays there; or not any more */
void reading_pause(struct reading *r, unsigned int ticket);
void reading_resume(struct reading *r);

#endif /* _SELFTEST_HYPTRACE_SOAK_READING_H */

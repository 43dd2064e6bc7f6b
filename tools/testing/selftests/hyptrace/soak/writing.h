/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_SOAK_WRITING_H
#define _SELFTEST_HYPTRACE_SOAK_WRITING_H
/*
 * A writer for each CPU: EL2 writes many numbered events in a hypercall, and returns how
 * many this CPU's buffer was given since it was reset. From that the writer knows before
 * which number each reset was, and checks that EL2 counts right.
 */
#include <pthread.h>

#include "ledger.h"

/**
 * struct writing - a thread that writes on a CPU
 * @cpu:	its CPU
 * @fd:		hyp_bench_write
 * @l:		ledger in which it notes the resets, and the end of the numbers
 * @seed:	seed for the number of events in a call
 * @pace_ms:	sleep this long between two calls
 * @stop:	it has to stop, after one more event
 * @next:	number of the next event
 * @count:	EL2's count after the last call
 * @away:	calls that failed because the CPU was offline
 * @wrong:	the first error, or empty
 */
struct writing {
	pthread_t	tid;
	int		cpu;
	int		fd;
	struct ledger	*l;
	unsigned int	seed;
	unsigned int	pace_ms;
	bool		stop;
	__u64		next;
	__u64		count;
	__u64		away;
	char		wrong[160];
};

/* Open hyp_bench_write; a negative errno if the kernel does not have it */
int writing_open(void);
/* @w is zero but for cpu, fd, l, seed, pace_ms and next */
int writing_start(struct writing *w);
/* Call it after all resets; false if something was wrong */
bool writing_stop(struct writing *w);

#endif /* _SELFTEST_HYPTRACE_SOAK_WRITING_H */

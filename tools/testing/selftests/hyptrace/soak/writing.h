/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_SOAK_WRITING_H
#define _SELFTEST_HYPTRACE_SOAK_WRITING_H
/*
 * A writer for each CPU: EL2 writes many numbered events in a hypercall, and says how
 * many this CPU's buffer was given since it was reset. From that the writer knows
 * before which number each reset was, and that EL2 has counted as it did.
 */
#include <pthread.h>

#include "ledger.h"

/**
 * struct writing - a thread that writes on a CPU
 * @cpu:	which
 * @fd:		hyp_bench_write
 * @l:		gets the resets, and the end of the numbers
 * @seed:	for how many events at once
 * @pace_ms:	sleep so long between two calls
 * @stop:	told to stop; it writes one event more
 * @next:	number of the next event
 * @count:	of EL2, after the last call
 * @away:	calls that came when the CPU was away
 * @wrong:	error, or empty
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

/* The file; a negative errno if the kernel has none */
int writing_open(void);
/* @w is zero but for cpu, fd, l, seed, pace_ms and next */
int writing_start(struct writing *w);
/* After all resets: false if something was wrong */
bool writing_stop(struct writing *w);

#endif /* _SELFTEST_HYPTRACE_SOAK_WRITING_H */

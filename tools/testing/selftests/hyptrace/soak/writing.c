// SPDX-License-Identifier: GPL-2.0
/*
 * A writer for each CPU; see writing.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include <asm/kvm_hypbench.h>

#include "writing.h"

int writing_open(void)
{
	int fd = open("/sys/kernel/debug/hyp_bench_write", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* EL2 counts @count events now, after @nr more */
static bool note_count(struct writing *w, unsigned int nr, __u64 count)
{
	if (count != w->count + nr) {
		if (count != nr) {
			snprintf(w->wrong, sizeof(w->wrong),
				 "CPU %d: EL2 has counted %llu, want %llu or, after a reset, %u",
				 w->cpu, count, w->count + nr, nr);
			return false;
		}
		ledger_add_reset(w->l, w->next);
	}
	w->count = count;
	w->next += nr;
	/* Lets others see the progress */
	STORE(w->l->end, w->next);
	return true;
}

/* Return: 1 if they were written, 0 if they cannot be at this time, or an errno */
static int write_some(struct writing *w, unsigned int nr)
{
	struct hyp_bench_write call = { .first = w->next, .nr = nr, .cpu = w->cpu };

	if (!ioctl(w->fd, HYP_BENCH_IOCTL_WRITE, &call))
		return note_count(w, nr, call.written) ? 1 : -EPROTO;

	switch (errno) {
	case EAGAIN:	/* not on this CPU (any more) */
		w->away++;
		pin_to_cpu(w->cpu);
		return 0;
	case ENODATA:	/* the clock is being changed, or the CPU is coming up */
		return 0;
	default:
		return -errno;
	}
}

static void *write_on(void *data)
{
	struct writing *w = data;
	int ret = 1;

	setpriority(PRIO_PROCESS, 0, 0);
	while (ret >= 0 && !LOAD(w->stop)) {
		ret = write_some(w, 1 + rand_r(&w->seed) % HYP_BENCH_MAX_WRITE);
		if (!ret || w->pace_ms)
			sleep_ms(w->pace_ms ?: 1);
	}
	/* A last one, to learn of the last reset */
	while (ret >= 0 && (ret = write_some(w, 1)) == 0)
		sleep_ms(1);
	if (ret < 0 && !w->wrong[0])
		snprintf(w->wrong, sizeof(w->wrong), "CPU %d: hyp_bench_write: %s", w->cpu,
			 strerror(-ret));
	return NULL;
}

int writing_start(struct writing *w)
{
	return -pthread_create(&w->tid, NULL, write_on, w);
}

bool writing_stop(struct writing *w)
{
	STORE(w->stop, true);
	pthread_join(w->tid, NULL);
	return !w->wrong[0];
}

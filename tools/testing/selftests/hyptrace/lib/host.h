/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_HOST_H
#define _SELFTEST_HYPTRACE_HOST_H
/*
 * The host's own events, in an instance for them alone: what the kernel does for a trace
 * remote, and how often.
 */
#include <stdbool.h>
#include <sys/types.h>

/**
 * host_record - record an event from now on, and nothing else
 * @event: its system and name, "timer/hrtimer_expire_entry"
 * @pid: only what this thread causes; 0 for all
 *
 * Return: 0 or a negative errno; -ENODATA if nothing is recorded although the caller sleeps
 * and allocates a page.
 */
int host_record(const char *event, pid_t pid);
/* Forget what was recorded */
void host_clear(void);
/* How many events have a text that @matches? A negative errno if that cannot be read */
int host_count(bool (*matches)(const char *line));
void host_stop(void);

#endif /* _SELFTEST_HYPTRACE_HOST_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The delays of vCPUs, and what each was spent on. The rules: delays.c.
 */
#ifndef HYPTRACE_DELAYS_H
#define HYPTRACE_DELAYS_H

#include "analysis/delay.h"
#include "analysis/delayevent.h"
#include "lib/types.h"
#include "trace/side.h"

/**
 * struct delays_result - what is not a delay that was handed on
 * @idle:	a vCPU waited for something to do
 * @lost:	delays in which events of the hypervisor were lost
 * @cut:	delays that had not ended when the recording did
 */
struct delays_result {
	u64 idle;
	u64 lost;
	u64 cut;
};

/**
 * struct delays_known - which events were recorded, as far as their absence matters
 * @calls:	those of system calls
 * @user:	kvm_userspace_exit
 */
struct delays_known {
	bool calls;
	bool user;
};

/** typedef delay_fn - takes a delay; may take its pieces away. Return: 0, -1 with a message */
typedef int (*delay_fn)(void *ctx, struct delay *d);

struct delays;

/**
 * delays_new - begin
 * @known:	what was recorded
 * @fn:		gets each delay when it has ended
 * @ctx:	passed to it
 *
 * Return: NULL with a message.
 */
struct delays *delays_new(const struct delays_known *known, delay_fn fn, void *ctx);

/**
 * delays_feed - take the next event, all CPUs in order of time
 *
 * Return: 0, or -1 with a message.
 */
int delays_feed(struct delays *s, const struct delay_event *ev);

/** delays_lose - events of a CPU and side were lost up to @ts. Return: as above. */
int delays_lose(struct delays *s, unsigned int cpu, enum side side, u64 ts);

/** delays_finish - at the end of the recording */
void delays_finish(struct delays *s, struct delays_result *result);

void delays_free(struct delays *s);

#endif

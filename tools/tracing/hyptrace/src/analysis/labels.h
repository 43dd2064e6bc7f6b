/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of what pieces of a delay were spent on.
 *
 * Of PART_RUNNABLE, the id is the task that ran instead. Of PART_KERNEL and PART_ASLEEP, it
 * is the system call, or one of LABEL_*. Of PART_OFF, it is 0. All others have a name of
 * their own, from the events; the id distinguishes them.
 */
#ifndef HYPTRACE_LABELS_H
#define HYPTRACE_LABELS_H

#include "analysis/pieces.h"
#include "lib/types.h"

#define LABEL_KVM_RUN	(1ULL << 32)	/* KVM runs the vCPU */
#define LABEL_UNKNOWN_CALL ((1ULL << 32) + 1)	/* it is not known in which system call */
#define LABEL_NO_CALL	((1ULL << 32) + 2)	/* in none: a signal stops it, or a page fault */
#define LABEL_IDLE	0		/* as a task: the CPU was idle */
#define LABEL_UNKNOWN_TASK	UINT64_MAX	/* as a task: it is not known */

struct labels;

/** labels_new - Return: NULL with a message. */
struct labels *labels_new(void);
void labels_free(struct labels *l);

/** labels_name - the name that it was given, or NULL */
const char *labels_name(const struct labels *l, const struct label *label);

/** labels_set_name - give it a name; it has none. Return: 0, -1 with a message. */
int labels_set_name(struct labels *l, const struct label *label, const char *name);

/** labels_call - the name of a system call of arm64, or of LABEL_*; NULL if it is not known */
const char *labels_call(u64 id);

#endif

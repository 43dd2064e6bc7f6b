/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of times, by what they are about.
 */
#ifndef HYPTRACE_ROWS_H
#define HYPTRACE_ROWS_H

#include "lib/types.h"

enum place {
	PLACE_TASK,	/* in the host, in a task; also if it is not known which one runs */
	PLACE_EL2,
	PLACE_GUEST,
	PLACE_IRQ,	/* in the host, in a handler of interrupts */
	PLACE_SOFTIRQ,	/* the same of softirqs */
	PLACE_IDLE,	/* in the host, in the idle task */
	PLACE_UNKNOWN,
	NR_PLACES
};

/** place_name - the word that is printed, such as "task" */
const char *place_name(enum place place);

/** place_is_host - whether it is in the host */
bool place_is_host(enum place place);

/* In place of a pid: the task is unknown */
#define TIMES_UNKNOWN	(-1)
/* All tasks, or all vCPUs, that have no row of their own any more */
#define TIMES_OTHERS	(-2)

/**
 * struct times_row - times of a CPU, a task or a vCPU
 * @id:		the CPU's number, or the task; TIMES_UNKNOWN and TIMES_OTHERS sort last
 * @named:	of a vCPU: @vm and @vcpu are known
 * @vm:		of a vCPU: the handle of its VM
 * @vcpu:	of a vCPU: its index in the VM
 * @entries:	of a CPU: EL2 was entered; of a vCPU: the guest was
 * @running:	of a task: the row of the vCPU that it ran last, or NULL
 * @seen:	when it was used last
 * @pinned:	it cannot be removed now
 * @ns:		the times
 */
struct times_row {
	s32 id;
	bool named;
	u32 vm;
	u32 vcpu;
	u64 entries;
	struct times_row *running;
	u64 seen;
	bool pinned;
	u64 ns[NR_PLACES];
};

/** times_row_empty - whether a row has no times and no entries */
bool times_row_empty(const struct times_row *r);

/**
 * struct rows - rows; all 0 at first
 * @by_id:	a tree, of tsearch()
 * @row:	all of them
 * @nr:		how many
 * @room:	how many fit
 */
struct rows {
	void *by_id;
	struct times_row **row;
	unsigned int nr;
	size_t room;
};

/**
 * rows_get - the row for @wanted, made if there is none
 * @rows:	the rows
 * @wanted:	@id, @named, @vm and @vcpu count
 *
 * Return: NULL with a message.
 */
struct times_row *rows_get(struct rows *rows, const struct times_row *wanted);

/** rows_find - the same, NULL if there is none */
struct times_row *rows_find(const struct rows *rows,
			    const struct times_row *wanted);

/** typedef rows_order - negative if @a comes before @b */
typedef int (*rows_order)(const struct times_row *a, const struct times_row *b);

void rows_sort(struct rows *rows, rows_order order);

/** rows_by_id - ordered by CPU, task or vCPU */
int rows_by_id(const struct times_row *a, const struct times_row *b);

/** rows_by_time - the longest known time first; TIMES_OTHERS and the unknown task last */
int rows_by_time(const struct times_row *a, const struct times_row *b);

/** rows_by_guest - the longest in the guest first */
int rows_by_guest(const struct times_row *a, const struct times_row *b);

/**
 * rows_trim - remove the rows that were not used for longest, but none that is pinned
 * @rows:	the rows; all are unpinned
 * @nr:		how many may stay
 *
 * What they had is added to the row TIMES_OTHERS. Return: 0, or -1 with a message.
 */
int rows_trim(struct rows *rows, unsigned int nr);

/** rows_clear - set all times and counts to 0; the rows stay */
void rows_clear(struct rows *rows);

void rows_free(struct rows *rows);

#endif

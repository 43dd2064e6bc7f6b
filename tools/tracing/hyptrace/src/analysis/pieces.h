/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pieces that a delay consists of, one after the other without a gap.
 */
#ifndef HYPTRACE_PIECES_H
#define HYPTRACE_PIECES_H

#include "lib/types.h"

/* What a vCPU waits for; each nanosecond belongs to one of them */
enum part {
	PART_RUNNABLE,	/* its task could run, another one did */
	PART_ASLEEP,	/* its task slept in a system call */
	PART_LOCK,	/* its task waited for a lock of the kernel */
	PART_KERNEL,	/* its task ran in the host's kernel */
	PART_IRQ,	/* an interrupt of the host */
	PART_SOFTIRQ,
	PART_IPI,
	PART_USER,	/* its task ran in user space: the VMM */
	PART_HOST,	/* its task ran in the kernel or in user space */
	PART_EL2,
	PART_TLB,	/* EL2 invalidated TLB entries */
	PART_FIRMWARE,
	PART_OFF,	/* its task could run, on a CPU that was off */
	PART_UNKNOWN,
	NR_PARTS
};

/**
 * struct label - what a piece of time was spent on
 * @part:	in general
 * @id:		which one; see labels.h
 */
struct label {
	enum part part;
	u64 id;
};

bool label_equal(const struct label *a, const struct label *b);

/**
 * struct piece - a piece of time
 * @start:	its first ns, as a timestamp
 * @end:	the first ns behind it
 * @cpu:	the CPU of the task, or the one that it waited for
 * @label:	what it was spent on
 */
struct piece {
	u64 start;
	u64 end;
	unsigned int cpu;
	struct label label;
};

/**
 * struct pieces - pieces in order of time; all 0 at first
 * @piece:	them; each begins where the one before ends
 * @nr:		how many
 * @room:	how many fit
 */
struct pieces {
	struct piece *piece;
	size_t nr;
	size_t room;
};

/** pieces_add - add one that begins where the last one ends. Return: 0, -1 with a message. */
int pieces_add(struct pieces *p, const struct piece *one);

/**
 * struct relabel - which pieces get another label
 * @since:	what is before stays as it is
 * @any_cpu:	those of all CPUs
 * @cpu:	the CPU, unless @any_cpu
 * @old:	only those with this label, NULL for all
 * @label:	the new label
 */
struct relabel {
	u64 since;
	bool any_cpu;
	unsigned int cpu;
	const struct label *old;
	struct label label;
};

/** pieces_relabel - correct what was assumed. Return: 0, -1 with a message. */
int pieces_relabel(struct pieces *p, const struct relabel *r);

/** pieces_since - whether there is one of @cpu that ends after @since */
bool pieces_since(const struct pieces *p, unsigned int cpu, u64 since);

void pieces_free(struct pieces *p);

/**
 * struct total - the pieces of one label
 * @label:	the label
 * @ns:		how long they are
 * @nr:		how many
 * @longest:	the longest of them
 */
struct total {
	struct label label;
	u64 ns;
	u64 nr;
	const struct piece *longest;
};

/**
 * pieces_totals - sum up by label
 * @p:		the pieces
 * @nr:		gets the number of totals
 *
 * Return: the totals, the largest first, for free(); NULL with a message.
 */
struct total *pieces_totals(const struct pieces *p, size_t *nr);

#endif

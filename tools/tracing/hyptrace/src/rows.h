/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of times, by what they are about.
 */
#ifndef HYPTRACE_ROWS_H
#define HYPTRACE_ROWS_H

#include "times.h"
#include "types.h"

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
	unsigned int room;
};

/**
 * rows_get - the row for what @wanted says, made if there is none
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

/** rows_by_id - the order of what they are about */
int rows_by_id(const struct times_row *a, const struct times_row *b);

/** rows_by_time - the longest first, without what is unknown; nobody last */
int rows_by_time(const struct times_row *a, const struct times_row *b);

/** rows_by_guest - the longest in the guest first */
int rows_by_guest(const struct times_row *a, const struct times_row *b);

void rows_free(struct rows *rows);

#endif

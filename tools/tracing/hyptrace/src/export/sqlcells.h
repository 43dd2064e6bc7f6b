/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows that were computed, and wait to be taken.
 */
#ifndef HYPTRACE_SQLCELLS_H
#define HYPTRACE_SQLCELLS_H

#include "lib/types.h"
#include "lib/util.h"

enum cell_type { CELL_NULL, CELL_INTEGER, CELL_TEXT };

/**
 * struct cell - a value
 * @type:	what it is
 * @integer:	of CELL_INTEGER; one above 2^63 - 1 is negative, as SQL has no other numbers
 * @text:	of CELL_TEXT
 */
struct cell {
	enum cell_type type;
	long long integer;
	const char *text;
};

/**
 * struct cells - the rows; all 0 at first, but @width
 * @width:	cells of a row
 * @cell:	all cells, row by row
 * @nr:		how many
 * @room:	how many fit
 * @at:		the first one of the row that is taken next
 * @owned:	texts that are freed when all rows have been taken
 * @failed:	memory ran out, with a message
 */
struct cells {
	unsigned int width;
	struct cell *cell;
	size_t nr;
	size_t room;
	size_t at;
	struct strlist owned;
	bool failed;
};

/* Each adds the next cell of a row; a text has to outlive the rows. NULL is a text that is NULL */
void cells_null(struct cells *c);
void cells_integer(struct cells *c, u64 integer);
void cells_text(struct cells *c, const char *text);

/** cells_copy - the same with a copy of @text */
void cells_copy(struct cells *c, const char *text);

/** cells_owned - the same with @text itself, which is freed; NULL after a message fails */
void cells_owned(struct cells *c, char *text);

/** cells_row - the row that is taken next; NULL if there is none, and all were freed */
const struct cell *cells_row(struct cells *c);

/** cells_next - it was taken */
void cells_next(struct cells *c);

void cells_free(struct cells *c);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Rows that were computed. See cells.h.
 */
#include <stdlib.h>

#include "export/sqlcells.h"
#include "lib/array.h"
#include "lib/log.h"

static void add(struct cells *c, const struct cell *cell)
{
	if (c->failed)
		return;
	if (array_room(&c->cell, &c->room, c->nr + 1, sizeof(*c->cell))) {
		log_oom();
		c->failed = true;
		return;
	}
	c->cell[c->nr++] = *cell;
}

void cells_null(struct cells *c)
{
	add(c, &(struct cell) { .type = CELL_NULL });
}

void cells_integer(struct cells *c, u64 integer)
{
	add(c, &(struct cell) { .type = CELL_INTEGER, .integer = integer });
}

void cells_text(struct cells *c, const char *text)
{
	add(c, &(struct cell) { .type = text ? CELL_TEXT : CELL_NULL, .text = text });
}

void cells_copy(struct cells *c, const char *text)
{
	if (strlist_add(&c->owned, text))
		c->failed = true;
	else
		cells_text(c, c->owned.str[c->owned.nr - 1]);
}

void cells_owned(struct cells *c, char *text)
{
	if (text)
		cells_copy(c, text);
	else
		c->failed = true;
	free(text);
}

const struct cell *cells_row(struct cells *c)
{
	if (c->at < c->nr)
		return &c->cell[c->at];
	c->nr = 0;
	c->at = 0;
	strlist_free(&c->owned);
	return NULL;
}

void cells_next(struct cells *c)
{
	c->at += c->width;
}

void cells_free(struct cells *c)
{
	free(c->cell);
	strlist_free(&c->owned);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of all recordings, each of which is a table.
 */
#ifndef HYPTRACE_SQLEVENTKINDS_H
#define HYPTRACE_SQLEVENTKINDS_H

#include "export/sqlrecordings.h"

/**
 * struct eventfield - a field
 * @name:	its name in the formats
 * @string:	whether its values are texts, else integers
 */
struct eventfield {
	char *name;
	bool string;
};

/**
 * struct eventkind - an event
 * @system:	its system
 * @name:	its name
 * @table:	the name of its table
 * @field:	the fields of its formats in all recordings
 * @nr:		how many
 * @room:	how many fit
 */
struct eventkind {
	char *system;
	char *name;
	char *table;
	struct eventfield *field;
	size_t nr;
	size_t room;
};

/**
 * struct eventkinds - all of them; all 0 at first
 * @kind:	by system and name
 * @nr:		how many
 * @room:	how many fit
 * @by_name:	a tree of the same, of tsearch()
 * @failed:	memory ran out, with a message
 */
struct eventkinds {
	struct eventkind **kind;
	size_t nr;
	size_t room;
	void *by_name;
	bool failed;
};

/** eventkinds_read - take those of all recordings and guests. Return: 0, or -1 with a message. */
int eventkinds_read(struct eventkinds *e, const struct recordings *r);

/**
 * eventkinds_name - name the tables
 * @e:		the events
 * @is_taken:	whether no table can have this name
 *
 * A table has the name of the event, or that of its system in front if that is taken, or if
 * another event has it: "system_name".
 *
 * Return: 0, or -1 with a message.
 */
int eventkinds_name(struct eventkinds *e, bool (*is_taken)(const char *name));

void eventkinds_free(struct eventkinds *e);

#endif

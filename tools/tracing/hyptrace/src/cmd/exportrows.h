/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hyptrace export --rows: the computed tables of hyptrace query as files, for a database.
 */
#ifndef HYPTRACE_EXPORTROWS_H
#define HYPTRACE_EXPORTROWS_H

#include "lib/types.h"
#include "lib/util.h"
#include "trace/datr.h"

/**
 * struct exportrows - what is wanted
 * @directory:	where files go: schema.sql, and TABLE/ID.tsv of each table
 * @tables:	names of tables; none for all
 * @quiet:	print no summary
 */
struct exportrows {
	const char *directory;
	struct strlist tables;
	bool quiet;
};

/** exportrows_add - add @names, with commas between. Return: 0, or -1 with a message. */
int exportrows_add(struct exportrows *e, char *names);

/**
 * exportrows_write - write the files
 * @e:		what is wanted
 * @path:	name of the recording
 * @d:		the recording; freed
 *
 * Return: 0; -1 with a message; 1 with a message if the recording is corrupt in places.
 */
int exportrows_write(const struct exportrows *e, const char *path, struct datr *d);

#endif

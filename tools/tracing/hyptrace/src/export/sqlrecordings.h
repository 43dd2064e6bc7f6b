/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recordings that a query reads.
 */
#ifndef HYPTRACE_SQLRECORDINGS_H
#define HYPTRACE_SQLRECORDINGS_H

#include "lib/types.h"
#include "trace/corrupt.h"
#include "trace/datr.h"
#include "trace/evdb.h"

/**
 * struct query_recording - a recording
 * @id:		its number, from 1 on
 * @path:	the file's name
 * @d:		the file
 * @db:		its events
 * @corrupt:	corrupt places that were met so far
 */
struct query_recording {
	unsigned int id;
	const char *path;
	struct datr *d;
	struct evdb *db;
	struct corrupt corrupt;
};

/**
 * struct recordings - all of them; all 0 at first
 * @recording:	them
 * @nr:		how many
 * @room:	how many fit
 */
struct recordings {
	struct query_recording *recording;
	size_t nr;
	size_t room;
};

/**
 * recordings_add - add one
 * @r:		those before
 * @path:	the file's name; must outlive @r
 * @d:		the file, which belongs to @r then, also after an error
 *
 * Return: 0, or -1 with a message.
 */
int recordings_add(struct recordings *r, const char *path, struct datr *d);

/** recording_corrupt - corrupt places were met when all of the recording was read */
void recording_corrupt(struct query_recording *r, const struct corrupt *c);

/** recordings_check - Return: 0, or 1 with a message if corrupt places were met */
int recordings_check(const struct recordings *r);

void recordings_free(struct recordings *r);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The transitions of pages in a file.
 */
#ifndef HYPTRACE_FILEPAGES_H
#define HYPTRACE_FILEPAGES_H

#include "analysis/pagelog.h"
#include "trace/corrupt.h"
#include "trace/datr.h"
#include "trace/evdb.h"

/**
 * struct filepages - what was read
 * @db:		the events of the file
 * @log:	the transitions
 * @corrupt:	corrupt sub-buffers
 */
struct filepages {
	struct evdb *db;
	struct pagelog *log;
	struct corrupt corrupt;
};

/**
 * filepages_read - read a file
 * @d:		the file; must outlive what is read
 * @p:		what is read
 *
 * Of all CPUs, since a page may change hands on any.
 *
 * Return: 0, or -1 with a message, also if transitions were not recorded.
 */
int filepages_read(struct datr *d, struct filepages *p);

/** filepages_free - free it, also after an error */
void filepages_free(struct filepages *p);

#endif

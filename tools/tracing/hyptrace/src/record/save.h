/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a recording's descriptions, which a reader needs, into a trace.dat file.
 */
#ifndef HYPTRACE_SAVE_H
#define HYPTRACE_SAVE_H

#include "record/recording.h"
#include "record/streams.h"
#include "trace/datr.h"
#include "trace/datw.h"

/**
 * save_descriptions - write the descriptions of the events
 * @w:		gets it
 * @r:		what is recorded
 *
 * Return: 0, or -1 with a message; errors of @w are reported by datw_finish().
 */
int save_descriptions(struct datw *w, const struct recording *r);

/**
 * save_head - write a file with everything except the data and what is known at the end
 * @fd:		the file, empty; it is closed
 * @path:	its name in messages
 * @r:		what is recorded
 * @s:		its buffers
 * @packing:	how the file is compressed, or NULL
 *
 * Return: 0, or -1 with a message.
 */
int save_head(int fd, const char *path, const struct recording *r,
	      const struct streams *s, const struct packing *packing);

/** save_has_end - whether save_end() has been done */
bool save_has_end(const struct datr *d);

/**
 * save_end - add what is known at the end, such as the names of tasks
 * @w:		gets it
 * @d:		the file so far; after another boot, these names are not known any more
 * @texts:	options CPUSTAT to add
 */
void save_end(struct datw *w, const struct datr *d, const struct strlist *texts);

#endif

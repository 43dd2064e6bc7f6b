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

/** save_nr_cpus - numbers of CPUs that a file has, of each side */
u32 save_nr_cpus(const struct recording *r);

/** save_sent_nr_cpus - the same of both sides together, as in a file that is sent */
u32 save_sent_nr_cpus(const struct recording *r);

/**
 * save_sent - begin a file that is sent: all that is known before the recording
 * @fd:		the file, empty; it is closed by save_sent_end()
 * @path:	its name in messages
 * @r:		what is recorded
 * @page_size:	sub-buffer size of all buffers
 *
 * Return: the writer, for save_sent_end() or datw_abort(); NULL with a message.
 */
struct datw *save_sent(int fd, const char *path, const struct recording *r, u32 page_size);

/**
 * save_sent_end - add what is known at the end; only the data is missing then
 * @w:		the writer
 * @r:		what was recorded
 * @texts:	options CPUSTAT to add
 *
 * Return: 0, or -1 with a message.
 */
int save_sent_end(struct datw *w, const struct recording *r, const struct strlist *texts);

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

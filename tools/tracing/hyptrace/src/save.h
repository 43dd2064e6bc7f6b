/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes what a recording found out into a trace.dat file: the descriptions
 * that a reader needs.
 */
#ifndef HYPTRACE_SAVE_H
#define HYPTRACE_SAVE_H

#include "datr.h"
#include "datw.h"
#include "recording.h"
#include "streams.h"

/**
 * save_descriptions - what a reader has to know of the events
 * @w:		gets it
 * @r:		what is recorded
 *
 * Return: 0, or -1 with a message; errors of @w show up in datw_finish().
 */
int save_descriptions(struct datw *w, const struct recording *r);

/**
 * save_head - write a file that has everything but the data and what is known at the end
 * @path:	the file
 * @r:		what is recorded
 * @s:		its buffers
 *
 * Return: 0, or -1 with a message.
 */
int save_head(const char *path, const struct recording *r, const struct streams *s);

/** save_has_end - whether save_end() was done already */
bool save_has_end(const struct datr *d);

/**
 * save_end - add what is known at the end, as the names of tasks
 * @w:		gets it
 * @d:		the file before; on another boot, nobody knows these names any more
 * @texts:	options CPUSTAT to add
 */
void save_end(struct datw *w, const struct datr *d, const struct strlist *texts);

#endif

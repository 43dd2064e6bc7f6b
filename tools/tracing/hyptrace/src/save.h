/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes what a recording found out into a trace.dat file: the descriptions
 * that a reader needs, then the capture.
 */
#ifndef HYPTRACE_SAVE_H
#define HYPTRACE_SAVE_H

#include "capture.h"
#include "recording.h"

/**
 * save_descriptions - what a reader has to know of the events
 * @w:		gets it
 * @r:		what is recorded
 *
 * Return: 0, or -1 with a message; errors of @w show up in datw_finish().
 */
int save_descriptions(struct datw *w, const struct recording *r);

/**
 * save_recording - write the file
 * @r:		what was recorded
 * @c:		the capture, stopped
 * @path:	the file
 *
 * Return: 0, or -1 with a message.
 */
int save_recording(const struct recording *r, struct capture *c,
		   const char *path);

#endif

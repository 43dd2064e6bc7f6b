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

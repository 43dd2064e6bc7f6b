/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All buffers of a recording, followed by one thread per CPU.
 *
 * The sub-buffers of each go to a nameless file in the directory of the output
 * file, so they vanish if the program is killed.
 */
#ifndef HYPTRACE_CAPTURE_H
#define HYPTRACE_CAPTURE_H

#include "datw.h"
#include "recording.h"
#include "streams.h"

struct capture;

/**
 * capture_open - map the buffers
 * @r:		which; must outlive the capture
 * @output:	path of the output file
 *
 * Return: the capture, or NULL with a message.
 */
struct capture *capture_open(const struct recording *r, const char *output);

/** capture_start - begin to follow. Return: 0, or -1 with a message. */
int capture_start(struct capture *c);

/** capture_failed_fd - polls readable when a thread gave up */
int capture_failed_fd(const struct capture *c);

/**
 * capture_stop - drain all and end the threads
 *
 * Context: both sides are switched off.
 * Return: 0, or -1 if a thread had an error, which was told.
 */
int capture_stop(struct capture *c);

/** capture_streams - what it follows */
const struct streams *capture_streams(const struct capture *c);

/**
 * capture_save - add the buffers and the counters to a file
 *
 * Return: 0, or -1 with a message; errors of @w show up in datw_finish().
 */
int capture_save(struct capture *c, struct datw *w,
		 const char * const clock[NR_SIDES]);

/** capture_close - unmap all; @c may be NULL */
void capture_close(struct capture *c);

#endif

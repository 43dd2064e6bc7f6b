/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All buffers of a recording, followed by one thread per CPU.
 *
 * The sub-buffers of each are written to a file at once, so they are not lost if the
 * program is killed.
 */
#ifndef HYPTRACE_CAPTURE_H
#define HYPTRACE_CAPTURE_H

#include "record/part.h"
#include "record/recording.h"
#include "record/streams.h"

struct capture;

/**
 * capture_open - map the buffers
 * @r:		which; must outlive the capture
 * @part:	where the files go; must outlive the capture
 *
 * Return: the capture, or NULL with a message.
 */
struct capture *capture_open(const struct recording *r, struct part *part);

/** capture_start - begin to follow. Return: 0, or -1 with a message. */
int capture_start(struct capture *c);

/** capture_failed_fd - polls readable when a thread has failed */
int capture_failed_fd(const struct capture *c);

/**
 * capture_stop - drain all and end the threads
 *
 * Context: both sides are switched off.
 * Return: 0, or -1 if a thread had an error, with a message.
 */
int capture_stop(struct capture *c);

/** capture_streams - the streams that it follows */
const struct streams *capture_streams(const struct capture *c);

/** capture_file - the file with the sub-buffers of the i-th CPU */
int capture_file(const struct capture *c, unsigned int i, enum side side);

/** capture_counters - the kernel's counters, as texts. Return: 0, -1 with a message. */
int capture_counters(const struct capture *c, struct strlist *texts);

/** capture_close - unmap all; @c may be NULL */
void capture_close(struct capture *c);

#endif

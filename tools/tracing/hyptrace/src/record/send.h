/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sends a recording to "trace-cmd listen", while it is made.
 */
#ifndef HYPTRACE_SEND_H
#define HYPTRACE_SEND_H

#include "lib/address.h"
#include "record/capture.h"
#include "record/recording.h"
#include "trace/datcopy.h"

/* The port if none is given */
#define SEND_PORT		"12345"

struct sender;

/**
 * sender_new - connect, and send what is recorded from now on
 * @to:		the address; must outlive the sender
 * @r:		what is recorded
 * @c:		the capture, not started; must outlive the sender
 * @file:	where the recording goes if the connection is lost, for messages
 *
 * Return: NULL with a message.
 */
struct sender *sender_new(const struct address *to, const struct recording *r,
			  const struct capture *c, const char *file);

/**
 * sender_finish - send the rest
 * @s:		the sender
 * @texts:	options CPUSTAT to add
 * @watch:	is told of the data that was sent
 * @sigfd:	polls readable when the user does not want to wait any longer
 *
 * Context: the capture has stopped.
 * Return: 0 once the other side has read all, or -1 with a message if the connection was lost.
 */
int sender_finish(struct sender *s, const struct strlist *texts, const struct datwatch *watch,
		  int sigfd);

/** sender_free - end @s, which may be NULL. If it was not finished, there is no file there */
void sender_free(struct sender *s);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tracing session, as in record, live and top: events and CPUs are looked up, both
 * sides are prepared, or the host's alone, COMMAND runs, and everything is restored.
 *
 *	session_open()		looks everything up; nothing is changed yet. From now on,
 *				signals are read, and stdout and stderr are those of
 *				output_start()
 *	session_prepare()	each change goes into the undo journal; the
 *				hypervisor's buffer is loaded by switching it on
 *				without any event
 *	the caller maps the buffers, so that they stay loaded
 *	session_arm()		enables the events while both sides are off, so
 *				that all events of a side begin at once
 *	session_start()		hypervisor on, host on, in this order, so that each
 *				host event has its hypervisor events; COMMAND runs
 *	session_wait()
 *	session_stop()		host off, hypervisor off
 *	the caller reads the rest, and unmaps: a mapped buffer cannot be resized
 *	session_close()		undo
 *
 * With @from_boot, both sides are traced already, nothing is changed before session_stop(),
 * and nothing is undone: afterwards both are off.
 */
#ifndef HYPTRACE_SESSION_H
#define HYPTRACE_SESSION_H

#include <poll.h>

#include "lib/types.h"
#include "lib/util.h"
#include "record/child.h"
#include "record/choose.h"
#include "record/recording.h"
#include "record/undo.h"

/**
 * struct session - a tracing session; all 0 at first
 * @opt:	what the user wants
 * @r:		what is traced
 * @undo:	journal of the changes
 * @child:	COMMAND, or NULL
 * @sigfd:	reads the signals
 * @status:	exit status so far
 * @signal:	the signal that ended it, or 0
 * @start:	when it began, ns
 */
struct session {
	const struct session_options *opt;
	struct recording r;
	struct undo *undo;
	struct child *child;
	int sigfd;
	int status;
	int signal;
	u64 start;
};

/*
 * Each returns 0, or -1 with a message. session_close() has to be called after
 * session_open(), even if that or anything else failed.
 */
int session_open(struct session *s, const struct session_options *o);
int session_prepare(struct session *s);
int session_arm(struct session *s);
int session_start(struct session *s);

/**
 * session_wait - wait for something to happen
 * @s:		the session
 * @extra:	what else to wait for; revents are set
 * @nr:		how many, MAX_EXTRA at most
 * @ms:		timeout
 *
 * Return: true if the session ends: by a signal, the end of COMMAND or the duration.
 */
bool session_wait(struct session *s, struct pollfd *extra, unsigned int nr, int ms);

#define MAX_EXTRA	3

/** session_elapsed_ms - since session_start() */
u64 session_elapsed_ms(const struct session *s);
int session_stop(struct session *s);

/** session_in_vain - after session_stop(): whether COMMAND could not be run */
bool session_in_vain(const struct session *s);
int session_close(struct session *s);

/** session_status - the exit status, where @ret is not 0 after errors */
int session_status(const struct session *s, int ret);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Signals that end the program. See endsignals.h.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

#include "lib/log.h"
#include "lib/types.h"
#include "record/endsignals.h"

int endsignals_open(void)
{
	static const int list[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;
	unsigned int i;
	int fd;

	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(list); i++)
		sigaddset(&set, list[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* if it is ignored, the exit status of COMMAND is lost */
	signal(SIGCHLD, SIG_DFL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? log_error("cannot create a signalfd: %s", strerror(errno)) : fd;
}

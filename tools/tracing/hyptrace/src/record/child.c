// SPDX-License-Identifier: GPL-2.0
/*
 * The command that is recorded. See child.h.
 *
 * The child waits in a read() of a pipe. It gets a byte when it may run the command.
 * If the parent closes the pipe or dies instead, the child exits. If the command cannot be
 * run, the child writes errno to a second pipe, which otherwise is closed by execvp().
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/util.h"
#include "record/child.h"

#define EXIT_CANNOT_RUN		127

/* The grace period; SESSION_END_DOC and common_record_exit.txt have it as well */
#define GRACE_MS		10000
/* Of it, how long nothing is said */
#define QUIET_MS		1000

/**
 * struct child - the process
 * @name:	of the command
 * @pid:	0 or -1 if there is none
 * @fd:		its pidfd
 * @go:		the pipe to it, -1 when it may run
 * @failed:	the pipe from it
 * @ended:	it has ended
 * @not_run:	the command could not be run
 * @told:	the user knows that it is waited for
 * @status:	exit status
 */
struct child {
	const char *name;
	pid_t pid;
	int fd;
	int go;
	int failed;
	bool ended;
	bool not_run;
	bool told;
	int status;
};

static void __noreturn child_main(int go, int failed, char **argv)
{
	sigset_t none;
	char byte;
	int err;

	if (read(go, &byte, 1) != 1)
		_exit(EXIT_CANNOT_RUN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(EXIT_ERROR);
	_exit(EXIT_CANNOT_RUN);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int fork_child(struct child *c, char **argv)
{
	int go[2] = { -1, -1 }, failed[2] = { -1, -1 };

	c->pid = -1;
	if (!pipe2(go, O_CLOEXEC) && !pipe2(failed, O_CLOEXEC))
		c->pid = fork();
	if (!c->pid) {
		close(go[1]);
		child_main(go[0], failed[1], argv);
	}
	close_fd(&go[0]);
	close_fd(&failed[1]);
	c->go = go[1];
	c->failed = failed[0];
	if (c->pid > 0)
		c->fd = pidfd_open(c->pid, 0);
	return c->fd < 0 ? -1 : 0;
}

struct child *child_fork(char **argv)
{
	struct child *c = calloc(1, sizeof(*c));

	if (c) {
		c->name = argv[0];
		c->fd = -1;
		c->go = -1;
		c->failed = -1;
	}
	if (c && !fork_child(c, argv))
		return c;
	log_error("cannot start '%s': %s", argv[0], strerror(errno));
	child_free(c, false, -1);
	return NULL;
}

void child_go(struct child *c)
{
	if (write(c->go, "", 1) != 1)
		log_error("cannot start the command: %s", strerror(errno));
	close_fd(&c->go);
}

int child_fd(const struct child *c)
{
	return c->fd;
}

/* Context: it has ended, so that this does not block */
static void see_failure(struct child *c)
{
	int err;

	if (read(c->failed, &err, sizeof(err)) != sizeof(err))
		return;
	c->not_run = true;
	log_error("cannot run '%s': %s", c->name, strerror(err));
}

static void set_ended(struct child *c, int wait_status)
{
	c->ended = true;
	c->status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) :
					       WEXITSTATUS(wait_status);
	see_failure(c);
}

bool child_ended(struct child *c, int *status)
{
	int ws;

	if (!c->ended && waitpid(c->pid, &ws, WNOHANG) == c->pid)
		set_ended(c, ws);
	*status = c->status;
	return c->ended;
}

bool child_not_run(const struct child *c)
{
	return c->not_run;
}

void child_signal(struct child *c, int sig)
{
	int status;

	if (!child_ended(c, &status))
		kill(c->pid, sig);
}

static void kill_it(struct child *c)
{
	int ws;

	child_signal(c, SIGKILL);
	if (!c->ended && waitpid(c->pid, &ws, 0) == c->pid)
		set_ended(c, ws);
}

/* Return: whether it has ended within @ms. A signal kills it, so that it has. */
static bool ends_within(struct child *c, int sigfd, int ms)
{
	u64 end = now_ns() + ms * NSEC_PER_MSEC, now;
	struct pollfd p[] = {
		{ .fd = sigfd, .events = POLLIN },
		{ .fd = c->fd, .events = POLLIN },
	};
	int status;

	while (!child_ended(c, &status)) {
		now = now_ns();
		if (now >= end)
			return false;
		if (poll(p, ARRAY_SIZE(p), (end - now) / NSEC_PER_MSEC + 1) > 0 && p[0].revents)
			kill_it(c);
	}
	return true;
}

/* The same within the grace period, of which the first part passes without a message */
static bool ends_in_time(struct child *c, int sigfd)
{
	if (ends_within(c, sigfd, QUIET_MS))
		return true;
	if (!c->told) {
		log_note("waiting for '%s', process %d, to end; Ctrl-C kills it", c->name,
			 c->pid);
		c->told = true;
	}
	return ends_within(c, sigfd, GRACE_MS - QUIET_MS);
}

static void make_end(struct child *c, bool signalled, int sigfd)
{
	if (signalled && ends_in_time(c, sigfd))
		return;
	child_signal(c, SIGTERM);
	if (!ends_in_time(c, sigfd))
		kill_it(c);
}

void child_free(struct child *c, bool signalled, int sigfd)
{
	if (!c)
		return;
	close_fd(&c->go);
	if (c->pid > 0)
		make_end(c, signalled, sigfd);
	close_fd(&c->failed);
	close_fd(&c->fd);
	free(c);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The command that is recorded. See child.h.
 *
 * The child waits in a read() of a pipe. It gets a byte when it may run the command.
 * If the parent closes the pipe or dies instead, the child exits.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/log.h"
#include "record/child.h"

#define EXIT_CANNOT_RUN		127

/* The grace period; SESSION_END_DOC and common_record_exit.txt have it as well */
#define GRACE_MS		10000
#define POLL_MS			10

struct child {
	pid_t pid;
	int fd;
	int go;
	bool ended;
	int status;
};

static void __noreturn child_main(int go, char **argv)
{
	sigset_t none;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(EXIT_CANNOT_RUN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(argv[0], argv);
	log_error("cannot run '%s': %s", argv[0], strerror(errno));
	_exit(EXIT_CANNOT_RUN);
}

static int fork_child(struct child *c, char **argv)
{
	int pipefd[2];

	if (pipe2(pipefd, O_CLOEXEC))
		return -1;
	c->go = pipefd[1];
	c->pid = fork();
	if (!c->pid) {
		close(pipefd[1]);
		child_main(pipefd[0], argv);
	}
	close(pipefd[0]);
	if (c->pid > 0)
		c->fd = pidfd_open(c->pid, 0);
	return c->fd < 0 ? -1 : 0;
}

struct child *child_fork(char **argv)
{
	struct child *c = calloc(1, sizeof(*c));

	if (c) {
		c->fd = -1;
		c->go = -1;
	}
	if (c && !fork_child(c, argv))
		return c;
	log_error("cannot start '%s': %s", argv[0], strerror(errno));
	child_free(c, false);
	return NULL;
}

static void close_go(struct child *c)
{
	if (c->go >= 0)
		close(c->go);
	c->go = -1;
}

void child_go(struct child *c)
{
	if (write(c->go, "", 1) != 1)
		log_error("cannot start the command: %s", strerror(errno));
	close_go(c);
}

int child_fd(const struct child *c)
{
	return c->fd;
}

bool child_ended(struct child *c, int *status)
{
	int ws;

	if (!c->ended && waitpid(c->pid, &ws, WNOHANG) == c->pid) {
		c->ended = true;
		c->status = WIFSIGNALED(ws) ? 128 + WTERMSIG(ws) :
					      WEXITSTATUS(ws);
	}
	*status = c->status;
	return c->ended;
}

void child_signal(struct child *c, int sig)
{
	int status;

	if (!child_ended(c, &status))
		kill(c->pid, sig);
}

static bool ends_in_time(struct child *c)
{
	int status, ms;

	for (ms = 0; ms < GRACE_MS; ms += POLL_MS) {
		if (child_ended(c, &status))
			return true;
		usleep(POLL_MS * 1000);
	}
	return false;
}

static void make_end(struct child *c, bool told)
{
	int status;

	if (told && ends_in_time(c))
		return;
	child_signal(c, SIGTERM);
	if (ends_in_time(c))
		return;
	child_signal(c, SIGKILL);
	waitpid(c->pid, &status, 0);
}

void child_free(struct child *c, bool told)
{
	if (!c)
		return;
	close_go(c);
	if (c->pid > 0)
		make_end(c, told);
	if (c->fd >= 0)
		close(c->fd);
	free(c);
}

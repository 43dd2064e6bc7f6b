// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a command on a new terminal, and sends keys to it.
 *
 *	pty ROWS COLUMNS MS KEYS COMMAND [ARG]...
 *
 * Copies its output to standard output, unchanged. Sends one of KEYS every MS milliseconds.
 * SIGCHLD is ignored in COMMAND, as some parent processes leave it. Exit
 * status: that of COMMAND, 128 + n if signal n ended it; 1 on errors.
 */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Return: false when the command has closed the terminal */
static bool copy(int fd)
{
	char buf[4096];
	ssize_t n = read(fd, buf, sizeof(buf));

	return n > 0 && write(STDOUT_FILENO, buf, n) == n;
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void serve(int fd, int ms, const char *keys)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	long next = now_ms() + ms;

	for (;;) {
		/* A read that sees the close may miss what was written just before */
		if (poll(&p, 1, *keys ? 10 : -1) > 0 && !copy(fd) && !copy(fd))
			return;
		if (!*keys || now_ms() < next)
			continue;
		next += ms;
		if (write(fd, keys++, 1) < 0)
			return;
	}
}

int main(int argc, char **argv)
{
	struct winsize size = { 0 };
	int fd, status;
	pid_t pid;

	if (argc < 6)
		return 1;
	size.ws_row = atoi(argv[1]);
	size.ws_col = atoi(argv[2]);
	pid = forkpty(&fd, NULL, NULL, &size);
	if (pid < 0) {
		perror("forkpty");
		return 1;
	}
	if (!pid) {
		signal(SIGCHLD, SIG_IGN);
		execvp(argv[5], &argv[5]);
		_exit(127);
	}
	serve(fd, atoi(argv[3]), argv[4]);
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

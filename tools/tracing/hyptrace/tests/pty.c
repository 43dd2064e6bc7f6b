// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a command on a new terminal, and sends keys to it.
 *
 *	pty ROWS COLUMNS [TEXT KEYS]... -- COMMAND [ARG]...
 *
 * Copies its output to standard output, unchanged. Waits for each TEXT in what follows the
 * TEXT before it, and then sends KEYS, which may be empty.
 * SIGCHLD is ignored in COMMAND, as some parent processes leave it. Exit
 * status: that of COMMAND, 128 + n if signal n ended it; 1 on errors.
 */
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is awaited: a text, which starts with its only such character, and its keys */
struct keys {
	char **pair, **end;
	size_t matched;
};

static bool send_keys(struct keys *keys, int fd, const char *output, ssize_t n)
{
	ssize_t i;

	for (i = 0; i < n && keys->pair != keys->end; i++) {
		const char *text = keys->pair[0], *key = keys->pair[1];

		if (output[i] != text[keys->matched])
			keys->matched = 0;
		if (output[i] != text[keys->matched] || text[++keys->matched])
			continue;
		if (write(fd, key, strlen(key)) < 0)
			return false;
		keys->matched = 0;
		keys->pair += 2;
	}
	return true;
}

/* Return: false when the command has closed the terminal */
static bool copy(int fd, struct keys *keys)
{
	char buf[4096];
	ssize_t n = read(fd, buf, sizeof(buf));

	return n > 0 && write(STDOUT_FILENO, buf, n) == n && send_keys(keys, fd, buf, n);
}

int main(int argc, char **argv)
{
	struct winsize size = { 0 };
	struct keys keys = { 0 };
	int fd, status, arg = 3;
	pid_t pid;

	while (arg < argc && strcmp(argv[arg], "--"))
		arg += 2;
	if (arg + 1 >= argc)
		return 1;
	keys.pair = argv + 3;
	keys.end = argv + arg++;
	size.ws_row = atoi(argv[1]);
	size.ws_col = atoi(argv[2]);
	pid = forkpty(&fd, NULL, NULL, &size);
	if (pid < 0) {
		perror("forkpty");
		return 1;
	}
	if (!pid) {
		signal(SIGCHLD, SIG_IGN);
		execvp(argv[arg], &argv[arg]);
		_exit(127);
	}
	/* A read that sees the close may miss what was written just before */
	while (copy(fd, &keys) || copy(fd, &keys))
		;
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

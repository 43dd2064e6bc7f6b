// SPDX-License-Identifier: GPL-2.0
/*
 * A text that refreshes. See screen.h.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "cmd/screen.h"
#include "lib/log.h"

#define HOME		"\033[H"
#define CLEAR_LINE	"\033[K"
#define CLEAR_REST	"\033[J"

/**
 * struct screen - the terminal, or what is used instead
 * @in_place:	a text replaces the previous one
 * @shown:	there is a previous one
 * @keys:	where keys are read, or -1
 * @changed:	the terminal has the mode @ours
 * @before:	its mode before
 * @ours:	its mode while keys are read
 * @job_signals: signalfd of SIGTSTP and SIGCONT, or -1
 * @text:	the text that is being written
 * @buf:	the same
 * @size:	its size
 */
struct screen {
	bool in_place;
	bool shown;
	int keys;
	bool changed;
	struct termios before;
	struct termios ours;
	int job_signals;
	FILE *text;
	char *buf;
	size_t size;
};

static bool is_screen(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

static int get_mode(struct screen *s)
{
	if (tcgetattr(STDIN_FILENO, &s->before))
		return -1;
	s->ours = s->before;
	s->ours.c_lflag &= ~(ICANON | ECHO);
	s->ours.c_cc[VMIN] = 0;
	s->ours.c_cc[VTIME] = 0;
	return 0;
}

/* Read keys one by one, without echo; not in the background, where that would stop us */
static void take_keys(struct screen *s)
{
	s->keys = -1;
	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
	    (!s->changed && get_mode(s)) || tcsetattr(STDIN_FILENO, TCSANOW, &s->ours))
		return;
	s->changed = true;
	s->keys = STDIN_FILENO;
}

static void give_back(struct screen *s)
{
	if (s->changed)
		tcsetattr(STDIN_FILENO, TCSANOW, &s->before);
	s->changed = false;
}

/* Without it, Ctrl-Z would leave the terminal in our mode */
static int catch_job_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Returns when the process is continued */
static void stop(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void take_job_signal(struct screen *s)
{
	struct signalfd_siginfo si;

	if (read(s->job_signals, &si, sizeof(si)) != sizeof(si))
		return;
	if (si.ssi_signo == SIGTSTP) {
		give_back(s);
		stop();
	}
	take_keys(s);
}

struct screen *screen_new(bool plain, bool keys)
{
	struct screen *s = calloc(1, sizeof(*s));

	if (!s) {
		log_oom();
		return NULL;
	}
	s->keys = -1;
	s->job_signals = -1;
	s->in_place = !plain && is_screen();
	if (s->in_place && keys) {
		s->job_signals = catch_job_signals();
		take_keys(s);
	}
	return s;
}

bool screen_in_place(const struct screen *s)
{
	return s->in_place;
}

FILE *screen_begin(struct screen *s)
{
	s->text = open_memstream(&s->buf, &s->size);
	if (!s->text)
		log_oom();
	return s->text;
}

/* The last line of the terminal stays empty: the cursor is there */
static void show_in_place(const struct screen *s)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	const char *line = s->buf;
	unsigned int row;
	size_t len;

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	fputs(HOME, stdout);
	for (row = 1; *line && (!size.ws_row || row < size.ws_row); row++) {
		len = strcspn(line, "\n");
		printf("%.*s" CLEAR_LINE "\n",
		       (int)(size.ws_col && len > size.ws_col ? size.ws_col : len), line);
		line += len + !!line[len];
	}
	fputs(CLEAR_REST, stdout);
}

static void show_behind(struct screen *s)
{
	if (s->shown)
		putchar('\n');
	fputs(s->buf, stdout);
}

void screen_end(struct screen *s)
{
	if (fclose(s->text))
		log_oom();
	else if (s->in_place)
		show_in_place(s);
	else
		show_behind(s);
	s->shown = true;
	fflush(stdout);
	free(s->buf);
	s->buf = NULL;
}

enum { OUTPUT, JOB_SIGNALS, KEYS };

void screen_poll(const struct screen *s, struct pollfd *p)
{
	p[OUTPUT] = (struct pollfd){ .fd = STDOUT_FILENO };
	p[JOB_SIGNALS] = (struct pollfd){ .fd = s->job_signals, .events = POLLIN };
	p[KEYS] = (struct pollfd){ .fd = s->keys, .events = POLLIN };
}

static bool is_quit_key(int fd)
{
	char key;

	return read(fd, &key, 1) == 1 && (key == 'q' || key == 'Q');
}

bool screen_quits(struct screen *s, const struct pollfd *p)
{
	if (p[JOB_SIGNALS].revents) {
		take_job_signal(s);
		return false;
	}
	return p[OUTPUT].revents & POLLERR || (p[KEYS].revents && is_quit_key(s->keys));
}

void screen_free(struct screen *s)
{
	if (!s)
		return;
	give_back(s);
	if (s->job_signals >= 0)
		close(s->job_signals);
	free(s);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A text that refreshes. See screen.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cmd/screen.h"
#include "lib/log.h"

#define HOME		"\033[H"
#define CLEAR_LINE	"\033[K"
#define CLEAR_REST	"\033[J"

struct screen {
	bool in_place;
	bool shown;
	int keys;
	struct termios before;
	FILE *text;
	char *buf;
	size_t size;
};

static bool is_screen(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

/* Read keys one by one, without echo; not in the background, where that would stop us */
static void take_keys(struct screen *s)
{
	struct termios t;

	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
	    tcgetattr(STDIN_FILENO, &s->before))
		return;
	t = s->before;
	t.c_lflag &= ~(ICANON | ECHO);
	t.c_cc[VMIN] = 0;
	t.c_cc[VTIME] = 0;
	if (!tcsetattr(STDIN_FILENO, TCSANOW, &t))
		s->keys = STDIN_FILENO;
}

struct screen *screen_new(bool plain, bool keys)
{
	struct screen *s = calloc(1, sizeof(*s));

	if (!s) {
		log_oom();
		return NULL;
	}
	s->keys = -1;
	s->in_place = !plain && is_screen();
	if (s->in_place && keys)
		take_keys(s);
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

int screen_key_fd(const struct screen *s)
{
	return s->keys;
}

bool screen_quits(struct screen *s)
{
	char key;

	return read(s->keys, &key, 1) == 1 && (key == 'q' || key == 'Q');
}

void screen_free(struct screen *s)
{
	if (!s)
		return;
	if (s->keys >= 0)
		tcsetattr(s->keys, TCSANOW, &s->before);
	free(s);
}

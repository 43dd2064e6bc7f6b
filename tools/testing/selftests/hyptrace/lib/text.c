// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of a CPU as text; see text.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

void text_free(struct text *text)
{
	free(text->lines);
	free(text->buf);
	*text = (struct text){};
}

static void split(struct text *text)
{
	char *line, *rest, *name;
	size_t room = 0;

	for (rest = text->buf; (line = strsep(&rest, "\n")) && *line;) {
		name = strstr(line, ": ");
		if (text->nr == room) {
			room += 4096;
			text->lines = realloc(text->lines, room * sizeof(*text->lines));
		}
		text->lines[text->nr++] = name ? name + 2 : line;
	}
}

int text_read(const struct source *src, int cpu, struct text *text)
{
	size_t len = 0, room = 0;
	ssize_t ret;
	int fd;

	text_free(text);
	fd = source_open_file(src, O_RDONLY, "per_cpu/cpu%d/trace", cpu);
	if (fd < 0)
		return fd;
	do {
		if (room - len < 65536) {
			room += 1 << 20;
			text->buf = realloc(text->buf, room);
		}
		ret = read(fd, text->buf + len, room - len - 1);
		len += ret > 0 ? ret : 0;
	} while (ret > 0);
	ret = ret < 0 ? -errno : 0;
	close(fd);
	text->buf[len] = '\0';
	split(text);
	return ret;
}

long text_find_from(const struct text *text, long from, const char *name, const char *what)
{
	size_t i, len = strlen(name);

	for (i = from; from >= 0 && i < text->nr; i++) {
		if (!strncmp(text->lines[i], name, len) && text->lines[i][len] == ' ' &&
		    strstr(text->lines[i], what))
			return i;
	}
	return -1;
}

long text_find(const struct text *text, const char *name, const char *what)
{
	return text_find_from(text, 0, name, what);
}

size_t text_count(const struct text *text, const char *name)
{
	size_t nr = 0;
	long i;

	for (i = 0; (i = text_find_from(text, i, name, "")) >= 0; i++)
		nr++;
	return nr;
}

unsigned long long text_value(const char *line, const char *field)
{
	const char *at = strstr(line, field);

	return at ? strtoull(at + strlen(field), NULL, 0) : ~0ULL;
}

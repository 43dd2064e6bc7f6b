// SPDX-License-Identifier: GPL-2.0
/*
 * A temporary file. See scratch.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/mapfile.h"
#include "lib/scratch.h"
#include "lib/util.h"

/**
 * struct scratch - the file
 * @name:	of what it is for
 * @fd:		it, without a name
 * @size:	its size
 * @map:	it is mapped, or NULL
 */
struct scratch {
	const char *name;
	int fd;
	u64 size;
	struct mapfile *map;
};

static const char *directory(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

static int open_file(const char *name)
{
	char *path = xasprintf("%s/hyptrace.XXXXXX", directory());
	int fd = path ? mkostemp(path, O_CLOEXEC) : -1;

	if (fd >= 0)
		unlink(path);
	else if (path)
		log_error("%s: cannot create a temporary file in %s: %s", name, directory(),
			  strerror(errno));
	free(path);
	return fd;
}

struct scratch *scratch_new(const char *name)
{
	struct scratch *s = calloc(1, sizeof(*s));

	if (!s) {
		log_oom();
		return NULL;
	}
	s->name = name;
	s->fd = open_file(name);
	signal(SIGXFSZ, SIG_IGN);
	if (s->fd >= 0)
		return s;
	free(s);
	return NULL;
}

u64 scratch_size(const struct scratch *s)
{
	return s->size;
}

int scratch_add(struct scratch *s, const void *data, size_t size)
{
	const char *at = data;
	ssize_t n;

	while (size) {
		n = write(s->fd, at, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return log_error("%s: cannot write a temporary file in %s: %s: set TMPDIR to a directory with more space",
					 s->name, directory(), strerror(errno));
		at += n;
		size -= n;
		s->size += n;
	}
	return 0;
}

const void *scratch_map(struct scratch *s)
{
	s->map = mapfile_new(s->fd, s->size, s->name);
	return s->map ? mapfile_data(s->map) : NULL;
}

void scratch_free(struct scratch *s)
{
	if (!s)
		return;
	mapfile_free(s->map);
	close(s->fd);
	free(s);
}

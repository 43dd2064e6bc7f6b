// SPDX-License-Identifier: GPL-2.0
/*
 * The tracefs file system. See tracefs.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/util.h"
#include "record/tracefs.h"

static const char * const roots[] = {
	"/sys/kernel/tracing",
	"/sys/kernel/debug/tracing",
};

static int no_root(int err)
{
	if (err == EACCES || err == EPERM)
		return log_error("no permission to use %s: run as root", roots[0]);
	return log_error("no tracefs at %s: mount it with 'mount -t tracefs nodev %s'",
			 roots[0], roots[0]);
}

const char *tracefs_root(void)
{
	unsigned int i;
	char *file;
	int err = ENOENT;

	for (i = 0; i < ARRAY_SIZE(roots); i++) {
		file = xasprintf("%s/trace_clock", roots[i]);
		if (!file)
			return NULL;
		if (!access(file, R_OK | W_OK)) {
			free(file);
			return roots[i];
		}
		if (errno == EACCES || errno == EPERM)
			err = errno;
		free(file);
	}
	no_root(err);
	return NULL;
}

int tracefs_write(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), err;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, value, strlen(value));
	err = errno;
	close(fd);
	errno = err;
	return n < 0 ? -1 : 0;
}

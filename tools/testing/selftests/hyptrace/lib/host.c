// SPDX-License-Identifier: GPL-2.0
/*
 * The host's own events; see host.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"
#include "remote.h"

#define INSTANCE	TRACEFS "/instances/hyptrace_host/"

int host_record(const char *event, pid_t pid)
{
	char path[128], text[16];
	int ret = 0;

	if (mkdir(INSTANCE, 0755) && errno != EEXIST)
		return -errno;
	if (pid) {
		snprintf(text, sizeof(text), "%d", pid);
		ret = file_write(INSTANCE "set_event_pid", text, strlen(text));
	}
	snprintf(path, sizeof(path), INSTANCE "events/%s/enable", event);
	return ret ?: file_write(path, "1", 1);
}

void host_clear(void)
{
	close(open(INSTANCE "trace", O_WRONLY | O_TRUNC));
}

int host_count(bool (*matches)(const char *line))
{
	FILE *f = fopen(INSTANCE "trace", "r");
	char line[512];
	int nr = 0;

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		nr += line[0] != '#' && matches(line);
	fclose(f);
	return nr;
}

void host_stop(void)
{
	rmdir(INSTANCE);
}

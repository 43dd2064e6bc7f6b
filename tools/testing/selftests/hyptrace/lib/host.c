// SPDX-License-Identifier: GPL-2.0
/*
 * The host's own events; see host.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"
#include "remote.h"

#define INSTANCE	TRACEFS "/instances/hyptrace_host/"

#define MAX_TRIES	100

/* Causes each event that a test records: a timer expires, and a page is allocated */
static void cause_events(void)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	char *page = mmap(NULL, size, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED) {
		*(volatile char *)page = 1;
		munmap(page, size);
	}
	sleep_ms(1);
}

static bool any(const char *line)
{
	return true;
}

/*
 * If one CPU of QEMU 7.2 translates the code of a tracepoint while another one switches that
 * on, all go on with the old code. To switch it again translates it again.
 */
static int switch_on(const char *path)
{
	int ret, tries;

	for (tries = 0; tries < MAX_TRIES; tries++) {
		ret = file_write(path, "1", 1);
		if (ret)
			return ret;
		cause_events();
		ret = host_count(any);
		if (ret)
			return ret < 0 ? ret : 0;
		file_write(path, "0", 1);
	}
	return -ENODATA;
}

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
	return ret ?: switch_on(path);
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

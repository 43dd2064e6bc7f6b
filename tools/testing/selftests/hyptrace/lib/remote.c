// SPDX-License-Identifier: GPL-2.0
/*
 * Files of tracefs and sources of events; see remote.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "remote.h"

#define PATH_SIZE	256

ssize_t file_read(const char *path, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t ret;
	int fd;

	fd = open(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return -errno;

	do {
		ret = read(fd, buf + len, size - 1 - len);
		if (ret > 0)
			len += ret;
	} while (ret > 0 && len < size - 1);
	if (ret < 0)
		ret = -errno;
	close(fd);

	buf[len] = '\0';
	return ret < 0 && ret != -EAGAIN ? ret : (ssize_t)len;
}

int file_write(const char *path, const void *data, size_t len)
{
	int fd, ret = 0;

	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;

	if (write(fd, data, len) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int file_put_number(const char *path, int number)
{
	char text[16];

	return file_write(path, text, snprintf(text, sizeof(text), "%d", number));
}

static void source_path(const struct source *src, char *path, const char *fmt, va_list args)
{
	int len = snprintf(path, PATH_SIZE, "%s/", src->dir);

	vsnprintf(path + len, PATH_SIZE - len, fmt, args);
}

int source_open_file(const struct source *src, int flags, const char *fmt, ...)
{
	char path[PATH_SIZE];
	va_list args;
	int fd;

	va_start(args, fmt);
	source_path(src, path, fmt, args);
	va_end(args);

	fd = open(path, flags);
	return fd < 0 ? -errno : fd;
}

ssize_t source_get(const struct source *src, char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_SIZE];
	va_list args;

	va_start(args, fmt);
	source_path(src, path, fmt, args);
	va_end(args);

	return file_read(path, buf, size);
}

int source_put(const struct source *src, const char *text, const char *fmt, ...)
{
	char path[PATH_SIZE];
	va_list args;

	va_start(args, fmt);
	source_path(src, path, fmt, args);
	va_end(args);

	return file_write(path, text, strlen(text));
}

int source_on(const struct source *src, bool on)
{
	return source_put(src, on ? "1" : "0", "tracing_on");
}

int source_set_size(const struct source *src, unsigned long kb)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", kb);
	return source_put(src, text, "buffer_size_kb");
}

/* Reads "N (loaded)\n" or "N (unloaded)\n" and nothing else */
static int get_size(const struct source *src, unsigned long *kb, bool *loaded)
{
	char buf[64], expected[64];
	ssize_t ret;

	ret = source_get(src, buf, sizeof(buf), "buffer_size_kb");
	if (ret < 0)
		return ret;

	*kb = strtoul(buf, NULL, 10);
	*loaded = strstr(buf, "(loaded)");
	snprintf(expected, sizeof(expected), "%lu (%s)\n", *kb, *loaded ? "loaded" : "unloaded");
	return strcmp(buf, expected) ? -EPROTO : 0;
}

int source_loaded(const struct source *src)
{
	unsigned long kb;
	bool loaded;
	int ret = get_size(src, &kb, &loaded);

	return ret ?: loaded;
}

static int get_line(const char *buf, const char *key, __u64 *val)
{
	size_t len = strlen(key);

	for (; buf; buf = strchr(buf, '\n')) {
		buf += *buf == '\n';
		if (strncmp(buf, key, len) || strncmp(buf + len, ": ", 2))
			continue;
		*val = strtoull(buf + len + 2, NULL, 10);
		return 0;
	}
	return -EPROTO;
}

int source_stats(const struct source *src, int cpu, struct stats *stats)
{
	char buf[1024];
	ssize_t ret;

	ret = source_get(src, buf, sizeof(buf), "per_cpu/cpu%d/stats", cpu);
	if (ret < 0)
		return ret;

	return get_line(buf, "entries", &stats->entries) ?:
	       get_line(buf, "bytes", &stats->bytes) ?:
	       get_line(buf, "overrun", &stats->overrun) ?:
	       get_line(buf, "dropped events", &stats->dropped) ?:
	       get_line(buf, "read events", &stats->read);
}

/* A delta that does not fit into 27 bits of ns needs a time extend */
#define LATE_NS		134217728

static __thread __u64 last_write_ns;
static __thread unsigned long nr_late_writes;

unsigned long late_writes(void)
{
	return nr_late_writes;
}

static __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

int source_write(const struct source *src, __u64 id)
{
	__u64 before = now_ns();
	char text[32];
	int len, ret;

	len = snprintf(text, sizeof(text), src->remote ? "%llu" : "id=%llu",
		       id);
	ret = write(src->event_fd, text, len) == len ? 0 : -errno;
	if (last_write_ns && now_ns() - last_write_ns >= LATE_NS)
		nr_late_writes++;
	last_write_ns = before;
	return ret;
}

int source_write_many(const struct source *src, __u64 first, __u64 nr)
{
	__u64 id;
	int ret = 0;

	for (id = first; id < first + nr && !ret; id++)
		ret = source_write(src, id);
	return ret;
}

int source_clock(const struct source *src, char *name, size_t size)
{
	char buf[256], *open, *close;
	ssize_t ret;

	ret = source_get(src, buf, sizeof(buf), "trace_clock");
	if (ret < 0)
		return ret;

	open = strchr(buf, '[');
	close = strchr(buf, ']');
	if (!open || !close)
		return -EPROTO;
	*close = '\0';
	snprintf(name, size, "%s", open + 1);
	return 0;
}

int source_set_clock(const struct source *src, const char *name)
{
	return source_put(src, name, "trace_clock");
}

int source_set_overwrite(const struct source *src, bool overwrite)
{
	return source_put(src, overwrite ? "1" : "0", "options/overwrite");
}

/* A kernel may not have the files of the last three */
static int save_settings(struct source *src)
{
	bool loaded;
	int ret;

	ret = get_size(src, &src->saved.size_kb, &loaded);
	if (ret)
		return ret;
	if (loaded)
		return -EBUSY;

	source_clock(src, src->saved.clock, sizeof(src->saved.clock));
	source_get(src, src->saved.overwrite, sizeof(src->saved.overwrite), "options/overwrite");
	source_get(src, src->saved.percent, sizeof(src->saved.percent), "buffer_percent");
	source_set_clock(src, "local");
	source_set_overwrite(src, true);
	return 0;
}

static void restore_settings(const struct source *src)
{
	source_put(src, "0", "events/enable");
	if (src->saved.size_kb)
		source_set_size(src, src->saved.size_kb);
	source_set_clock(src, src->saved.clock);
	source_put(src, src->saved.overwrite, "options/overwrite");
	source_put(src, src->saved.percent, "buffer_percent");
}

int source_clear(const struct source *src)
{
	int fd = source_open_file(src, O_WRONLY | O_TRUNC, "trace");

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int source_reset(const struct source *src)
{
	int ret;

	ret = source_on(src, false);
	if (ret)
		return ret;
	if (src->remote)
		ret = source_put(src, "0", "events/enable") ?:
		      source_put(src, "1", "events/%s/selftest/enable", src->remote);
	if (src->remote)
		source_put(src, "0", "options/stacktrace");	/* it may not have that */
	return ret ?: source_clear(src);
}

/* From the event's format file, since the events of ftrace itself may have no file id */
static int get_event_id(const char *path)
{
	char buf[4096], *id;
	ssize_t ret;

	ret = file_read(path, buf, sizeof(buf));
	if (ret < 0)
		return ret;
	id = strstr(buf, "\nID: ");
	return id ? atoi(id + strlen("\nID: ")) : -EPROTO;
}

/* The other events that come with each one: for the hypervisor, the call that writes it */
static const struct source remotes[] = {
	{ .remote = HYPERVISOR,	.other = "host_hcall",	.others = 3 },
	{ .remote = SOFTWARE,	.other = "numbers",	.others = 2 },
};

int remote_open(struct source *src, const char *name)
{
	char path[PATH_SIZE];
	int ret;

	*src = strcmp(name, SOFTWARE) ? remotes[0] : remotes[1];
	src->event_fd = -1;
	snprintf(src->dir, sizeof(src->dir), TRACEFS "/remotes/%s", name);
	snprintf(path, sizeof(path), "%s/events/%s/selftest/format", src->dir, name);
	ret = get_event_id(path);
	if (ret < 0)
		return ret;
	src->type = ret;

	ret = source_reset(src) ?: save_settings(src);
	if (ret)
		return ret;

	src->event_fd = source_open_file(src, O_WRONLY, "write_event");
	return src->event_fd < 0 ? src->event_fd : 0;
}

const char *skip_reason(int ret)
{
	switch (ret) {
	case -ENOENT:
		return "there is no such trace remote";
	case -EACCES:
	case -EPERM:
		return "only root can do this";
	default:
		return NULL;
	}
}

int instance_open(struct source *src, const char *name)
{
	int ret;

	*src = (struct source){ .event_fd = -1 };
	snprintf(src->dir, sizeof(src->dir), TRACEFS "/instances/%s", name);
	ret = get_event_id(TRACEFS "/events/ftrace/print/format");
	if (ret < 0)
		return ret;
	src->type = ret;

	if (mkdir(src->dir, 0755) && errno != EEXIST)
		return -errno;
	ret = source_reset(src);
	if (ret)
		return ret;

	src->event_fd = source_open_file(src, O_WRONLY, "trace_marker");
	return src->event_fd < 0 ? src->event_fd : 0;
}

int source_open(struct source *src, const char *remote)
{
	return remote ? remote_open(src, remote) : instance_open(src, "hyptrace_test");
}

void source_close(struct source *src)
{
	if (src->event_fd >= 0)
		close(src->event_fd);
	src->event_fd = -1;

	if (src->remote) {
		source_reset(src);
		restore_settings(src);
	} else if (src->dir[0]) {
		rmdir(src->dir);
	}
}

int nr_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

int pin_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

int cpu_set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return file_write(path, online ? "1" : "0", 1);
}

void sleep_ms(unsigned int ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

__u64 now_ms(void)
{
	return now_ns() / 1000000;
}

bool kvm_is_protected(void)
{
	char buf[4096];

	return file_read("/proc/cmdline", buf, sizeof(buf)) > 0 &&
	       strstr(buf, "kvm-arm.mode=protected");
}

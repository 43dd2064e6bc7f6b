// SPDX-License-Identifier: GPL-2.0
/*
 * Small things. See util.h.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/log.h"
#include "lib/util.h"

#define ONLINE_CPUS	"/sys/devices/system/cpu/online"

/* Smallest read() of a file of unknown size */
#define READ_SIZE	4096

/* Consume a number. Return: 0, or -1 if there is none up to @max. */
static int take_cpu(const char **text, unsigned int *cpu)
{
	unsigned long v;
	char *end;

	if (!isdigit((unsigned char)**text))
		return -1;
	errno = 0;
	v = strtoul(*text, &end, 10);
	if (errno || v >= MAX_CPUS)
		return -1;
	*text = end;
	*cpu = v;
	return 0;
}

/* One "a" or "a-b" into the set */
static int take_range(const char **text, bool *set)
{
	unsigned int first, last;

	if (take_cpu(text, &first))
		return -1;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (take_cpu(text, &last) || last < first)
			return -1;
	}
	while (first <= last)
		set[first++] = true;
	return 0;
}

static int take_ranges(const char *text, bool *set)
{
	for (;;) {
		if (take_range(&text, set))
			return -1;
		if (*text == '\n')
			text++;
		if (!*text)
			return 0;
		if (*text++ != ',')
			return -1;
	}
}

static int list_of_set(const bool *set, struct cpulist *list)
{
	unsigned int i;

	list->nr = 0;
	list->cpu = calloc(MAX_CPUS, sizeof(*list->cpu));
	if (!list->cpu)
		return log_oom();
	for (i = 0; i < MAX_CPUS; i++) {
		if (set[i])
			list->cpu[list->nr++] = i;
	}
	return 0;
}

int cpulist_parse(const char *text, struct cpulist *list)
{
	bool set[MAX_CPUS] = { false };

	if (take_ranges(text, set))
		return log_error("bad CPU list '%s': expected numbers below %d, such as 0,2-3",
				 text, MAX_CPUS);
	return list_of_set(set, list);
}

int cpulist_online(struct cpulist *list)
{
	char *text = read_file(ONLINE_CPUS, NULL);
	int ret;

	if (!text)
		return log_error("cannot read %s: %s", ONLINE_CPUS,
				 strerror(errno));
	ret = cpulist_parse(text, list);
	free(text);
	return ret;
}

bool cpulist_has(const struct cpulist *list, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		if (list->cpu[i] == cpu)
			return true;
	}
	return false;
}

void cpulist_free(struct cpulist *list)
{
	free(list->cpu);
	list->cpu = NULL;
	list->nr = 0;
}

static int take_number(const char *text, u64 max, u64 *out,
		       const char **rest)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno || !v || v > max)
		return -1;
	*rest = end;
	*out = v;
	return 0;
}

int parse_number(const char *text, u64 max, u64 *out)
{
	const char *rest;

	if (take_number(text, max, out, &rest))
		return -1;
	return *rest ? -1 : 0;
}

const char *parse_id(const char *text, u64 max, u64 *out)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = text + (hex ? 2 : 0);
	char *end;

	if (hex ? !isxdigit((unsigned char)*digits) : !isdigit((unsigned char)*digits))
		return NULL;
	errno = 0;
	*out = strtoull(digits, &end, hex ? 16 : 10);
	return errno || *out > max ? NULL : end;
}

struct time_unit {
	const char *name;
	u64 factor;
};

/* A number of up to @max followed by one of @units, which the one without a factor ends */
static int parse_with_unit(const char *text, u64 max, const struct time_unit *units, u64 *out)
{
	const struct time_unit *unit;
	const char *rest;

	if (take_number(text, max, out, &rest))
		return -1;
	for (unit = units; unit->factor; unit++) {
		if (!strcmp(rest, unit->name)) {
			*out *= unit->factor;
			return 0;
		}
	}
	return -1;
}

/* In both, the limit keeps the product in range */

int parse_duration(const char *text, u64 *out)
{
	static const struct time_unit units[] = {
		{ "ms", 1 }, { "s", 1000 }, { "", 1000 },
		{ "m", 60 * 1000 }, { "h", 3600 * 1000 }, { 0 }
	};

	return parse_with_unit(text, 1ULL << 40, units, out);
}

int parse_ns(const char *text, u64 *out)
{
	static const struct time_unit units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", NSEC_PER_MSEC }, { "s", NSEC_PER_SEC }, { 0 }
	};

	return parse_with_unit(text, 1ULL << 32, units, out);
}

const char *parse_stamp(const char *text, u64 *out)
{
	u64 digit = NSEC_PER_SEC;
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno || *out > UINT64_MAX / NSEC_PER_SEC - 1)
		return NULL;
	*out *= NSEC_PER_SEC;
	if (*end != '.')
		return end;
	for (end++; isdigit((unsigned char)*end) && digit > 1; end++) {
		digit /= 10;
		*out += (*end - '0') * digit;
	}
	return end;
}

char *xasprintf(const char *fmt, ...)
{
	va_list args;
	char *s;
	int n;

	va_start(args, fmt);
	n = vasprintf(&s, fmt, args);
	va_end(args);
	if (n >= 0)
		return s;
	log_oom();
	return NULL;
}

u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

int event_new(void)
{
	return eventfd(0, EFD_CLOEXEC);
}

void event_raise(int fd)
{
	u64 one = 1;

	if (write(fd, &one, sizeof(one)) != sizeof(one))
		log_error("cannot raise an event: %s", strerror(errno));
}

void event_wait(int fd)
{
	u64 n;

	while (read(fd, &n, sizeof(n)) < 0 && errno == EINTR)
		;
}

static char *read_fd(int fd, size_t *size)
{
	size_t used = 0, room = 0;
	char *buf = NULL;
	ssize_t n = 1;

	while (n > 0) {
		if (array_room(&buf, &room, used + READ_SIZE + 1, 1))
			goto fail;
		n = read(fd, buf + used, room - 1 - used);
		if (n < 0)
			goto fail;
		used += n;
	}
	buf[used] = '\0';
	if (size)
		*size = used;
	return buf;
fail:
	free(buf);
	return NULL;
}

char *read_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	char *text;

	if (fd < 0)
		return NULL;
	text = read_fd(fd, size);
	err = errno;
	close(fd);
	errno = err;
	return text;
}

int strlist_add(struct strlist *list, const char *str)
{
	char *copy = strdup(str);

	if (!copy || array_room(&list->str, &list->room, list->nr + 1, sizeof(*list->str))) {
		free(copy);
		return log_oom();
	}
	list->str[list->nr++] = copy;
	return 0;
}

unsigned int strlist_find(const struct strlist *list, const char *str)
{
	unsigned int i;

	for (i = 0; i < list->nr && strcmp(list->str[i], str); i++)
		;
	return i;
}

bool strlist_has(const struct strlist *list, const char *str)
{
	return strlist_find(list, str) < list->nr;
}

void strlist_free(struct strlist *list)
{
	while (list->nr)
		free(list->str[--list->nr]);
	free(list->str);
	list->str = NULL;
	list->room = 0;
}

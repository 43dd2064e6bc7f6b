/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small things: numbers and lists from the command line, strings, time.
 */
#ifndef HYPTRACE_UTIL_H
#define HYPTRACE_UTIL_H

#include "lib/types.h"

/* Exit statuses; a signal that ends the program early gives 128 + n */
enum exit_status {
	EXIT_OK		= 0,
	EXIT_ERROR	= 1,
	EXIT_USAGE	= 2,
};

#define NSEC_PER_SEC	1000000000ULL
#define NSEC_PER_MSEC	1000000ULL

/* CPU numbers above this are refused */
#define MAX_CPUS	4096

/**
 * struct cpulist - CPU numbers, ascending, each once
 */
struct cpulist {
	unsigned int nr;
	unsigned int *cpu;
};

/**
 * cpulist_parse - read "0,2-3"
 *
 * Return: 0, or -1 with a message.
 */
int cpulist_parse(const char *text, struct cpulist *list);

/** cpulist_online - the CPUs that are online. Return: 0, or -1 with a message. */
int cpulist_online(struct cpulist *list);

bool cpulist_has(const struct cpulist *list, unsigned int cpu);
void cpulist_free(struct cpulist *list);

/**
 * parse_number - read a decimal number that ends where @text ends
 * @text:	the text
 * @max:	the largest value allowed; the smallest is 1
 * @out:	the number
 *
 * Return: 0, or -1 without a message.
 */
int parse_number(const char *text, u64 max, u64 *out);

/**
 * parse_id - read a number in decimal, or in hexadecimal after "0x"
 * @text:	begins with it
 * @max:	the largest one that is accepted
 * @out:	gets it
 *
 * Return: what follows it, or NULL without a message.
 */
const char *parse_id(const char *text, u64 max, u64 *out);

/**
 * parse_duration - read "500ms", "10s" or "10", "2m", "1h"
 *
 * Return: 0 with milliseconds in @out, or -1 without a message.
 */
int parse_duration(const char *text, u64 *out);

/**
 * parse_ns - read "500us", "10ms", "2s" or "100ns"
 *
 * Return: 0 with nanoseconds in @out, or -1 without a message.
 */
int parse_ns(const char *text, u64 *out);

/**
 * parse_stamp - read a timestamp as it is printed, in seconds, up to 9 decimals: "12.345678900"
 * @text:	begins with it
 * @out:	gets nanoseconds
 *
 * Return: what follows it, or NULL without a message.
 */
const char *parse_stamp(const char *text, u64 *out);

/** compare_u64 - for sorting: negative if @a is less than @b, 0 if they are equal */
static inline int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/** xasprintf - asprintf() that returns the string; NULL after a message */
char *xasprintf(const char *fmt, ...) __printf(1, 2);

/** now_ns - CLOCK_MONOTONIC in nanoseconds */
u64 now_ns(void);

/*
 * An eventfd: event_raise() makes it poll readable; event_wait() waits for that, and makes
 * it poll unreadable
 */

/** event_new - Return: the fd, or -1 with errno set */
int event_new(void);
void event_raise(int fd);
void event_wait(int fd);

/**
 * read_file - read a whole file of unknown size
 * @path:	the file
 * @size:	bytes read; may be NULL
 *
 * Return: the content with a 0 byte added, or NULL with errno set.
 */
char *read_file(const char *path, size_t *size);

/**
 * struct strlist - a list of strings that grows; all 0 at first
 * @nr:		how many
 * @room:	how many fit
 * @str:	the strings
 */
struct strlist {
	unsigned int nr;
	size_t room;
	char **str;
};

/** strlist_add - append a copy of @str. Return: 0, or -1 with a message. */
int strlist_add(struct strlist *list, const char *str);

/** strlist_find - the index of the first string equal to @str, the number of all if none is */
unsigned int strlist_find(const struct strlist *list, const char *str);
bool strlist_has(const struct strlist *list, const char *str);
void strlist_free(struct strlist *list);

#endif

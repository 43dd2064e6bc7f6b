/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_REMOTE_H
#define _SELFTEST_HYPTRACE_REMOTE_H
/*
 * Shared by the tests of trace remotes: access to files of tracefs, and a source of
 * numbered events. A source is a remote or, for comparison, an instance of the
 * kernel's own ring buffer.
 *
 * Functions that can fail return a negative errno. Nothing here prints.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <sys/types.h>

#include "kselftest.h"

#define TRACEFS		"/sys/kernel/tracing"

/* The names of the remotes; the second one needs the module remote_test */
#define HYPERVISOR	"hypervisor"
#define SOFTWARE	"test"

#define LOAD(x)		__atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define STORE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELEASE)

/**
 * struct source - a directory of tracefs in which a test can write events
 * @dir:	its path
 * @remote:	the name of a trace remote, NULL for an instance
 * @other:	an event of the remote that source_write() writes as well, if it is on
 * @others:	how many other events come with each one at least, if all are on
 * @event_fd:	write_event or trace_marker
 * @type:	id of the events that source_write() writes
 * @saved:	the settings of a remote before; an instance is removed
 */
struct source {
	char			dir[128];
	const char		*remote;
	const char		*other;
	unsigned int		others;
	int			event_fd;
	unsigned int		type;
	struct {
		unsigned long	size_kb;
		char		clock[32];
		char		overwrite[8];
		char		percent[16];
	} saved;
};

/**
 * struct stats - the contents of per_cpu/cpuN/stats
 */
struct stats {
	__u64		entries;	/* in the buffer */
	__u64		bytes;
	__u64		overrun;
	__u64		dropped;
	__u64		read;
};

/* Read a whole file of tracefs: the number of bytes, without the final '\0', or an errno */
ssize_t file_read(const char *path, char *buf, size_t size);
int file_write(const char *path, const void *data, size_t len);
int file_put_number(const char *path, int number);

/**
 * remote_open - set up a remote: off, empty, unloaded, with only the event selftest
 *	enabled, the local clock, overwriting
 * @src: initialised
 * @name: HYPERVISOR or SOFTWARE
 *
 * Return: 0, -EBUSY if it cannot be brought into this state, or another errno.
 */
int remote_open(struct source *src, const char *name);

/* Why a test cannot run, given what source_open() returned; or NULL */
const char *skip_reason(int ret);

/* The same with a new instance of the kernel's own buffer, off and empty */
int instance_open(struct source *src, const char *name);
/* Open @remote, or an instance if that is NULL */
int source_open(struct source *src, const char *remote);

/* Restore the settings; may be called after a failed open */
void source_close(struct source *src);

/*
 * Back to off, empty, with only the source's own event enabled. A remote is unloaded,
 * unless a file is open.
 */
int source_reset(const struct source *src);

/* Files below the source's directory, named by @fmt and its arguments */
int source_open_file(const struct source *src, int flags, const char *fmt, ...)
	__printf(3, 4);
ssize_t source_get(const struct source *src, char *buf, size_t size, const char *fmt, ...)
	__printf(4, 5);
int source_put(const struct source *src, const char *text, const char *fmt, ...)
	__printf(3, 4);

/* Drop all events */
int source_clear(const struct source *src);

/* tracing_on */
int source_on(const struct source *src, bool on);
/* Set buffer_size_kb; the buffer must be unloaded */
int source_set_size(const struct source *src, unsigned long kb);
/* Is buffer_size_kb "N (loaded)"? A negative errno if it cannot be parsed */
int source_loaded(const struct source *src);
int source_stats(const struct source *src, int cpu, struct stats *stats);

/* Write the event with number @id on this CPU; or @nr of them from @first on */
int source_write(const struct source *src, __u64 id);
int source_write_many(const struct source *src, __u64 first, __u64 nr);

/*
 * How many events of this thread may have a time extend, since they were written long
 * after the one before. A page with such events holds fewer of them than usual. A
 * virtual machine may stall at any time.
 */
unsigned long late_writes(void);

/* The clock in the brackets of trace_clock */
int source_clock(const struct source *src, char *name, size_t size);
/* Set it, or another file; -ENOENT if the kernel does not have the file */
int source_set_clock(const struct source *src, const char *name);
int source_set_overwrite(const struct source *src, bool overwrite);

/* Is KVM in protected mode? */
bool kvm_is_protected(void);

/* In all tests the online CPUs are 0 to nr_cpus() - 1 */
int nr_cpus(void);
int pin_to_cpu(int cpu);
int cpu_set_online(int cpu, bool online);

void sleep_ms(unsigned int ms);
/* The time of CLOCK_MONOTONIC */
__u64 now_ms(void);

#endif /* _SELFTEST_HYPTRACE_REMOTE_H */

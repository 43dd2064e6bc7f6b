// SPDX-License-Identifier: GPL-2.0
/*
 * native_bench - what writing and reading the remote "test" takes on this machine,
 * beside the kernel's own ring buffer in the same run
 *
 * The first process of the User-mode Linux that qemu-scripts/bench-native.sh starts:
 * it sets up what it needs, and halts the machine at the end. The events of both sides
 * hold a number that counts from 0. First it reads all events back in each way and
 * compares every one (TAP), then it measures, unless its argument is "--quick": a line
 * for each metric, with its name and unit, median and spread of the remote, median and
 * spread of the ordinary buffer, and the median ratio of the two, between tabs.
 *
 * System calls are slow here, so none is measured: loops around what is measured run
 * in the kernel (module/bench_native.c), but for the walk over the events, which takes
 * place here. Both sides are measured by turns, so that what else the machine does
 * hits both.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/trace_mmap.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define TRACEFS		"/sys/kernel/tracing"
#define MODULE		"/bench_native.ko"
#define MODULE_RUN	"/sys/module/bench_native/parameters/run"
#define SPLICED		"/spliced"
#define SUBBUF_SIZE	4096
#define SUBBUF_HEADER	16
#define BUFFER_KB	"1024"

/* Numbers of events: the buffer holds FITS, but not OVERWRITES */
#define FITS		50000
#define OVERWRITES	60000
/*
 * What is measured at once: it takes less than a millisecond, so that most measurements
 * run to their end before the host runs something else
 */
#define WRITE_EVENTS	2000
#define TEXT_EVENTS	500

#define REPEATS		301

/**
 * struct side - one of the two that are compared
 * @name:	as the user sees it, and in commands to the module
 * @dir:	its directory in tracefs
 * @enable:	file there that enables its event
 * @format:	file there that describes it
 * @type:	id of the event
 */
struct side {
	const char	*name;
	const char	*dir;
	const char	*enable;
	const char	*format;
	uint16_t	type;
};

static struct side sides[2] = {
	{
		.name		= "remote",
		.dir		= TRACEFS "/remotes/test",
		.enable		= "events/test/selftest/enable",
		.format		= "events/test/selftest/format",
	}, {
		.name		= "ordinary",
		.dir		= TRACEFS "/instances/bench",
		.enable		= "events/bench_native/bench_selftest/enable",
		.format		= "events/bench_native/bench_selftest/format",
	},
};

/* Where read() puts pages or text */
static uint8_t *copy;
#define COPY_SIZE	(8 << 20)

/* --- files -------------------------------------------------------------------- */

static void __attribute__((noreturn)) halt(int status)
{
	fflush(stdout);
	if (getpid() == 1)
		reboot(RB_POWER_OFF);
	exit(status);
}

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *fmt, ...)
{
	const char *why = strerror(errno);
	va_list args;

	va_start(args, fmt);
	printf("Bail out! ");
	vprintf(fmt, args);
	printf(": %s\n", why);
	va_end(args);
	halt(EXIT_FAILURE);
}

static int open_in(const char *dir, const char *file, int flags)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, flags);
	if (fd < 0)
		fail("%s", path);
	return fd;
}

static void put(const char *dir, const char *file, const char *text)
{
	int fd = open_in(dir, file, O_WRONLY | O_TRUNC);

	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail("%s/%s: cannot write %s", dir, file, text);
	close(fd);
}

static void get(const char *dir, const char *file, char *text, size_t size)
{
	int fd = open_in(dir, file, O_RDONLY);
	ssize_t len = read(fd, text, size - 1);

	if (len < 0)
		fail("%s/%s", dir, file);
	text[len] = '\0';
	close(fd);
}

static void clear(const struct side *s)
{
	close(open_in(s->dir, "trace", O_WRONLY | O_TRUNC));
}

/* --- the module --------------------------------------------------------------- */

static int run_fd;

/* Runs a command; returns nanoseconds */
static double __attribute__((format(printf, 2, 3))) run(size_t *bytes, const char *fmt, ...)
{
	char text[128];
	va_list args;
	double ns;
	ssize_t len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (pwrite(run_fd, text, len, 0) != len)
		fail("the command \"%s\"", text);

	len = pread(run_fd, text, sizeof(text) - 1, 0);
	if (len <= 0)
		fail("%s", MODULE_RUN);
	text[len] = '\0';
	if (sscanf(text, "%lf %zu", &ns, bytes) != 2)
		fail("%s has \"%s\"", MODULE_RUN, text);
	return ns;
}

static double run_write(const struct side *s, unsigned int nr)
{
	size_t bytes;

	return run(&bytes, "%s %u", s->name, nr);
}

static double run_take(int fd, unsigned int nr)
{
	size_t bytes;

	return run(&bytes, "take %d %u", fd, nr);
}

/* splice() by way of a pipe until there is nothing left */
static double run_splice(int fd, int pipe, int to, size_t *bytes)
{
	return run(bytes, "splice %d %d %d", fd, pipe, to);
}

/* read() into @copy until there is nothing left */
static double run_read(int fd, size_t *bytes)
{
	return run(bytes, "read %d %lx %d", fd, (unsigned long)copy, COPY_SIZE);
}

/* --- sub-buffers -------------------------------------------------------------- */

static uint32_t word_at(const uint8_t *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static uint32_t subbuf_bytes(const uint8_t *page)
{
	return word_at(page + 8) & 0xfffff;
}

/**
 * struct seen - what was read
 * @events:	number of events
 * @bytes:	bytes that they take in the sub-buffers
 * @next:	what the number of the next event should be
 * @wrong:	events that have another type or number, sub-buffers that begin before
 *		the last one ended
 * @type:	what the type should be
 * @ts:		time of the last event
 */
struct seen {
	uint64_t	events;
	uint64_t	bytes;
	uint64_t	next;
	uint64_t	wrong;
	uint16_t	type;
	uint64_t	ts;
};

static inline void see(struct seen *seen, const uint8_t *event)
{
	uint64_t id;
	uint16_t type;

	memcpy(&type, event, sizeof(type));
	memcpy(&id, event + 8, sizeof(id));
	seen->wrong += type != seen->type || id != seen->next;
	seen->next = id + 1;
	seen->events++;
}

/* Look at each event: its time, its type, its number */
static void walk(const uint8_t *page, struct seen *seen)
{
	const uint8_t *pos = page + SUBBUF_HEADER, *end = pos + subbuf_bytes(page);
	uint64_t ts;

	memcpy(&ts, page, sizeof(ts));
	seen->wrong += ts < seen->ts;
	while (pos < end) {
		uint32_t word = word_at(pos), type = word & 31;

		pos += 4;
		if (type == 29 && !(word >> 5))
			break;
		if (type == 30 || type == 31) {
			ts += ((uint64_t)word_at(pos) << 27) + (word >> 5);
			pos += 4;
			continue;
		}
		ts += word >> 5;
		if (type == 29) {
			pos += word_at(pos);
			continue;
		}
		see(seen, type ? pos : pos + 4);
		pos += type ? type * 4 : word_at(pos);
	}
	seen->bytes += subbuf_bytes(page);
	seen->ts = ts;
}

static void walk_copy(size_t bytes, struct seen *seen)
{
	size_t at;

	for (at = 0; at + SUBBUF_SIZE <= bytes; at += SUBBUF_SIZE)
		walk(copy + at, seen);
}

/* --- readers ------------------------------------------------------------------ */

struct mapping {
	int				fd;
	const struct trace_buffer_meta	*meta;
	const uint8_t			*subbufs;
	size_t				size;
};

static int open_raw(const struct side *s)
{
	return open_in(s->dir, "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
}

static void open_mapping(struct mapping *m, const struct side *s)
{
	struct trace_buffer_meta *meta;

	m->fd = open_raw(s);
	meta = mmap(NULL, SUBBUF_SIZE, PROT_READ, MAP_SHARED, m->fd, 0);
	if (meta == MAP_FAILED)
		fail("mmap() of the meta page");
	m->size = meta->meta_page_size + (size_t)meta->nr_subbufs * meta->subbuf_size;
	munmap(meta, SUBBUF_SIZE);
	m->meta = mmap(NULL, m->size, PROT_READ, MAP_SHARED | MAP_POPULATE, m->fd, 0);
	if (m->meta == MAP_FAILED)
		fail("mmap() of the buffer");
	m->subbufs = (const uint8_t *)m->meta + m->meta->meta_page_size;
}

static void close_mapping(struct mapping *m)
{
	munmap((void *)m->meta, m->size);
	close(m->fd);
}

static const uint8_t *subbuf(const struct mapping *m, unsigned int id)
{
	return m->subbufs + (size_t)id * SUBBUF_SIZE;
}

/* False if there was none */
static bool take_one(const struct mapping *m)
{
	uint32_t id = m->meta->reader.id, read = m->meta->reader.read;

	if (ioctl(m->fd, TRACE_MMAP_IOCTL_GET_READER) && errno != EAGAIN)
		fail("TRACE_MMAP_IOCTL_GET_READER");
	return m->meta->reader.id != id || m->meta->reader.read != read;
}

/* Everything there is but a sub-buffer that is not full */
static size_t splice_to(const struct side *s, int to)
{
	int fd = open_raw(s), pipe_fds[2];
	ssize_t len;
	size_t bytes = 0;

	if (pipe(pipe_fds))
		fail("pipe()");
	while ((len = splice(fd, NULL, pipe_fds[1], NULL, 16 * SUBBUF_SIZE,
			     SPLICE_F_NONBLOCK)) > 0) {
		if (splice(pipe_fds[0], NULL, to, NULL, len, 0) != len)
			fail("splice() to a file");
		bytes += len;
	}
	if (len < 0 && errno != EAGAIN)
		fail("splice() of trace_pipe_raw");
	close(fd);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	return bytes;
}

/* --- checks ------------------------------------------------------------------- */

static int nr_checks, nr_failed;

static void check(bool ok, const char *what, const struct side *s, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void check(bool ok, const char *what, const struct side *s, const char *fmt, ...)
{
	va_list args;

	nr_failed += !ok;
	printf("%sok %d %s of %s: ", ok ? "" : "not ", ++nr_checks, what, s->name);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

static void check_seen(const char *what, const struct side *s, const struct seen *seen,
		       unsigned int expected)
{
	check(seen->events == expected && !seen->wrong, what, s,
	      "%llu of %u events, %llu wrong", (unsigned long long)seen->events, expected,
	      (unsigned long long)seen->wrong);
}

/* A number of per_cpu/cpu0/stats */
static uint64_t get_stat(const struct side *s, const char *name)
{
	char text[1024];
	const char *at;

	get(s->dir, "per_cpu/cpu0/stats", text, sizeof(text));
	at = strstr(text, name);
	if (!at)
		fail("no %s in the stats of %s", name, s->dir);
	return strtoull(at + strlen(name), NULL, 10);
}

static void check_mapping(const struct side *s)
{
	struct seen seen = { .type = s->type };
	uint64_t overrun, read;
	struct mapping m;

	clear(s);
	open_mapping(&m, s);
	run_write(s, FITS);
	while (take_one(&m))
		walk(subbuf(&m, m.meta->reader.id), &seen);
	overrun = m.meta->overrun;
	read = m.meta->read;
	close_mapping(&m);
	check_seen("mapping", s, &seen, FITS);
	check(read == FITS && !overrun, "account of the mapping", s,
	      "%llu read, %llu overwritten", (unsigned long long)read,
	      (unsigned long long)overrun);
}

static void check_read(const struct side *s)
{
	struct seen seen = { .type = s->type };
	int fd = open_raw(s);
	size_t bytes;

	clear(s);
	run_write(s, FITS);
	run_read(fd, &bytes);
	walk_copy(bytes, &seen);
	check_seen("read()", s, &seen, FITS);
	close(fd);
}

/* As splice() leaves a sub-buffer that is not full alone, read() gets the rest */
static void check_splice(const struct side *s)
{
	struct seen seen = { .type = s->type };
	int to = open(SPLICED, O_RDWR | O_CREAT | O_TRUNC, 0600), fd = open_raw(s);
	size_t bytes;

	if (to < 0)
		fail("%s", SPLICED);
	clear(s);
	run_write(s, FITS);
	bytes = splice_to(s, to);
	if (bytes > COPY_SIZE || pread(to, copy, bytes, 0) != (ssize_t)bytes)
		fail("%s", SPLICED);
	walk_copy(bytes, &seen);
	run_read(fd, &bytes);
	walk_copy(bytes, &seen);
	check_seen("splice()", s, &seen, FITS);
	close(fd);
	close(to);
	unlink(SPLICED);
}

/* Each line ends in the number */
static void see_text(size_t bytes, struct seen *seen)
{
	const char *pos = (char *)copy, *end = pos + bytes, *newline, *id;

	while (pos < end && (newline = memchr(pos, '\n', end - pos))) {
		id = memmem(pos, newline - pos, "id=", 3);
		if (id) {
			seen->wrong += strtoull(id + 3, NULL, 10) != seen->next++;
			seen->events++;
		}
		pos = newline + 1;
	}
}

static void check_text(const struct side *s)
{
	struct seen seen = { 0 };
	int fd = open_in(s->dir, "trace_pipe", O_RDONLY | O_NONBLOCK);
	size_t bytes;

	clear(s);
	run_write(s, FITS);
	run_read(fd, &bytes);
	see_text(bytes, &seen);
	check_seen("text", s, &seen, FITS);
	close(fd);
}

/* More events than fit: either the newest stay or the oldest, and the others are counted */
static void check_full(const struct side *s, bool overwrite)
{
	const char *what = overwrite ? "overwriting" : "dropping";
	uint64_t overrun, dropped, entries, first;
	struct seen seen = { .type = s->type };
	int fd = open_raw(s);
	size_t bytes;

	put(s->dir, "options/overwrite", overwrite ? "1" : "0");
	clear(s);
	run_write(s, OVERWRITES);
	overrun = get_stat(s, "overrun: ");
	dropped = get_stat(s, "dropped events: ");
	entries = get_stat(s, "entries: ");
	first = overwrite ? OVERWRITES - entries : 0;

	seen.next = first;
	run_read(fd, &bytes);
	walk_copy(bytes, &seen);
	check_seen(what, s, &seen, entries);
	check(overrun == first && overrun + dropped + entries == OVERWRITES,
	      overwrite ? "account of overwriting" : "account of dropping", s,
	      "%llu overwritten, %llu dropped, %llu kept, of %u", (unsigned long long)overrun,
	      (unsigned long long)dropped, (unsigned long long)entries, OVERWRITES);
	put(s->dir, "options/overwrite", "1");
	close(fd);
}

static void check_overwriting(const struct side *s)
{
	check_full(s, true);
}

static void check_dropping(const struct side *s)
{
	check_full(s, false);
}

static void check_all(void)
{
	static void (*const checks[])(const struct side *s) = {
		check_mapping, check_read, check_splice, check_text, check_overwriting,
		check_dropping,
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		for (j = 0; j < 2; j++)
			checks[i](&sides[j]);
	}
	printf("1..%d\n", nr_checks);
}

/* --- metrics ------------------------------------------------------------------ */

enum metric {
	EVENT_BYTES, EVENT_WRITE, EVENT_WALK, EVENT_TEXT,
	SUBBUF_TAKE, SUBBUF_READ, SUBBUF_SPLICE,
	READER_MAP_WALK, READER_READ_WALK, READER_MAP_ONLY, READER_SPLICE_ONLY,
	NR_METRICS,
};

static const struct {
	const char	*name;
	const char	*unit;
} metrics[NR_METRICS] = {
	[EVENT_BYTES]		= { "event.bytes", "bytes" },
	[EVENT_WRITE]		= { "event.write", "ns" },
	[EVENT_WALK]		= { "event.walk", "ns" },
	[EVENT_TEXT]		= { "event.text", "ns" },
	[SUBBUF_TAKE]		= { "subbuf.take", "ns" },
	[SUBBUF_READ]		= { "subbuf.read", "ns" },
	[SUBBUF_SPLICE]		= { "subbuf.splice", "ns" },
	[READER_MAP_WALK]	= { "reader.map_walk", "GB/s" },
	[READER_READ_WALK]	= { "reader.read_walk", "GB/s" },
	[READER_MAP_ONLY]	= { "reader.map_only", "GB/s" },
	[READER_SPLICE_ONLY]	= { "reader.splice_only", "GB/s" },
};

/* By side and repeat; the last row is the ratio of the two */
static double values[NR_METRICS][3][REPEATS];

/**
 * struct sample - where a repeat of one side leaves what it measured
 * @side:	index of the side
 * @repeat:	index of the repeat
 */
struct sample {
	int	side;
	int	repeat;
};

static void set(const struct sample *at, enum metric m, double value)
{
	values[m][at->side][at->repeat] = value;
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/* All that is in the ring, which all sub-buffers are but the reader's */
static void walk_ring(const struct mapping *m, struct seen *seen)
{
	unsigned int id, reader = m->meta->reader.id;

	for (id = 0; id < m->meta->nr_subbufs; id++) {
		if (id != reader)
			walk(subbuf(m, id), seen);
	}
}

/* Once without a look at the time, as the first access to a page is a fault of the host */
static double time_walk(const struct mapping *m, struct seen *seen)
{
	struct seen unused = *seen;
	double start;

	walk_ring(m, &unused);
	start = now_ns();
	walk_ring(m, seen);
	return now_ns() - start;
}

static void bench_mapping(const struct side *s, const struct sample *at)
{
	struct seen seen = { .type = s->type };
	double take, walk;
	uint64_t kept;
	struct mapping m;

	clear(s);
	open_mapping(&m, s);
	run_write(s, OVERWRITES - WRITE_EVENTS);
	set(at, EVENT_WRITE, run_write(s, WRITE_EVENTS) / WRITE_EVENTS);
	walk = time_walk(&m, &seen);
	take = run_take(m.fd, m.meta->nr_subbufs - 1);

	errno = 0;
	kept = OVERWRITES - m.meta->overrun;
	if (seen.events != kept || m.meta->read != kept)
		fail("the mapping of %s: %llu events walked over, %llu taken, of %llu", s->name,
		     (unsigned long long)seen.events, (unsigned long long)m.meta->read,
		     (unsigned long long)kept);
	set(at, EVENT_BYTES, (double)seen.bytes / seen.events);
	set(at, EVENT_WALK, walk / seen.events);
	set(at, SUBBUF_TAKE, take / (m.meta->nr_subbufs - 1));
	set(at, READER_MAP_ONLY, seen.bytes / take);
	set(at, READER_MAP_WALK, seen.bytes / (take + walk));
	close_mapping(&m);
}

static void bench_read(const struct side *s, const struct sample *at)
{
	struct seen seen = { .type = s->type };
	int fd = open_raw(s);
	double read, walk;
	size_t bytes;

	clear(s);
	run_write(s, OVERWRITES);
	read = run_read(fd, &bytes);
	walk = now_ns();
	walk_copy(bytes, &seen);
	walk = now_ns() - walk;

	errno = 0;
	if (seen.events + get_stat(s, "overrun: ") != OVERWRITES)
		fail("read() of %s got %llu events", s->name, (unsigned long long)seen.events);
	set(at, SUBBUF_READ, read / (bytes / SUBBUF_SIZE));
	set(at, READER_READ_WALK, seen.bytes / (read + walk));
	close(fd);
}

/* To /dev/null */
static void bench_splice(const struct side *s, const struct sample *at)
{
	int fd = open_raw(s), null = open_in("/dev", "null", O_WRONLY), pipe_fds[2];
	size_t bytes, expected;
	double ns;

	if (pipe(pipe_fds))
		fail("pipe()");
	clear(s);
	run_write(s, OVERWRITES);
	expected = get_stat(s, "bytes: ");
	ns = run_splice(fd, pipe_fds[1], null, &bytes);

	errno = 0;
	if (bytes < expected - SUBBUF_SIZE)
		fail("splice() of %s got %zu bytes, of %zu", s->name, bytes, expected);
	set(at, SUBBUF_SPLICE, ns / (bytes / SUBBUF_SIZE));
	set(at, READER_SPLICE_ONLY, expected / ns);
	close(fd);
	close(null);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void bench_text(const struct side *s, const struct sample *at)
{
	int fd = open_in(s->dir, "trace_pipe", O_RDONLY | O_NONBLOCK);
	struct seen seen = { 0 };
	size_t bytes;
	double ns;

	clear(s);
	run_write(s, TEXT_EVENTS);
	ns = run_read(fd, &bytes);
	see_text(bytes, &seen);

	errno = 0;
	if (seen.events != TEXT_EVENTS)
		fail("the text of %s has %llu events", s->name, (unsigned long long)seen.events);
	set(at, EVENT_TEXT, ns / TEXT_EVENTS);
	close(fd);
}

static void bench_side(const struct sample *at)
{
	const struct side *s = &sides[at->side];

	bench_mapping(s, at);
	bench_read(s, at);
	bench_splice(s, at);
	bench_text(s, at);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v)
{
	qsort(v, REPEATS, sizeof(*v), compare);
	return v[REPEATS / 2];
}

/* Of values that are sorted: from the first to the ninth decile */
static double spread(const double *v)
{
	return v[REPEATS * 9 / 10] - v[REPEATS / 10];
}

static void report(enum metric metric)
{
	double (*v)[REPEATS] = values[metric];
	double remote, ordinary;
	int i;

	for (i = 0; i < REPEATS; i++)
		v[2][i] = v[0][i] / v[1][i];
	remote = median(v[0]);
	ordinary = median(v[1]);
	printf("metric\t%s\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", metrics[metric].name,
	       metrics[metric].unit, remote, spread(v[0]), ordinary, spread(v[1]), median(v[2]));
}

static void bench_all(void)
{
	struct sample at = { 0 };
	int metric;

	/* To warm up; the next overwrites it */
	bench_side(&at);
	for (at.repeat = 0; at.repeat < REPEATS; at.repeat++) {
		for (at.side = 0; at.side < 2; at.side++)
			bench_side(&at);
	}
	for (metric = 0; metric < NR_METRICS; metric++)
		report(metric);
}

/* --- the run ------------------------------------------------------------------ */

static void set_up_machine(void)
{
	int fd = open(MODULE, O_RDONLY);

	if (mount("proc", "/proc", "proc", 0, NULL) || mount("sysfs", "/sys", "sysfs", 0, NULL) ||
	    mount("tracefs", TRACEFS, "tracefs", 0, NULL))
		fail("mount()");
	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		fail("%s", MODULE);
	close(fd);
	run_fd = open(MODULE_RUN, O_RDWR);
	if (run_fd < 0)
		fail("%s", MODULE_RUN);
}

/* Without perf events in the kernel, the file "id" is not there */
static uint16_t get_type(const struct side *s)
{
	char text[4096];
	const char *id;

	get(s->dir, s->format, text, sizeof(text));
	id = strstr(text, "ID: ");
	if (!id)
		fail("no ID in %s/%s", s->dir, s->format);
	return atoi(id + 4);
}

static void set_up_side(struct side *s)
{
	put(s->dir, "tracing_on", "0");
	put(s->dir, "buffer_size_kb", BUFFER_KB);
	put(s->dir, "tracing_on", "1");
	put(s->dir, s->enable, "1");
	s->type = get_type(s);
}

static void set_up(void)
{
	if (mkdir(sides[1].dir, 0700))
		fail("%s", sides[1].dir);
	set_up_side(&sides[0]);
	set_up_side(&sides[1]);
	copy = mmap(NULL, COPY_SIZE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (copy == MAP_FAILED)
		fail("mmap() of %d bytes", COPY_SIZE);
}

int main(int argc, char **argv)
{
	set_up_machine();
	set_up();
	check_all();
	if (!nr_failed && (argc < 2 || strcmp(argv[1], "--quick")))
		bench_all();
	puts("done");
	halt(nr_failed ? EXIT_FAILURE : EXIT_SUCCESS);
}

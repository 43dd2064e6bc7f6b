// SPDX-License-Identifier: GPL-2.0
/*
 * native_bench - what writing and reading the remote "test" takes on this machine,
 * beside the kernel's own ring buffer in the same run
 *
 * Prints a line for each metric: name, unit, then median and spread of the remote,
 * then those of the ordinary buffer, between tabs. Runs as root in the virtual
 * machine of qemu-scripts/bench-native.sh; as its first process, it also sets
 * up what it needs, and restarts the machine at the end, which ends it.
 *
 * An event of the remote is selftest, written by write_event; an ordinary one is
 * task_rename, written by prctl(). Writing one takes what the system call takes with
 * the event on, less what it takes with the event off.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/trace_mmap.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define TRACEFS		"/sys/kernel/tracing"
#define SUBBUF_SIZE	4096
#define SUBBUF_HEADER	16
#define BUFFER_KB	"8192"
/* Fills three quarters of the buffer */
#define FILL_BYTES	(6 << 20)

#define WRITES		20000
#define WRITE_REPEATS	31
#define READ_REPEATS	9

/**
 * struct side - one of the two that are compared
 * @dir:	its directory in tracefs
 * @enable:	file there that enables its event
 * @write:	write one event
 * @fd:		what @write needs
 * @size:	bytes of an event in the buffer
 */
struct side {
	const char	*dir;
	const char	*enable;
	void		(*write)(const struct side *s);
	int		fd;
	double		size;
};

/* What was read */
struct seen {
	uint64_t	events;
	uint64_t	bytes;
	uint64_t	sum;
};

struct result {
	double		median;
	double		spread;
};

/* --- files -------------------------------------------------------------------- */

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("failed\t");
	vprintf(fmt, args);
	printf(": %s\n", strerror(errno));
	va_end(args);
	fflush(stdout);
	if (getpid() == 1)
		reboot(RB_AUTOBOOT);
	exit(EXIT_FAILURE);
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

/* A number of per_cpu/cpu0/stats */
static double get_stat(const struct side *s, const char *name)
{
	int fd = open_in(s->dir, "per_cpu/cpu0/stats", O_RDONLY);
	char text[1024];
	ssize_t len = read(fd, text, sizeof(text) - 1);
	const char *at;

	close(fd);
	text[len > 0 ? len : 0] = '\0';
	at = strstr(text, name);
	if (!at)
		fail("no %s in the stats of %s", name, s->dir);
	return atof(at + strlen(name));
}

static void clear(const struct side *s)
{
	close(open_in(s->dir, "trace", O_WRONLY | O_TRUNC));
}

/* --- numbers ------------------------------------------------------------------ */

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct result summarize(double *values, int nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return (struct result){
		.median = values[nr / 2], .spread = values[nr * 9 / 10] - values[nr / 10],
	};
}

static void report(const char *name, const char *unit, const struct result r[2])
{
	printf("metric\t%s\t%s\t%.2f\t%.2f\t%.2f\t%.2f\n", name, unit, r[0].median,
	       r[0].spread, r[1].median, r[1].spread);
}

/* --- writing ------------------------------------------------------------------ */

static void write_remote(const struct side *s)
{
	if (write(s->fd, "1", 1) != 1)
		fail("write_event");
}

static void write_ordinary(const struct side *s)
{
	(void)s;
	prctl(PR_SET_NAME, "native_bench");
}

static void write_many(const struct side *s, unsigned int nr)
{
	while (nr--)
		s->write(s);
}

static double time_writes(const struct side *s)
{
	double start = now_ns();

	write_many(s, WRITES);
	return (now_ns() - start) / WRITES;
}

/* By turns, so that what else the machine does hits both */
static struct result bench_write(const struct side *s)
{
	double values[WRITE_REPEATS], off;
	int i;

	for (i = 0; i < WRITE_REPEATS; i++) {
		put(s->dir, s->enable, "0");
		off = time_writes(s);
		put(s->dir, s->enable, "1");
		clear(s);
		values[i] = time_writes(s) - off;
	}
	return summarize(values, WRITE_REPEATS);
}

/* --- reading ------------------------------------------------------------------ */

static uint32_t word_at(const uint8_t *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* Look at each event: its time, and the first word, with its type */
static void walk(const uint8_t *page, struct seen *seen)
{
	uint32_t commit = word_at(page + 8) & 0xfffff;
	const uint8_t *pos = page + SUBBUF_HEADER, *end = pos + commit;
	uint64_t ts;

	memcpy(&ts, page, sizeof(ts));
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
		seen->events++;
		seen->sum += ts ^ word_at(pos);
		pos += type ? type * 4 : word_at(pos);
	}
	seen->bytes += commit;
}

struct reader {
	int				fd;
	int				pipe[2];
	int				null;
	const struct trace_buffer_meta	*meta;
	size_t				map_size;
	uint32_t			id;
	uint32_t			read;
};

/* Each reads all that there is */

static void read_mapped(struct reader *r, struct seen *seen, bool look)
{
	const uint8_t *subbufs = (const uint8_t *)r->meta + r->meta->meta_page_size;

	for (;;) {
		uint32_t id, read;

		if (ioctl(r->fd, TRACE_MMAP_IOCTL_GET_READER) && errno != EAGAIN)
			fail("TRACE_MMAP_IOCTL_GET_READER");
		id = r->meta->reader.id;
		read = r->meta->reader.read;
		if (id == r->id && read == r->read)
			return;
		r->id = id;
		r->read = read;
		if (look)
			walk(subbufs + (size_t)id * SUBBUF_SIZE, seen);
		else
			seen->bytes += read;
	}
}

static void read_map_walk(struct reader *r, struct seen *seen)
{
	read_mapped(r, seen, true);
}

static void read_map_only(struct reader *r, struct seen *seen)
{
	read_mapped(r, seen, false);
}

static void read_read(struct reader *r, struct seen *seen)
{
	static uint8_t page[SUBBUF_SIZE];

	while (read(r->fd, page, sizeof(page)) > 0)
		walk(page, seen);
	if (errno != EAGAIN)
		fail("read() of trace_pipe_raw");
}

/* All data goes to /dev/null, and is not looked at */
static void read_splice(struct reader *r, struct seen *seen)
{
	ssize_t len;

	while ((len = splice(r->fd, NULL, r->pipe[1], NULL, 16 * SUBBUF_SIZE,
			     SPLICE_F_NONBLOCK)) > 0) {
		seen->bytes += len;
		if (splice(r->pipe[0], NULL, r->null, NULL, len, 0) != len)
			fail("splice() to /dev/null");
	}
	if (len < 0 && errno != EAGAIN)
		fail("splice() of trace_pipe_raw");
}

static void map_reader(struct reader *r)
{
	struct trace_buffer_meta *meta;

	meta = mmap(NULL, SUBBUF_SIZE, PROT_READ, MAP_SHARED, r->fd, 0);
	if (meta == MAP_FAILED)
		fail("mmap() of the meta page");
	r->map_size = meta->meta_page_size + (size_t)meta->nr_subbufs * meta->subbuf_size;
	munmap(meta, SUBBUF_SIZE);
	r->meta = mmap(NULL, r->map_size, PROT_READ, MAP_SHARED | MAP_POPULATE, r->fd, 0);
	if (r->meta == MAP_FAILED)
		fail("mmap() of the buffer");
	r->id = r->meta->reader.id;
	r->read = r->meta->reader.read;
}

static void open_reader(struct reader *r, const struct side *s, bool map)
{
	memset(r, 0, sizeof(*r));
	r->fd = open_in(s->dir, "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	r->null = open_in("/dev", "null", O_WRONLY);
	if (pipe(r->pipe))
		fail("pipe()");
	if (map)
		map_reader(r);
}

static void close_reader(struct reader *r)
{
	if (r->meta)
		munmap((void *)r->meta, r->map_size);
	close(r->fd);
	close(r->null);
	close(r->pipe[0]);
	close(r->pipe[1]);
}

static const struct kind {
	const char	*name;
	void		(*read)(struct reader *r, struct seen *seen);
	bool		map;
	bool		look;
} kinds[] = {
	{ "map_walk", read_map_walk, true, true },
	{ "read_walk", read_read, false, true },
	{ "map_only", read_map_only, true, false },
	{ "splice_only", read_splice, false, false },
};

/* Nothing may be missing but a sub-buffer that is not full */
static void check_seen(const struct kind *kind, const struct side *s, const struct seen *seen,
		       unsigned int events)
{
	double missing = events * s->size - seen->bytes;

	errno = 0;
	if (kind->look && seen->events != events)
		fail("%s of %s saw %llu events, %u expected", kind->name, s->dir,
		     (unsigned long long)seen->events, events);
	if (!kind->look && missing > 2 * SUBBUF_SIZE)
		fail("%s of %s got %.0f bytes too few", kind->name, s->dir, missing);
}

static double time_reading(const struct kind *kind, const struct side *s)
{
	unsigned int events = FILL_BYTES / s->size;
	struct seen seen = { 0 };
	struct reader r;
	double ns;

	clear(s);
	open_reader(&r, s, kind->map);
	write_many(s, events);
	ns = now_ns();
	kind->read(&r, &seen);
	ns = now_ns() - ns;
	close_reader(&r);
	check_seen(kind, s, &seen, events);
	asm volatile("" : : "r" (seen.sum));
	return seen.bytes / ns;
}

static struct result bench_kind(const struct kind *kind, const struct side *s)
{
	double values[READ_REPEATS];
	int i;

	for (i = 0; i < READ_REPEATS; i++)
		values[i] = time_reading(kind, s);
	return summarize(values, READ_REPEATS);
}

/* --- the run ------------------------------------------------------------------ */

static struct side sides[2] = {
	{ TRACEFS "/remotes/test", "events/test/selftest/enable", write_remote, -1, 0 },
	{ TRACEFS "/instances/bench", "events/task/task_rename/enable", write_ordinary, -1, 0 },
};

static void set_up_machine(void)
{
	if (mount("proc", "/proc", "proc", 0, NULL) || mount("sysfs", "/sys", "sysfs", 0, NULL) ||
	    mount("tracefs", TRACEFS, "tracefs", 0, NULL))
		fail("mount()");
}

static void set_up(void)
{
	cpu_set_t cpu;
	int i;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		fail("sched_setaffinity()");
	if (mkdir(sides[1].dir, 0700))
		fail("%s", sides[1].dir);
	for (i = 0; i < 2; i++) {
		struct side *s = &sides[i];

		put(s->dir, "tracing_on", "0");
		put(s->dir, "buffer_size_kb", BUFFER_KB);
		put(s->dir, "tracing_on", "1");
		put(s->dir, s->enable, "1");
		if (i == 0)
			s->fd = open_in(s->dir, "write_event", O_WRONLY);
		clear(s);
		write_many(s, 1000);
		s->size = get_stat(s, "bytes: ") / get_stat(s, "entries: ");
	}
}

static void bench(void)
{
	struct result r[2] = { { .median = sides[0].size }, { .median = sides[1].size } };
	char name[32];
	int i, j;

	report("event.bytes", "bytes", r);
	for (j = 0; j < 2; j++)
		r[j] = bench_write(&sides[j]);
	report("event.write", "ns", r);
	for (i = 0; i < (int)ARRAY_SIZE(kinds); i++) {
		for (j = 0; j < 2; j++)
			r[j] = bench_kind(&kinds[i], &sides[j]);
		snprintf(name, sizeof(name), "reader.%s", kinds[i].name);
		report(name, "GB/s", r);
	}
}

int main(void)
{
	if (getpid() == 1)
		set_up_machine();
	set_up();
	bench();
	puts("done");
	fflush(stdout);
	if (getpid() == 1)
		reboot(RB_AUTOBOOT);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The life cycle of a trace remote's buffer: when it is loaded, how large it is, and
 * that every page of it is given back.
 *
 * Needs root. Runs on the remotes "hypervisor" and "test", and skips one that does
 * not exist. The test "absent_at_load" needs absent.ko.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/host.h"
#include "lib/memory.h"
#include "lib/slack.h"
#include "lib/ways.h"
#include "variants.h"

#define TEST_KB		64
#define NR_CYCLES	50

/* While it is 1, tracing of the remote "test" is about to be switched on or off */
#define ENABLE_WAITS	"/sys/module/remote_test/parameters/enable_waits"

/* Of each CPU: it takes a while to load */
#define LARGE_KB	(48 * 1024)

/* Of all CPUs: half of it is left free, which is enough for everything else */
#define TOO_LARGE_KB	(256 * 1024)

#define TOO_LARGE_FOR_U64	"18446744073709551616"

FIXTURE(remote) {
	struct source	src;
	struct events	ev;
};

FIXTURE_FOR_REMOTES(remote, TEST_KB);

FIXTURE_SETUP(remote)
{
	events_init(&self->ev);
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;
}

FIXTURE_TEARDOWN(remote)
{
	file_put_number(ENABLE_WAITS, 0);
	source_close(&self->src);
	events_free(&self->ev);
}

/*
 * Loading
 */

TEST_F(remote, tracing_on_loads)
{
	const struct source *src = &self->src;
	char buf[64];

	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "buffer_size_kb"));
	EXPECT_STREQ("64 (unloaded)\n", buf);
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "tracing_on"));
	EXPECT_STREQ("0\n", buf);

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "buffer_size_kb"));
	EXPECT_STREQ("64 (loaded)\n", buf);
	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "tracing_on"));
	EXPECT_STREQ("1\n", buf);

	/* A second write changes nothing */
	ASSERT_EQ(0, source_on(src, true));
	EXPECT_EQ(1, source_loaded(src));

	ASSERT_EQ(0, source_on(src, false));
	EXPECT_EQ(0, source_loaded(src));
	ASSERT_EQ(0, source_on(src, false));
	EXPECT_EQ(0, source_loaded(src));
}

TEST_F(remote, loaded_while_there_is_data)
{
	const struct source *src = &self->src;
	int fd;

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write(src, 7));
	ASSERT_EQ(0, source_on(src, false));
	EXPECT_EQ(1, source_loaded(src));

	/* Reading trace does not consume */
	fd = source_open_file(src, O_RDONLY, "trace");
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, events_read_text(&self->ev, fd));
	close(fd);
	EXPECT_EQ(1, self->ev.nr);
	EXPECT_EQ(1, source_loaded(src));

	events_clear(&self->ev);
	ASSERT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	ASSERT_EQ(1, self->ev.nr);
	EXPECT_EQ(7, self->ev.list[0].id);
	EXPECT_EQ(0, source_loaded(src));
}

TEST_F(remote, truncation_unloads)
{
	const struct source *src = &self->src;
	int fd;

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write(src, 7));
	ASSERT_EQ(0, source_on(src, false));
	ASSERT_EQ(1, source_loaded(src));

	fd = source_open_file(src, O_WRONLY | O_TRUNC, "trace");
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, source_loaded(src));
	close(fd);
}

TEST_F(remote, truncation_clears)
{
	const struct source *src = &self->src;
	struct stats stats;
	int fd, cpu;

	ASSERT_EQ(0, source_on(src, true));
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		ASSERT_EQ(0, pin_to_cpu(cpu));
		ASSERT_EQ(0, source_write_many(src, 0, 2 * EVENTS_PER_SUBBUF));
	}

	/* Clear one CPU, then all; tracing stays on */
	fd = source_open_file(src, O_WRONLY | O_TRUNC, "per_cpu/cpu0/trace");
	ASSERT_LE(0, fd);
	close(fd);
	ASSERT_EQ(0, source_stats(src, 0, &stats));
	EXPECT_EQ(0, stats.entries + stats.overrun + stats.read);
	for (cpu = 1; cpu < nr_cpus(); cpu++) {
		ASSERT_EQ(0, source_stats(src, cpu, &stats));
		EXPECT_EQ(2 * EVENTS_PER_SUBBUF, stats.entries);
	}

	fd = source_open_file(src, O_WRONLY | O_TRUNC, "trace");
	ASSERT_LE(0, fd);
	close(fd);
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		ASSERT_EQ(0, source_stats(src, cpu, &stats));
		EXPECT_EQ(0, stats.entries + stats.overrun + stats.read);
	}

	ASSERT_EQ(0, source_write_many(src, 100, 3));
	ASSERT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	EXPECT_EQ(3, self->ev.nr);
	EXPECT_EQ(3, events_first_wrong(&self->ev, 100));
	EXPECT_EQ(0, self->ev.losses);
}

TEST_F(remote, loaded_while_somebody_reads)
{
	static const char *const files[] = {
		"trace_pipe", "per_cpu/cpu0/trace_pipe", "per_cpu/cpu0/trace_pipe_raw",
	};
	const struct source *src = &self->src;
	unsigned int i;
	int fd, fd2;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		/* A reader that waits for events to come needs a buffer */
		fd = source_open_file(src, O_RDONLY | O_NONBLOCK, "%s", files[i]);
		ASSERT_LE(0, fd);
		EXPECT_EQ(1, source_loaded(src)) TH_LOG("%s", files[i]);

		/* As everywhere in tracefs, a pipe is opened once at a time */
		fd2 = source_open_file(src, O_RDONLY | O_NONBLOCK, "%s", files[i]);
		EXPECT_TRUE(fd2 == -EBUSY || strstr(files[i], "raw")) TH_LOG("%s", files[i]);
		if (fd2 == -EBUSY)
			fd2 = source_open_file(src, O_RDONLY, "trace");
		ASSERT_LE(0, fd2);
		close(fd);
		EXPECT_EQ(1, source_loaded(src)) TH_LOG("%s", files[i]);
		close(fd2);
		EXPECT_EQ(0, source_loaded(src)) TH_LOG("%s", files[i]);

		fd = source_open_file(src, O_RDONLY | O_NONBLOCK, "%s", files[i]);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, source_on(src, true));
		ASSERT_EQ(0, source_on(src, false));
		EXPECT_EQ(1, source_loaded(src)) TH_LOG("%s", files[i]);
		close(fd);
		EXPECT_EQ(0, source_loaded(src)) TH_LOG("%s", files[i]);
	}
}

TEST_F(remote, trace_does_not_load)
{
	const struct source *src = &self->src;
	int fd;

	fd = source_open_file(src, O_RDONLY, "trace");
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, source_loaded(src));
	EXPECT_EQ(0, events_read_text(&self->ev, fd));
	EXPECT_EQ(0, self->ev.nr);

	/* This file does not read a buffer that was loaded after it was opened */
	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, source_write(src, 1));
	EXPECT_EQ(0, lseek(fd, 0, SEEK_SET));
	EXPECT_EQ(0, events_read_text(&self->ev, fd));
	close(fd);
	EXPECT_EQ(1, source_loaded(src));
}

TEST_F(remote, open_trace_keeps_the_buffer)
{
	const struct source *src = &self->src;
	int fd;

	ASSERT_EQ(0, source_on(src, true));
	fd = source_open_file(src, O_RDONLY, "trace");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, source_on(src, false));
	EXPECT_EQ(1, source_loaded(src));
	close(fd);
	EXPECT_EQ(0, source_loaded(src));
}

/*
 * buffer_size_kb
 */

/* buffer_size_kb reads as @expected */
static void expect_size(struct __test_metadata *_metadata, const struct source *src,
			const char *expected)
{
	char buf[64];

	ASSERT_LT(0, source_get(src, buf, sizeof(buf), "buffer_size_kb"));
	EXPECT_STREQ(expected, buf);
}

TEST_F(remote, refused_sizes)
{
	static const struct {
		const char *text;
		int ret;
	} sizes[] = {
		{ "", -EINVAL }, { " ", -EINVAL }, { "\n", -EINVAL }, { "0", -EINVAL },
		{ "-1", -EINVAL }, { "-64", -EINVAL }, { "x", -EINVAL }, { "64x", -EINVAL },
		{ "64 64", -EINVAL }, { "0x40", -EINVAL }, { "6.4", -EINVAL },
		/* Times 1024 they are 0, and 64 KB, in 64 bits */
		{ "18014398509481984", -EINVAL }, { "18014398509482048", -EINVAL },
		{ "18446744073709551615", -EINVAL }, { "9223372036854775807", -EINVAL },
		{ "4294967296", -EINVAL }, { "4294967295", -EINVAL },
		{ TOO_LARGE_FOR_U64, -ERANGE },
	};
	const struct source *src = &self->src;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT_EQ(sizes[i].ret, source_put(src, sizes[i].text, "buffer_size_kb"))
			TH_LOG("'%s'", sizes[i].text);
		expect_size(_metadata, src, "64 (unloaded)\n");
	}

	ASSERT_EQ(0, source_put(src, "128\n", "buffer_size_kb"));
	expect_size(_metadata, src, "128 (unloaded)\n");
	ASSERT_EQ(0, source_put(src, "1", "buffer_size_kb"));
	expect_size(_metadata, src, "1 (unloaded)\n");
}

TEST_F(remote, no_resize_while_loaded)
{
	const struct source *src = &self->src;
	int fd;

	ASSERT_EQ(0, source_on(src, true));
	EXPECT_EQ(-EBUSY, source_set_size(src, 128));
	EXPECT_EQ(-EBUSY, source_set_size(src, TEST_KB));
	EXPECT_EQ(-EINVAL, source_set_size(src, 0));
	expect_size(_metadata, src, "64 (loaded)\n");
	ASSERT_EQ(0, source_on(src, false));

	fd = source_open_file(src, O_RDONLY, "per_cpu/cpu0/trace_pipe_raw");
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBUSY, source_set_size(src, 128));
	expect_size(_metadata, src, "64 (loaded)\n");
	close(fd);

	EXPECT_EQ(0, source_set_size(src, 128));
	expect_size(_metadata, src, "128 (unloaded)\n");
}

/* The size is the data of each CPU; the ring has at least two sub-buffers */
TEST_F(remote, size_is_what_fits)
{
	static const unsigned long sizes[] = { 1, 7, 8, 16, 64, 100, 1024 };
	const struct source *src = &self->src;
	unsigned long data, expected;
	struct mapping m;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		ASSERT_EQ(0, source_set_size(src, sizes[i]));
		ASSERT_EQ(0, mapping_open(&m, src, 0, O_NONBLOCK));
		data = (m.meta->nr_subbufs - 1) * SUBBUF_DATA_SIZE;
		expected = sizes[i] * 1024;
		if (expected < 2 * SUBBUF_DATA_SIZE)
			expected = 2 * SUBBUF_DATA_SIZE;
		EXPECT_LE(expected, data);
		EXPECT_GT(expected + SUBBUF_DATA_SIZE, data);
		mapping_close(&m);
	}
}

static unsigned long meminfo_kb(const char *key)
{
	char buf[4096], *line;

	if (file_read("/proc/meminfo", buf, sizeof(buf)) < 0)
		return 0;
	line = strstr(buf, key);
	return line ? strtoul(line + strlen(key), NULL, 10) : 0;
}

/* Largest size that buffer_size_kb takes */
static unsigned long max_size_kb(const struct source *src)
{
	unsigned long kb = 0, bit;

	for (bit = 1UL << 31; bit; bit >>= 1) {
		if (!source_set_size(src, kb | bit))
			kb |= bit;
	}
	return kb;
}

/* Leave too little memory for @need_kb; returns the memory taken, or MAP_FAILED */
static void *eat_memory(unsigned long need_kb, size_t *size)
{
	unsigned long available_kb = meminfo_kb("MemAvailable:");

	*size = SUBBUF_SIZE;
	if (need_kb / 2 < available_kb)
		*size = (available_kb - need_kb / 2) * 1024;
	return mmap(NULL, *size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
}

/*
 * Every page comes back
 */

/* Load, use and unload once */
static int cycle(const struct source *src, struct events *ev, unsigned long kb, __u64 id)
{
	int ret;

	events_clear(ev);
	ret = source_set_size(src, kb) ?:
	      source_on(src, true) ?:
	      source_write(src, id) ?:
	      source_on(src, false) ?:
	      source_consume(src, 0, WAY_PIPE_ALL, ev);
	if (ret)
		return ret;
	if (ev->error || ev->nr != 1 || ev->list[0].id != id)
		return -EPROTO;
	return source_loaded(src) ? -EBUSY : 0;
}

TEST_F(remote, every_page_comes_back)
{
	static const unsigned long sizes[] = { 1, 1408, 7, 64, 700, 2000 };
	const struct source *src = &self->src;
	unsigned int i;
	long before;

	for (i = 0; i < 2 * ARRAY_SIZE(sizes); i++)
		ASSERT_EQ(0, cycle(src, &self->ev, sizes[i % ARRAY_SIZE(sizes)], i));

	sleep_ms(100);
	before = free_pages();
	ASSERT_LT(0, before);
	for (i = 0; i < NR_CYCLES; i++) {
		ASSERT_EQ(0, cycle(src, &self->ev, sizes[i % ARRAY_SIZE(sizes)], i))
			TH_LOG("cycle %u", i);
	}

	/* A leak of one page a cycle would be NR_CYCLES */
	EXPECT_GE(NOISE_PAGES, missing_pages(before, NOISE_PAGES));
}

TEST_F(remote, every_page_of_a_reader_comes_back)
{
	const struct source *src = &self->src;
	long before = 0;
	struct mapping m;
	int i;

	for (i = 0; i < NR_CYCLES + 10; i++) {
		if (i == 10)
			before = free_pages();
		ASSERT_EQ(0, source_on(src, true));
		ASSERT_EQ(0, mapping_open(&m, src, 0, O_NONBLOCK));
		ASSERT_EQ(0, source_on(src, false));
		mapping_close(&m);
		ASSERT_EQ(0, source_loaded(src));
	}
	EXPECT_GE(NOISE_PAGES, missing_pages(before, NOISE_PAGES));
}

/* If there is not enough memory, nothing changes and no page is lost */
TEST_F(remote, too_large_for_memory)
{
	const struct source *src = &self->src;
	unsigned long kb = max_size_kb(src);
	char expected[64];
	long before;
	size_t size;
	void *mem;
	int i;

	ASSERT_LT(1024, kb);
	if (kb * nr_cpus() > TOO_LARGE_KB)
		kb = TOO_LARGE_KB / nr_cpus();
	ASSERT_EQ(0, source_set_size(src, kb));
	snprintf(expected, sizeof(expected), "%lu (unloaded)\n", kb);

	mem = eat_memory(kb * nr_cpus(), &size);
	ASSERT_NE(MAP_FAILED, mem);
	before = free_pages();
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(-ENOMEM, source_on(src, true));
		expect_size(_metadata, src, expected);
		ASSERT_EQ(-ENOMEM, source_open_file(src, O_RDONLY, "trace_pipe"));
	}
	EXPECT_GE(NOISE_PAGES, missing_pages(before, NOISE_PAGES));
	munmap(mem, size);

	ASSERT_EQ(0, cycle(src, &self->ev, TEST_KB, 11));
}

/* A page that, if there is none, makes the kernel kill a process to get one */
static bool may_kill(const char *line)
{
	return strstr(line, "gfp_flags=GFP_KERNEL") && !strstr(line, "__GFP_RETRY_MAYFAIL") &&
	       !strstr(line, "__GFP_NORETRY");
}

/*
 * Loading a larger buffer takes no more of such pages. The first load is not counted: outside
 * protected mode, KVM takes one for each 2 MiB of memory that it maps at EL2 for the first time.
 */
TEST_F(remote, load_spares_other_processes)
{
	static const unsigned long sizes[] = { 8192, 512, 8192 };
	const struct source *src = &self->src;
	int nr[ARRAY_SIZE(sizes)];
	unsigned int i;

	ASSERT_EQ(0, host_record("kmem/mm_page_alloc", getpid()));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		ASSERT_EQ(0, source_set_size(src, sizes[i]));
		host_clear();
		ASSERT_EQ(0, source_on(src, true));
		nr[i] = host_count(may_kill);
		ASSERT_LE(0, nr[i]);
		ASSERT_EQ(0, source_on(src, false));
	}
	EXPECT_GE(nr[1] + 3, nr[2]);
	host_stop();
}

/* A process that switches tracing on, and then sets @ended, which it shares, unless NULL */
static pid_t start_load(const struct source *src, volatile bool *ended)
{
	pid_t pid = fork();
	int ret;

	if (!pid) {
		ret = source_on(src, true);
		if (ended)
			*ended = true;
		_exit(ret ? 1 : 0);
	}
	return pid;
}

static bool is_on(const struct source *src)
{
	char buf[16];

	return source_get(src, buf, sizeof(buf), "tracing_on") > 0 && buf[0] == '1';
}

/*
 * Kills a load after @ms. Return: 1 if that ended it, 0 if the load had ended before, which
 * says nothing, and leaves tracing on. It may have ended without a return to the process.
 */
static int kill_load(const struct source *src, __u64 ms)
{
	volatile bool *ended = mmap(NULL, sizeof(*ended), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status, ret = -1;
	pid_t pid;

	if (ended == MAP_FAILED)
		return -1;
	pid = start_load(src, ended);
	sleep_ms(ms);
	if (pid > 0 && !kill(pid, SIGKILL) && waitpid(pid, &status, 0) == pid)
		ret = !*ended && WIFSIGNALED(status) && !is_on(src);
	munmap((void *)ended, sizeof(*ended));
	return ret;
}

/* SIGKILL ends a load at any moment of its first half, and all is given back */
TEST_F(remote, load_can_be_killed)
{
	const struct source *src = &self->src;
	__u64 start, took, ms;
	int part, tries, killed = 0;

	if (strcmp(src->remote, HYPERVISOR))
		SKIP(return, "only giving memory to EL2 takes long");

	ASSERT_EQ(0, source_set_size(src, LARGE_KB));
	start = now_ms();
	ASSERT_EQ(0, source_on(src, true));
	took = now_ms() - start;
	ASSERT_EQ(0, source_on(src, false));
	ASSERT_EQ(0, source_loaded(src));
	for (part = 1; part <= 5; part++) {
		/* Sooner if the machine is faster now, so that the load is over */
		ms = took * part / 10;
		for (tries = 0; tries < 20; tries++, ms /= 2) {
			killed = kill_load(src, ms);
			if (killed)
				break;
			ASSERT_EQ(0, source_on(src, false));
		}
		ASSERT_EQ(1, killed);
		EXPECT_EQ(0, source_loaded(src)) TH_LOG("after %llu of %llu ms", ms, took);
		ASSERT_EQ(0, source_on(src, false));
	}
}

/* Does the process wait in the kernel, and not for something that may never come? */
static bool is_blocked(pid_t pid)
{
	char path[32], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'D';
}

static bool comes_to_block(pid_t pid)
{
	__u64 end = now_ms() + PATIENCE_MS;

	while (!is_blocked(pid)) {
		if (now_ms() > end)
			return false;
		sleep_ms(1);
	}
	return true;
}

static bool can_be_killed(pid_t pid)
{
	kill(pid, SIGKILL);
	return process_ends(pid);
}

/**
 * struct call - a call that takes the lock of a remote
 * @file:	open this file
 * @flags:	with these flags
 * @text:	write this, or read if it is NULL
 */
struct call {
	const char	*file;
	int		flags;
	const char	*text;
};

static const struct call calls[] = {
	{ "tracing_on",			O_WRONLY,	"1" },
	{ "buffer_size_kb",		O_RDONLY },
	{ "buffer_size_kb",		O_WRONLY,	"64" },
	{ "options/overwrite",		O_WRONLY,	"0" },
	{ "trace_clock",		O_WRONLY,	"local" },
	{ "trace",			O_RDONLY },
	{ "trace",			O_WRONLY | O_TRUNC },
	{ "trace_pipe",			O_RDONLY },
	{ "per_cpu/cpu0/trace_pipe_raw", O_RDONLY },
	{ "per_cpu/cpu0/stats",		O_RDONLY },
	{ "set_event",			O_WRONLY,	"!selftest" },
	{ "set_event",			O_WRONLY | O_TRUNC },
	{ "events/enable",		O_WRONLY,	"1" },
	{ "events/test/selftest/enable", O_WRONLY,	"0" },
	{ "events/test/selftest/filter", O_WRONLY,	"id > 1" },
};

static pid_t start_call(const struct source *src, const struct call *call)
{
	pid_t pid = fork();
	char buf[64];
	int fd;

	if (pid)
		return pid;
	fd = source_open_file(src, call->flags, "%s", call->file);
	if (fd >= 0 && call->text)
		write(fd, call->text, strlen(call->text));
	else if (fd >= 0)
		read(fd, buf, sizeof(buf));
	_exit(1);
}

/* While a process switches tracing on, and that takes long, others can be killed */
TEST_F(remote, who_waits_can_be_killed)
{
	const struct source *src = &self->src;
	unsigned int i;
	int status;
	pid_t loads, pid;

	if (strcmp(src->remote, SOFTWARE))
		SKIP(return, "it cannot be made to take long");

	ASSERT_EQ(0, file_put_number(ENABLE_WAITS, 1));
	loads = start_load(src, NULL);
	EXPECT_TRUE(comes_to_block(loads));
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		pid = start_call(src, &calls[i]);
		EXPECT_TRUE(comes_to_block(pid)) TH_LOG("%s", calls[i].file);
		EXPECT_TRUE(can_be_killed(pid)) TH_LOG("%s", calls[i].file);
	}
	ASSERT_EQ(0, file_put_number(ENABLE_WAITS, 0));
	ASSERT_EQ(loads, waitpid(loads, &status, 0));
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
}

/*
 * CPU hotplug
 */

/* The CPU is offline when the buffer is loaded, and comes online while tracing */
TEST_F(remote, offline_at_load)
{
	const struct source *src = &self->src;
	int cpu = nr_cpus() - 1, fd;

	if (!cpu || cpu_set_online(cpu, false))
		SKIP(return, "no CPU can be switched off");

	EXPECT_EQ(0, source_on(src, true));
	EXPECT_EQ(0, pin_to_cpu(0));
	EXPECT_EQ(0, source_write(src, 1));
	fd = source_open_file(src, O_RDONLY, "trace");
	EXPECT_LE(0, fd);
	EXPECT_EQ(0, events_read_text(&self->ev, fd));
	close(fd);
	EXPECT_EQ(1, self->ev.nr);

	events_clear(&self->ev);
	EXPECT_EQ(0, cpu_set_online(cpu, true));
	EXPECT_EQ(0, pin_to_cpu(cpu));
	EXPECT_EQ(0, source_write(src, 2));
	EXPECT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	ASSERT_EQ(2, self->ev.nr);
	EXPECT_EQ(1, self->ev.list[0].id);
	EXPECT_EQ(2, self->ev.list[1].id);
	EXPECT_EQ(cpu, self->ev.list[1].cpu);
}

/*
 * A CPU that is not there has no buffer. One that is added later gets its buffer when the
 * next one is loaded
 */
TEST_F(remote, absent_at_load)
{
	const struct source *src = &self->src;
	int cpu = nr_cpus() - 1, fd;
	struct stats stats;
	struct mapping m;
	char text[64];

	if (access("absent.ko", R_OK))
		SKIP(return, "there is no absent.ko");
	if (!cpu || cpu_set_online(cpu, false))
		SKIP(return, "no CPU can be switched off");
	snprintf(text, sizeof(text), "insmod absent.ko cpu=%d", cpu);
	ASSERT_EQ(0, system(text));

	EXPECT_EQ(0, source_on(src, true));
	EXPECT_EQ(0, source_stats(src, cpu, &stats));
	EXPECT_EQ(0, stats.entries + stats.bytes + stats.dropped + stats.read);
	EXPECT_EQ(-EINVAL, mapping_open(&m, src, cpu, O_NONBLOCK));
	fd = source_open_file(src, O_RDONLY | O_NONBLOCK, "per_cpu/cpu%d/trace_pipe_raw", cpu);
	EXPECT_LE(0, fd);
	EXPECT_EQ(-1, read(fd, text, sizeof(text)));
	EXPECT_EQ(ENODEV, errno);
	close(fd);

	/* It is added, and switched on, while tracing is on */
	EXPECT_EQ(0, system("rmmod absent"));
	EXPECT_EQ(0, cpu_set_online(cpu, true));
	EXPECT_EQ(0, pin_to_cpu(cpu));
	EXPECT_EQ(0, source_write(src, 1));
	EXPECT_EQ(0, pin_to_cpu(0));
	EXPECT_EQ(0, source_write(src, 2));
	EXPECT_EQ(0, source_look(src, -1, &self->ev));
	EXPECT_EQ(1, events_first_wrong(&self->ev, 2));
	EXPECT_EQ(0, cpu_set_online(cpu, false));
	EXPECT_EQ(0, source_set_overwrite(src, false));
	EXPECT_EQ(0, source_set_clock(src, "boot"));
	EXPECT_EQ(0, cpu_set_online(cpu, true));
	EXPECT_EQ(0, source_on(src, false));
	EXPECT_EQ(0, source_loaded(src));

	EXPECT_EQ(0, source_on(src, true));
	EXPECT_EQ(0, pin_to_cpu(cpu));
	EXPECT_EQ(0, source_write(src, 3));
	events_clear(&self->ev);
	EXPECT_EQ(0, source_consume(src, cpu, WAY_MAP, &self->ev));
	EXPECT_EQ(1, events_first_wrong(&self->ev, 3));
}

/* The CPU goes offline while tracing: its events stay, and unloading works without it */
TEST_F(remote, offline_while_loaded)
{
	const struct source *src = &self->src;
	int cpu = nr_cpus() - 1;

	if (!cpu)
		SKIP(return, "there is one CPU only");

	ASSERT_EQ(0, source_on(src, true));
	ASSERT_EQ(0, pin_to_cpu(cpu));
	ASSERT_EQ(0, source_write_many(src, 0, 2 * EVENTS_PER_SUBBUF));
	ASSERT_EQ(0, pin_to_cpu(0));
	if (cpu_set_online(cpu, false))
		SKIP(return, "CPU %d cannot be switched off", cpu);

	EXPECT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	EXPECT_EQ(2 * EVENTS_PER_SUBBUF, events_first_wrong(&self->ev, 0));
	EXPECT_EQ(0, source_on(src, false));
	EXPECT_EQ(0, source_loaded(src));
	EXPECT_EQ(0, cpu_set_online(cpu, true));

	EXPECT_EQ(0, cycle(src, &self->ev, TEST_KB, 99));
}

/* The CPU goes offline and online again: it continues where it was */
TEST_F(remote, offline_and_back)
{
	const struct source *src = &self->src;
	int cpu = nr_cpus() - 1, round;

	if (!cpu)
		SKIP(return, "there is one CPU only");

	ASSERT_EQ(0, source_on(src, true));
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, pin_to_cpu(cpu));
		ASSERT_EQ(0, source_write_many(src, round * 300, 300));
		ASSERT_EQ(0, pin_to_cpu(0));
		if (cpu_set_online(cpu, false))
			SKIP(return, "CPU %d cannot be switched off", cpu);
		EXPECT_EQ(0, cpu_set_online(cpu, true));
	}
	ASSERT_EQ(0, source_consume(src, 0, WAY_PIPE_ALL, &self->ev));
	EXPECT_EQ(900, self->ev.nr);
	EXPECT_EQ(900, events_first_wrong(&self->ev, 0));
	EXPECT_EQ(0, self->ev.losses);
}

TEST_HARNESS_MAIN

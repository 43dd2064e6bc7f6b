// SPDX-License-Identifier: GPL-2.0
/*
 * The writer refuses to give readers another sub-buffer, always and not once: each call
 * of each reader returns the writer's errno, none spins, a call that waits can be
 * killed, and no event is lost when the writer gives sub-buffers again.
 *
 * Needs root. Runs on the remote "test", whose module can answer anything, and on the
 * remote "hypervisor", if the kernel has fault injection.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/slack.h"
#include "lib/ways.h"
#include "variants.h"

#define FAIL_HYP_TRACE	"/sys/kernel/debug/fail_hyp_trace/"
#define SWAP_ANSWER	"/sys/module/remote_test/parameters/swap_answer"
#define READER_ID	"/sys/module/remote_test/parameters/reader_id"

/* As in linux/ring_buffer_writer.h; the last one stands for any that is not known */
enum { NOTHING, DONE, MORE, UNKNOWN = 99 };

/**
 * struct refusal - what a writer answers instead of giving a sub-buffer
 * @answer:	a negative errno, or one of the answers above
 * @err:	what readers get
 */
struct refusal {
	int	answer;
	int	err;
};

static const struct refusal refusals[] = {
	{ -EIO,		-EIO },
	{ -ENODEV,	-ENODEV },
	{ -EPERM,	-EPERM },
	{ -EBUSY,	-EBUSY },
	{ NOTHING,	-EBUSY },
	{ MORE,		-EBUSY },
	{ UNKNOWN,	-EIO },
};

/**
 * struct kind - a kind of reader
 * @file:	its file
 * @call:	the call that it makes; GET_READER maps the file first
 * @nothing:	what this returns with O_NONBLOCK if the buffer is empty
 */
struct kind {
	const char	*file;
	enum { READ, SPLICE, GET_READER } call;
	int		nothing;
};

#define PER_CPU	"per_cpu/cpu%d/"

static const struct kind kinds[] = {
	{ "trace_pipe",			READ,		-EAGAIN },
	{ PER_CPU "trace_pipe",		READ,		-EAGAIN },
	{ PER_CPU "trace_pipe_raw",	READ,		-EAGAIN },
	{ PER_CPU "trace_pipe_raw",	SPLICE,		-EAGAIN },
	{ PER_CPU "trace_pipe_raw",	GET_READER,	0 },
};

static const char *const call_names[] = { "read", "splice", "ioctl" };

static const char *what(const struct kind *kind, int flags)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s of %s, %s", call_names[kind->call], kind->file,
		 flags ? "nonblocking" : "blocking");
	return text;
}

/**
 * struct reader - a process that makes one call
 * @kind:	kind
 * @fd:		its file
 * @m:		the mapping, for a GET_READER
 * @pid:	process
 * @shared:	what it tells us: that it begins, that it is done, the result or the errno
 */
struct reader {
	const struct kind	*kind;
	int			fd;
	struct mapping		m;
	pid_t			pid;
	struct {
		int		begun;
		int		done;
		int		ret;
	} *shared;
};

FIXTURE(refused) {
	struct source	src;
	struct events	ev;
	int		cpu;
};

FIXTURE_FOR_REMOTES(refused, 64);

static bool is_software(const struct source *src)
{
	return !strcmp(src->remote, SOFTWARE);
}

/* Let hypercalls fail, @times or, if that is negative, always, after @free that do not */
static int fail_hyp_trace(int times, int free)
{
	return file_put_number(FAIL_HYP_TRACE "verbose", 0) ?:
	       file_put_number(FAIL_HYP_TRACE "space", free + 1) ?:
	       file_put_number(FAIL_HYP_TRACE "probability", 100) ?:
	       file_put_number(FAIL_HYP_TRACE "times", times);
}

/* The writer answers this; the hypervisor is called @free times before */
static int refuse(const struct source *src, int answer, int free)
{
	return is_software(src) ? file_put_number(SWAP_ANSWER, answer) : fail_hyp_trace(-1, free);
}

static int allow(const struct source *src)
{
	return is_software(src) ? file_put_number(SWAP_ANSWER, DONE) : fail_hyp_trace(0, 0);
}

FIXTURE_SETUP(refused)
{
	events_init(&self->ev);
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;
	if (access(is_software(&self->src) ? SWAP_ANSWER : FAIL_HYP_TRACE "times", F_OK))
		SKIP(return, "the writer cannot be made to refuse");
	self->cpu = nr_cpus() - 1;
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	/* All readers wait for any event */
	ASSERT_EQ(0, source_put(&self->src, "0", "buffer_percent"));
	ASSERT_EQ(0, source_on(&self->src, true));
}

FIXTURE_TEARDOWN(refused)
{
	file_put_number(READER_ID, -1);
	allow(&self->src);
	source_close(&self->src);
	events_free(&self->ev);
}

/* How many refusals there are for this remote: any hypercall that fails gives EIO */
static unsigned int nr_refusals(const struct source *src)
{
	return is_software(src) ? ARRAY_SIZE(refusals) : 1;
}

/* All of the @nr events that were written can be read now, and none is lost */
static void expect_all(struct __test_metadata *_metadata, const struct source *src, int cpu,
		       unsigned int nr)
{
	struct events ev;

	events_init(&ev);
	ASSERT_EQ(0, allow(src));
	ASSERT_EQ(0, source_consume(src, cpu, WAY_RAW, &ev));
	EXPECT_EQ(nr, ev.nr);
	EXPECT_EQ(ev.nr, events_first_wrong(&ev, 0));
	EXPECT_EQ(0, ev.losses);
	events_free(&ev);
}

static int make_call(const struct reader *r)
{
	static char buf[MAX_SUBBUF_SIZE];
	int ret = -1, fds[2];

	switch (r->kind->call) {
	case READ:
		ret = read(r->fd, buf, sizeof(buf));
		break;
	case SPLICE:
		if (!pipe(fds))
			ret = splice(r->fd, NULL, fds[1], NULL, SUBBUF_SIZE, 0);
		break;
	case GET_READER:
		ret = ioctl(r->fd, TRACE_MMAP_IOCTL_GET_READER);
		break;
	}
	return ret < 0 ? -errno : ret;
}

static void reader_open(struct __test_metadata *_metadata, struct reader *r,
			const struct source *src, int cpu, const struct kind *kind, int flags)
{
	r->kind = kind;
	r->fd = source_open_file(src, O_RDONLY | flags, kind->file, cpu);
	ASSERT_LE(0, r->fd) TH_LOG("%s", what(kind, flags));
	if (kind->call == GET_READER)
		ASSERT_EQ(0, mapping_map(&r->m, src, cpu, r->fd));
	r->shared = mmap(NULL, sizeof(*r->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, r->shared);
}

static void reader_close(struct reader *r)
{
	munmap(r->shared, sizeof(*r->shared));
	if (r->kind->call == GET_READER)
		mapping_unmap(&r->m);
	close(r->fd);
}

static void reader_start(struct reader *r)
{
	STORE(r->shared->begun, 0);
	STORE(r->shared->done, 0);
	r->pid = fork();
	if (!r->pid) {
		STORE(r->shared->begun, 1);
		r->shared->ret = make_call(r);
		STORE(r->shared->done, 1);
		_exit(0);
	}
	while (!LOAD(r->shared->begun))
		sleep_ms(1);
}

/* Time for it to block: if this is too short, the test is weaker, not wrong */
static bool reader_waits(const struct reader *r)
{
	sleep_ms(30);
	return !LOAD(r->shared->done);
}

/* Let it end, or kill it; returns what its call returned, or -EINTR */
static int reader_join(struct __test_metadata *_metadata, struct reader *r, int flags)
{
	if (process_ends(r->pid))
		return LOAD(r->shared->done) ? r->shared->ret : -EINTR;
	kill(r->pid, SIGKILL);
	EXPECT_TRUE(process_ends(r->pid)) TH_LOG("cannot be killed: %s", what(r->kind, flags));
	return -EINTR;
}

/* Expect what one call of each kind of reader returns */
static void expect_calls(struct __test_metadata *_metadata, const struct source *src, int cpu,
			 int flags, int err)
{
	struct reader r;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		reader_open(_metadata, &r, src, cpu, &kinds[i], flags);
		reader_start(&r);
		ASSERT_EQ(err, reader_join(_metadata, &r, flags))
			TH_LOG("%s", what(&kinds[i], flags));
		reader_close(&r);
	}
}

/* There is something to read, and tracing is on or off */
TEST_F(refused, events)
{
	unsigned int i, off;

	ASSERT_EQ(0, source_write_many(&self->src, 0, 3 * EVENTS_PER_SUBBUF));
	for (off = 0; off < 2; off++) {
		for (i = 0; i < nr_refusals(&self->src); i++) {
			ASSERT_EQ(0, refuse(&self->src, refusals[i].answer, 0));
			expect_calls(_metadata, &self->src, self->cpu, O_NONBLOCK, refusals[i].err);
			expect_calls(_metadata, &self->src, self->cpu, 0, refusals[i].err);
			ASSERT_EQ(0, allow(&self->src));
		}
		ASSERT_EQ(0, source_on(&self->src, false));
	}
	expect_all(_metadata, &self->src, self->cpu, 3 * EVENTS_PER_SUBBUF);
}

/* The writer names the sub-buffer that the reader has already, or one that is not there */
TEST_F(refused, wrong_id)
{
	int ids[] = { 0, 0, 1 << 30, -2 };
	unsigned int i;

	if (!is_software(&self->src))
		SKIP(return, "EL2 cannot be made to name it");

	ASSERT_EQ(0, source_write_many(&self->src, 0, 3 * EVENTS_PER_SUBBUF));
	ids[1] = source_ring_subbufs(&self->src, self->cpu) + 1;
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		ASSERT_EQ(0, file_put_number(READER_ID, ids[i]));
		expect_calls(_metadata, &self->src, self->cpu, O_NONBLOCK, -EIO);
		expect_calls(_metadata, &self->src, self->cpu, 0, -EIO);
		ASSERT_EQ(0, file_put_number(READER_ID, -1));
	}
	expect_all(_metadata, &self->src, self->cpu, 3 * EVENTS_PER_SUBBUF);
}

/* The events that the reader has already are read before it asks for more */
TEST_F(refused, rest_of_subbuf)
{
	struct reader r;
	unsigned int i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (kinds[i].call != READ)
			continue;
		ASSERT_EQ(0, source_write_many(&self->src, 0, 2 * EVENTS_PER_SUBBUF));
		fd = source_open_file(&self->src, O_RDONLY, PER_CPU "trace_pipe_raw", self->cpu);
		ASSERT_LE(0, fd);
		ASSERT_LT(0, events_read_some(&self->ev, &self->src, self->cpu, fd,
					      sizeof(struct subbuf) + 3 * EVENT_SIZE));
		close(fd);

		reader_open(_metadata, &r, &self->src, self->cpu, &kinds[i], 0);
		ASSERT_EQ(0, refuse(&self->src, -EIO, 0));
		reader_start(&r);
		EXPECT_LT(0, reader_join(_metadata, &r, 0)) TH_LOG("%s", kinds[i].file);
		ASSERT_EQ(0, allow(&self->src));
		reader_close(&r);

		ASSERT_EQ(0, source_consume(&self->src, self->cpu, WAY_RAW, &self->ev));
		EXPECT_EQ(0, self->ev.losses);
	}
}

/* There is nothing to read: the writer is not asked */
TEST_F(refused, empty)
{
	struct reader r;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		reader_open(_metadata, &r, &self->src, self->cpu, &kinds[i], O_NONBLOCK);
		ASSERT_EQ(0, refuse(&self->src, -EIO, 0));
		reader_start(&r);
		EXPECT_EQ(kinds[i].nothing, reader_join(_metadata, &r, O_NONBLOCK))
			TH_LOG("%s", what(&kinds[i], O_NONBLOCK));
		ASSERT_EQ(0, allow(&self->src));
		reader_close(&r);

		reader_open(_metadata, &r, &self->src, self->cpu, &kinds[i], 0);
		ASSERT_EQ(0, refuse(&self->src, -EIO, 0));
		reader_start(&r);
		EXPECT_TRUE(reader_waits(&r)) TH_LOG("%s", what(&kinds[i], 0));
		kill(r.pid, SIGKILL);
		EXPECT_EQ(-EINTR, reader_join(_metadata, &r, 0))
			TH_LOG("%s", what(&kinds[i], 0));
		ASSERT_EQ(0, allow(&self->src));
		reader_close(&r);
	}
}

/* An event wakes a reader up, which is then refused */
TEST_F(refused, woken_up)
{
	struct reader r;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		/* The reader's sub-buffer is not the one being written then */
		ASSERT_EQ(0, source_clear(&self->src));
		reader_open(_metadata, &r, &self->src, self->cpu, &kinds[i], 0);
		reader_start(&r);
		EXPECT_TRUE(reader_waits(&r)) TH_LOG("%s", what(&kinds[i], 0));
		/* On the hypervisor, the call that writes the event is answered */
		ASSERT_EQ(0, refuse(&self->src, -EIO, 1));
		ASSERT_EQ(0, source_write(&self->src, 0));
		ASSERT_EQ(-EIO, reader_join(_metadata, &r, 0))
			TH_LOG("%s", what(&kinds[i], 0));
		expect_all(_metadata, &self->src, self->cpu, 1);
		reader_close(&r);
	}
}

/* There is something to read for a poll, and for a reader that needs no sub-buffer */
TEST_F(refused, without_swap)
{
	struct pollfd pfd = { .events = POLLIN };
	unsigned int i;

	ASSERT_EQ(0, source_write_many(&self->src, 0, 3 * EVENTS_PER_SUBBUF));
	ASSERT_EQ(0, refuse(&self->src, -EIO, 0));
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		pfd.fd = source_open_file(&self->src, O_RDONLY, kinds[i].file, self->cpu);
		ASSERT_LE(0, pfd.fd);
		EXPECT_EQ(1, poll(&pfd, 1, PATIENCE_MS));
		EXPECT_EQ(POLLIN, pfd.revents & POLLIN);
		close(pfd.fd);
	}
	ASSERT_EQ(0, source_look(&self->src, self->cpu, &self->ev));
	EXPECT_EQ(3 * EVENTS_PER_SUBBUF, self->ev.nr);
	expect_all(_metadata, &self->src, self->cpu, 3 * EVENTS_PER_SUBBUF);
}

TEST_HARNESS_MAIN

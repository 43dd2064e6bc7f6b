// SPDX-License-Identifier: GPL-2.0
/*
 * Readers that may be killed at any time; see reading.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reading.h"

#define MAX_CPUS	64
/* Pause of a reader that found nothing, or that has to pause */
#define IDLE_MS		1

const char *const kind_names[NR_KINDS] = {
	[KIND_RAW]		= "trace_pipe_raw, read",
	[KIND_SPLICE]		= "trace_pipe_raw, splice",
	[KIND_PIPE]		= "per_cpu trace_pipe",
	[KIND_PIPE_ALL]		= "trace_pipe",
	[KIND_MAP]		= "trace_pipe_raw, mmap",
	[KIND_TRACE]		= "per_cpu trace",
	[KIND_TRACE_ALL]	= "trace",
};

struct reading *readings_alloc(unsigned int nr)
{
	void *r = mmap(NULL, nr * sizeof(struct reading), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return r == MAP_FAILED ? NULL : r;
}

/*
 * Takes: each is a system call that consumes. Each returns 0 or more, or an errno.
 */

/* The state of a take */
struct taker {
	struct reading		*r;
	const struct source	*src;
	int			nr_cpus;
	int			fd;
	struct mapping		m;
	struct events		ev[MAX_CPUS];
};

static int open_file(struct taker *t)
{
	static const char *const names[NR_KINDS] = {
		[KIND_RAW]	 = "per_cpu/cpu%d/trace_pipe_raw",
		[KIND_SPLICE]	 = "per_cpu/cpu%d/trace_pipe_raw",
		[KIND_PIPE]	 = "per_cpu/cpu%d/trace_pipe",
		[KIND_PIPE_ALL]	 = "trace_pipe",
		[KIND_MAP]	 = "per_cpu/cpu%d/trace_pipe_raw",
		[KIND_TRACE]	 = "per_cpu/cpu%d/trace",
		[KIND_TRACE_ALL] = "trace",
	};
	char name[64];

	snprintf(name, sizeof(name), names[t->r->kind], t->r->cpu);
	t->fd = source_open_file(t->src, O_RDONLY | (t->r->blocks ? 0 : O_NONBLOCK), "%s",
				 name);
	return t->fd < 0 ? t->fd : 0;
}

static int take_read(struct taker *t)
{
	ssize_t ret = read(t->fd, t->r->buf, t->r->kind == KIND_RAW ? SUBBUF_SIZE : TAKE_SIZE);

	return ret < 0 ? -errno : ret;
}

/* From the pipe into the buffer, in one call, which moves all of it */
static int empty_pipe(struct reading *r)
{
	ssize_t ret = read(r->pipe[0], r->buf, TAKE_SIZE);

	return ret < 0 ? -errno : ret;
}

static int take_splice(struct taker *t)
{
	struct reading *r = t->r;
	ssize_t ret = splice(t->fd, NULL, r->pipe[1], NULL, TAKE_SIZE,
			     r->blocks ? 0 : SPLICE_F_NONBLOCK);

	if (ret <= 0)
		return ret < 0 ? -errno : 0;
	return empty_pipe(r) == ret ? ret : -EPROTO;
}

static int take_map(struct taker *t)
{
	return ioctl(t->fd, TRACE_MMAP_IOCTL_GET_READER) ? -errno : 0;
}

/* Read without consuming; there is nothing to publish */
static int look(struct taker *t)
{
	int ret = open_file(t);

	if (ret)
		return ret;
	ret = events_read_text_by_cpu(t->ev, t->nr_cpus, t->fd);
	close(t->fd);
	return ret;
}

/*
 * The result of a take, from what is in the shared memory: used by the reader, and by
 * the parent after the reader was killed
 */

static void list_pages(struct taker *t)
{
	struct reading *r = t->r;
	size_t pos;

	for (pos = 0; pos < TAKE_SIZE; pos += SUBBUF_SIZE) {
		const struct subbuf *page = (void *)(r->buf + pos);

		if (page->commit)
			events_add_raw(&t->ev[r->cpu], t->src, r->cpu, page);
	}
}

/*
 * Uses a copy, as parsing changes the text. A read returns at most one byte less than fits into
 * the kernel's buffer of TRACE_SEQ_SIZE bytes, so the last newline may come with the next
 * read, or never if the reader is killed before.
 */
static void list_text(struct taker *t)
{
	static char text[sizeof(t->r->buf) + 1];
	struct reading *r = t->r;
	const char *from = r->buf;
	size_t len = strnlen(from, TAKE_SIZE);

	if (len && *from == '\n') {
		from++;
		len--;
	}
	memcpy(text, from, len);
	if (len > TRACE_SEQ_SIZE - 64 && text[len - 1] != '\n')
		text[len++] = '\n';
	if (events_add_text(t->ev, t->nr_cpus, text, len))
		t->ev[r->cpu].error = "a text that ends within a line";
}

static void list_take(struct taker *t)
{
	struct reading *r = t->r;

	switch (r->kind) {
	case KIND_RAW:
	case KIND_SPLICE:
		list_pages(t);
		break;
	case KIND_PIPE:
	case KIND_PIPE_ALL:
		list_text(t);
		break;
	case KIND_MAP:
		mapping_list(&t->m, &t->ev[r->cpu], r->id, r->read);
		break;
	case KIND_TRACE:
	case KIND_TRACE_ALL:
	case NR_KINDS:
		break;
	}
}

/* False if the events taken are malformed */
static bool check_events(struct taker *t)
{
	int cpu;

	for (cpu = 0; cpu < t->nr_cpus; cpu++) {
		const struct events *ev = &t->ev[cpu];

		if (ev->error || ev->backwards || ev->others)
			snprintf(t->r->wrong, sizeof(t->r->wrong), "CPU %d: %s", cpu,
				 ev->error ?: ev->others ? "an event of another kind" :
				 "time goes backwards");
	}
	return !t->r->wrong[0];
}

static void forget_events(struct taker *t)
{
	int cpu;

	for (cpu = 0; cpu < t->nr_cpus; cpu++)
		events_clear(&t->ev[cpu]);
}

/*
 * The reader
 */

static void __attribute__((noreturn)) die(struct taker *t, const char *what, int err)
{
	if (!t->r->wrong[0])
		snprintf(t->r->wrong, sizeof(t->r->wrong), "%s: %s", what, strerror(-err));
	_exit(EXIT_FAILURE);
}

static void pause_if_told(struct reading *r)
{
	unsigned int ticket;

	while ((ticket = LOAD(r->ticket))) {
		STORE(r->paused, ticket);
		sleep_ms(IDLE_MS);
	}
}

static void begin_take(struct taker *t)
{
	struct reading *r = t->r;

	/* Only what is needed to see later whether the call has stored something */
	if (r->kind == KIND_PIPE || r->kind == KIND_PIPE_ALL)
		memset(r->buf, 0, TAKE_SIZE);
	((struct subbuf *)r->buf)->commit = 0;
	((struct subbuf *)(r->buf + SUBBUF_SIZE))->commit = 0;
	if (r->kind == KIND_MAP) {
		r->id = LOAD(t->m.meta->reader.id);
		r->read = LOAD(t->m.meta->reader.read);
	}
	STORE(r->state, r->state | 1);
}

/* Publish all runs at once, and end the take */
static void end_take(struct taker *t)
{
	struct reading *r = t->r;
	__u64 nr = r->state >> 1;
	struct run run;
	size_t i;
	int cpu;

	for (cpu = 0; cpu < t->nr_cpus; cpu++) {
		i = 0;
		while (runs_of(&t->ev[cpu], cpu, &i, &run)) {
			while (nr - LOAD(r->drained) == NR_RUNS)
				sleep_ms(IDLE_MS);
			r->runs[nr++ % NR_RUNS] = run;
		}
	}
	STORE(r->state, nr << 1);
}

static int take(struct taker *t)
{
	int ret;

	begin_take(t);
	switch (t->r->kind) {
	case KIND_SPLICE:
		ret = take_splice(t);
		break;
	case KIND_MAP:
		ret = take_map(t);
		break;
	default:
		ret = take_read(t);
		break;
	}
	if (ret >= 0)
		list_take(t);
	if (!check_events(t))
		die(t, "", 0);
	if (ret == 0 && t->r->kind == KIND_MAP && !t->ev[t->r->cpu].nr)
		ret = -EAGAIN;
	end_take(t);
	forget_events(t);
	return ret;
}

static void __attribute__((noreturn)) read_on(struct taker *t)
{
	bool looks = kind_looks(t->r->kind);
	int ret = 0;

	if (t->r->kind == KIND_MAP) {
		ret = mapping_open(&t->m, t->src, t->r->cpu, O_NONBLOCK);
		t->fd = t->m.fd;
	} else if (!looks) {
		ret = open_file(t);
	}
	if (ret)
		die(t, "open", ret);

	for (;;) {
		pause_if_told(t->r);
		ret = looks ? look(t) : take(t);
		if (ret < 0 && ret != -EAGAIN)
			die(t, kind_names[t->r->kind], ret);
		if (looks && !check_events(t))
			die(t, "", 0);
		if (looks)
			forget_events(t);
		if (ret <= 0)
			sleep_ms(IDLE_MS);
	}
}

int reading_start(struct reading *r, const struct source *src, int nr_cpus)
{
	struct taker t = { .r = r, .src = src, .nr_cpus = nr_cpus };
	pid_t pid;

	r->state = 0;
	r->drained = 0;
	r->ticket = 0;
	r->paused = 0;
	r->wrong[0] = '\0';
	r->pipe[0] = -1;
	if (r->kind == KIND_SPLICE && pipe(r->pipe))
		return -errno;

	/* Not stored to @r->pid here: both processes would do so */
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpriority(PRIO_PROCESS, 0, 0);
		read_on(&t);
	}
	r->pid = pid;
	return 0;
}

/*
 * The parent
 */

__u64 reading_drain(struct reading *r, struct ledger *ledgers)
{
	__u64 nr = LOAD(r->state) >> 1, sum = 0, i;

	for (i = r->drained; i < nr; i++) {
		const struct run *run = &r->runs[i % NR_RUNS];

		ledger_add_run(&ledgers[run->cpu], run);
		sum += run->nr;
	}
	STORE(r->drained, nr);
	return sum;
}

/* Fetch the events of a take during which @t->r was killed */
static void recover_take(struct taker *t)
{
	struct reading *r = t->r;

	if (r->kind == KIND_MAP) {
		if (mapping_open(&t->m, t->src, r->cpu, O_NONBLOCK))
			snprintf(r->wrong, sizeof(r->wrong), "cannot map a killed reader's buffer");
		else
			list_take(t);
		mapping_close(&t->m);
		return;
	}
	/* The data is still in the pipe, or was moved to the buffer */
	if (r->kind == KIND_SPLICE && !((struct subbuf *)r->buf)->commit) {
		fcntl(r->pipe[0], F_SETFL, O_NONBLOCK);
		empty_pipe(r);
	}
	list_take(t);
}

static __u64 recover(struct reading *r, const struct source *src, int nr_cpus,
		     struct ledger *ledgers)
{
	static struct taker t;
	struct run run;
	__u64 sum = 0;
	size_t i;
	int cpu;

	t.r = r;
	t.src = src;
	t.nr_cpus = nr_cpus;
	recover_take(&t);
	check_events(&t);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		i = 0;
		while (runs_of(&t.ev[cpu], cpu, &i, &run)) {
			ledger_add_run(&ledgers[cpu], &run);
			sum += run.nr;
		}
	}
	forget_events(&t);
	return sum;
}

long long reading_kill(struct reading *r, const struct source *src, int nr_cpus,
		       struct ledger *ledgers, __u64 *recovered)
{
	long long sum;
	__u64 rest;
	int status;

	kill(r->pid, SIGKILL);
	waitpid(r->pid, &status, 0);
	r->pid = 0;
	sum = reading_drain(r, ledgers);
	if (!r->wrong[0] && !WIFSIGNALED(status))
		snprintf(r->wrong, sizeof(r->wrong), "ended with status %#x", status);
	if (!r->wrong[0] && (r->state & 1)) {
		rest = recover(r, src, nr_cpus, ledgers);
		*recovered += rest;
		sum += rest;
	}
	if (r->pipe[0] >= 0) {
		close(r->pipe[0]);
		close(r->pipe[1]);
	}
	return r->wrong[0] ? -1 : sum;
}

void reading_pause(struct reading *r, unsigned int ticket)
{
	if (!r->pid || r->kind != KIND_MAP)
		return;

	STORE(r->ticket, ticket);
	/* A reader that has ended by itself is noticed by reading_kill() */
	while (LOAD(r->paused) != ticket && !LOAD(r->wrong[0]))
		sleep_ms(IDLE_MS);
}

void reading_resume(struct reading *r)
{
	STORE(r->ticket, 0);
}

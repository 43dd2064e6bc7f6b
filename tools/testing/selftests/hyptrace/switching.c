// SPDX-License-Identifier: GPL-2.0
/*
 * Events of the hypervisor are switched on and off over and over, while guests run on the
 * other CPUs and while a CPU goes off and comes back. With CONFIG_NVHE_EL2_TRACING_NOP, each
 * time changes EL2's text.
 *
 * Needs root, KVM, the remote "hypervisor", hyp_workload beside it, and two CPUs. What checks
 * EL2's text needs hyp_calls.ko, and CONFIG_NVHE_EL2_TEXT_TEST.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/calls.h"
#include "lib/text.h"
#include "variants.h"

#define TEST_KB		64

/* Guests keep the other CPUs busy, and each change waits for all CPUs: slow on a few real ones */
#define TIMEOUT_S	300

/* How often the events of a list are switched on, and off again */
#define TIMES		1000
/* The same for all events, of which there are some dozens */
#define TIMES_ALL	10
/* How often a CPU goes off, and comes back */
#define TIMES_HOTPLUG	10

/* Each hypercall has these, */
static const char *const call_events[] = { "host_hcall", "hyp_enter", "hyp_exit" };
/* and guests these */
static const char *const guest_events[] = { "vcpu_enter", "vcpu_exit", "host_mem_abort" };

#define NR_EVENTS	(ARRAY_SIZE(call_events) + ARRAY_SIZE(guest_events))

FIXTURE(switching) {
	struct source	src;
	int		enable[NR_EVENTS];
	pid_t		guests;
};

/* Guests on all CPUs but this one, until they are killed */
static pid_t start_guests(void)
{
	char cpus[16];
	pid_t pid;

	snprintf(cpus, sizeof(cpus), "1-%d", nr_cpus() - 1);
	pid = fork();
	if (!pid) {
		execl("hyp_workload", "hyp_workload", "-c", cpus, "-t", "1000000", NULL);
		_exit(127);
	}
	return pid;
}

/* Return: the CPUs, but for number 0, on which no event was written; or an errno */
static int silent_cpus(const struct source *src)
{
	int cpu, ret, nr = 0;
	struct stats stats;

	for (cpu = 1; cpu < nr_cpus(); cpu++) {
		ret = source_stats(src, cpu, &stats);
		if (ret)
			return ret;
		nr += !stats.entries;
	}
	return nr;
}

/* A guest cannot begin on a CPU that is switched off. Return: 0 or an errno */
static int wait_for_guests(const struct source *src)
{
	static const char event[] = "events/hypervisor/vcpu_enter/enable";
	int ret = source_put(src, "1", event) ?: source_on(src, true);

	if (ret)
		return ret;
	while ((ret = silent_cpus(src)) > 0)
		usleep(10000);
	return ret ?: source_put(src, "0", event) ?: source_on(src, false) ?: source_clear(src);
}

FIXTURE_SETUP(switching)
{
	unsigned int i;

	if (!setup_source(_metadata, &self->src, HYPERVISOR, TEST_KB))
		return;
	if (access("/dev/kvm", R_OK) || access("hyp_workload", X_OK))
		SKIP(return, "there is no KVM, or no hyp_workload");
	if (nr_cpus() == 1)
		SKIP(return, "there is one CPU only");
	for (i = 0; i < NR_EVENTS; i++) {
		const char *event = i < ARRAY_SIZE(call_events) ? call_events[i] :
				    guest_events[i - ARRAY_SIZE(call_events)];

		self->enable[i] = source_open_file(&self->src, O_WRONLY | O_CLOEXEC,
						   "events/hypervisor/%s/enable", event);
		ASSERT_LE(0, self->enable[i]);
	}
	ASSERT_EQ(0, source_put(&self->src, "0", "events/enable"));
	self->guests = start_guests();
	ASSERT_LT(0, self->guests);
	ASSERT_EQ(0, wait_for_guests(&self->src));
	ASSERT_EQ(0, pin_to_cpu(0));
}

FIXTURE_TEARDOWN(switching)
{
	unsigned int i;

	if (self->guests > 0) {
		kill(self->guests, SIGKILL);
		waitpid(self->guests, NULL, 0);
	}
	for (i = 0; i < NR_EVENTS; i++) {
		if (self->enable[i] > 0)
			close(self->enable[i]);
	}
	source_close(&self->src);
}

/* Look at EL2's text: 0, what run_hyp_calls() returns, or an errno that says what is wrong */
static int check_text(void)
{
	return run_hyp_calls("text=1");
}

static bool text_is_fine(int ret)
{
	return !ret || ret == -ENOENT || ret == -EOPNOTSUPP;
}

static int switch_all(const int *enable, bool on)
{
	unsigned int i;

	for (i = 0; i < NR_EVENTS; i++) {
		if (write(enable[i], on ? "1" : "0", 1) != 1)
			return -errno;
	}
	return 0;
}

/* How many events one hypercall on this CPU, which is number 0, writes; or an errno */
static long long events_of_call(const struct source *src)
{
	struct stats before, after;
	int ret;

	ret = source_stats(src, 0, &before) ?: source_write(src, 1) ?:
	      source_stats(src, 0, &after);
	return ret ?: (long long)(after.entries + after.overrun + after.read) -
		      (long long)(before.entries + before.overrun + before.read);
}

/*
 * What is switched off is not written any more. What is switched on is; return 1 if a part
 * of that is missing.
 */
static int switch_once(const struct source *src, const int *enable)
{
	long long on, off;
	int ret;

	ret = switch_all(enable, true);
	if (ret)
		return ret;
	on = events_of_call(src);
	ret = switch_all(enable, false);
	if (ret || on < 0)
		return ret ?: on;
	off = events_of_call(src);
	if (off)
		return off < 0 ? off : -EEXIST;
	return on < (long long)ARRAY_SIZE(call_events);
}

static bool guests_run(pid_t guests)
{
	return !waitpid(guests, NULL, WNOHANG);
}

TEST_F_TIMEOUT(switching, beside_guests, TIMEOUT_S)
{
	int i, ret, missed = 0;

	ASSERT_EQ(0, source_on(&self->src, true));
	for (i = 0; i < TIMES; i++) {
		ret = switch_once(&self->src, self->enable);
		ASSERT_LE(0, ret)
			TH_LOG("time %d", i);
		missed += ret;
	}
	EXPECT_EQ(0, missed);
	EXPECT_TRUE(guests_run(self->guests));
	EXPECT_TRUE(text_is_fine(check_text()));
}

TEST_F_TIMEOUT(switching, all_events, TIMEOUT_S)
{
	int i;

	ASSERT_EQ(0, source_on(&self->src, true));
	for (i = 0; i < TIMES_ALL; i++) {
		ASSERT_EQ(0, source_put(&self->src, "1", "events/enable"));
		EXPECT_LT(0, events_of_call(&self->src));
		ASSERT_EQ(0, source_put(&self->src, "0", "events/enable"));
		EXPECT_EQ(0, events_of_call(&self->src));
	}
	EXPECT_TRUE(guests_run(self->guests));
	EXPECT_TRUE(text_is_fine(check_text()));
}

/**
 * struct hotplug - a thread that switches a CPU off and on
 * @cpu:	the CPU
 * @done:	it has ended
 * @ret:	errno
 */
struct hotplug {
	int	cpu;
	int	done;
	int	ret;
};

static int set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return file_write(path, online ? "1" : "0", 1);
}

static void *hotplug_main(void *data)
{
	struct hotplug *h = data;
	int i;

	for (i = 0; i < TIMES_HOTPLUG && !h->ret; i++)
		h->ret = set_online(h->cpu, false) ?: set_online(h->cpu, true);
	STORE(h->done, 1);
	return NULL;
}

TEST_F_TIMEOUT(switching, beside_hotplug, TIMEOUT_S)
{
	struct hotplug h = { .cpu = nr_cpus() - 1 };
	pthread_t thread;
	int ret = 0;

	ASSERT_EQ(0, source_on(&self->src, true));
	ASSERT_EQ(0, pthread_create(&thread, NULL, hotplug_main, &h));
	while (!LOAD(h.done) && ret >= 0)
		ret = switch_once(&self->src, self->enable);
	pthread_join(thread, NULL);
	EXPECT_LE(0, ret);
	if (h.ret == -EPERM || h.ret == -EOPNOTSUPP)
		SKIP(return, "CPU %d cannot be switched off", h.cpu);
	EXPECT_EQ(0, h.ret);
	/* The CPU has what was switched while it was off */
	ASSERT_EQ(0, switch_all(self->enable, false));
	EXPECT_EQ(0, source_clear(&self->src));
	EXPECT_TRUE(guests_run(self->guests));
	EXPECT_TRUE(text_is_fine(check_text()));
}

/* Calls are hooked, and return, while their functions are switched and CPUs go and come */
TEST_F_TIMEOUT(switching, functions, TIMEOUT_S)
{
	static const char *const tracers[] = { "function_graph", "function", "nop" };
	struct hotplug h = { .cpu = nr_cpus() - 1 };
	struct text text = {};
	pthread_t thread;
	unsigned int i;
	int ret = 0;

	if (source_put(&self->src, "function_graph", "current_tracer"))
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_FUNCTION_TRACER");
	ASSERT_EQ(0, source_on(&self->src, true));
	ASSERT_EQ(0, pthread_create(&thread, NULL, hotplug_main, &h));
	for (i = 0; !LOAD(h.done) && !ret; i++)
		ret = source_put(&self->src, tracers[i % ARRAY_SIZE(tracers)], "current_tracer");
	pthread_join(thread, NULL);
	EXPECT_EQ(0, ret);
	if (h.ret != -EPERM && h.ret != -EOPNOTSUPP)
		EXPECT_EQ(0, h.ret);
	/*
	 * Without pauses. Guests need not run on the CPU that came back, so there is a hypercall
	 * on each
	 */
	ASSERT_EQ(0, source_put(&self->src, "function_graph", "current_tracer"));
	EXPECT_TRUE(guests_run(self->guests));
	for (i = 0; i < (unsigned int)nr_cpus(); i++) {
		ASSERT_EQ(0, pin_to_cpu(i));
		ASSERT_EQ(0, source_write(&self->src, i));
		ASSERT_EQ(0, text_read(&self->src, i, &text));
		EXPECT_LT(0, text_count(&text, "funcgraph_exit"));
	}
	text_free(&text);
	ASSERT_EQ(0, source_put(&self->src, "nop", "current_tracer"));
	EXPECT_TRUE(text_is_fine(check_text()));
}

TEST_F(switching, text)
{
	int ret = check_text();

	if (ret == -ENOENT)
		SKIP(return, "there is no hyp_calls.ko");
	if (ret == -EOPNOTSUPP)
		SKIP(return, "the kernel has no CONFIG_NVHE_EL2_TEXT_TEST");
	EXPECT_EQ(0, ret);
}

TEST_HARNESS_MAIN

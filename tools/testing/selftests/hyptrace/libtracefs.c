// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that use libtracefs and libtraceevent work if they are given the directory
 * of a trace remote in place of an instance's.
 *
 * Needs root. Built if there is a static libtracefs. Runs on an instance and on the
 * remotes "hypervisor" and "test", and skips a remote that does not exist.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event-parse.h>
#include <tracefs.h>

#include "kselftest_harness.h"
#include "lib/ways.h"
#include "variants.h"

/**
 * struct seen - what the library passed to its callback
 * @src:	where the events are from
 * @tep:	its parser
 * @ev:		the events that source_write() wrote
 * @missed:	sum of the losses reported
 * @uncounted:	losses without a number
 * @unknown:	records whose event or CPU the library does not know
 * @wrong_text:	events of the test whose text is not "id=N"
 */
struct seen {
	const struct source	*src;
	struct tep_handle	*tep;
	struct events		ev;
	__u64			missed;
	unsigned int		uncounted;
	unsigned int		unknown;
	unsigned int		wrong_text;
};

FIXTURE(lib) {
	struct source			src;
	struct seen			seen;
	struct tracefs_instance		*instance;
	const char			*system;
	const char			*event;
};

FIXTURE_FOR_SOURCES_AND_SIZES(lib);

FIXTURE_SETUP(lib)
{
	memset(&self->seen, 0, sizeof(self->seen));
	self->instance = NULL;
	if (!setup_source(_metadata, &self->src, variant->remote, variant->size_kb))
		return;

	self->system = variant->remote ?: "sched";
	self->event = variant->remote ? "selftest" : "sched_switch";
	self->seen.src = &self->src;
	self->seen.tep = tracefs_local_events(self->src.dir);
	ASSERT_NE(NULL, self->seen.tep);
	self->instance = tracefs_instance_alloc(self->src.dir, NULL);
	ASSERT_NE(NULL, self->instance);
}

FIXTURE_TEARDOWN(lib)
{
	if (self->instance)
		tracefs_instance_free(self->instance);
	tep_free(self->seen.tep);
	events_free(&self->seen.ev);
	source_close(&self->src);
}

/* The number, as the library finds it; the print event has it in its text only */
static int record_id(const struct seen *s, struct tep_event *event, struct tep_record *rec,
		     unsigned long long *id)
{
	const char *text;
	int len;

	if (s->src->remote)
		return tep_get_field_val(NULL, event, "id", rec, id, 0);
	text = tep_get_field_raw(NULL, event, "buf", rec, &len, 0);
	return text && sscanf(text, "id=%llu", id) == 1 ? 0 : -1;
}

/* Is this the text that libtraceevent makes from the print fmt? */
static bool text_is(const struct seen *s, struct tep_record *rec, unsigned long long id)
{
	char expected[32];
	struct trace_seq seq;
	bool same;

	if (!s->src->remote)
		return true;
	snprintf(expected, sizeof(expected), "id=%llu", id);
	trace_seq_init(&seq);
	tep_print_event(s->tep, &seq, rec, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	same = !strcmp(expected, seq.buffer);
	trace_seq_destroy(&seq);
	return same;
}

static int see(struct tep_event *event, struct tep_record *rec, int cpu, void *data)
{
	struct seen *s = data;
	unsigned long long id;

	if (rec->missed_events > 0)
		s->missed += rec->missed_events;
	s->uncounted += rec->missed_events < 0;

	if (!event || rec->cpu != cpu || tep_data_type(s->tep, rec) != event->id) {
		s->unknown++;
		return 0;
	}
	if (event->id != s->src->type) {
		s->ev.others++;
		return 0;
	}
	if (record_id(s, event, rec, &id)) {
		s->unknown++;
		return 0;
	}
	s->wrong_text += !text_is(s, rec, id);
	s->ev.backwards += rec->ts < s->ev.last_ts;
	s->ev.last_ts = rec->ts;
	events_add(&s->ev, &(struct event){
		.id = id, .ts = rec->ts, .cpu = cpu, .pid = tep_data_pid(s->tep, rec),
	});
	return 0;
}

static void iterate(struct __test_metadata *_metadata, struct seen *s,
		    struct tracefs_instance *instance)
{
	ASSERT_EQ(0, tracefs_iterate_raw_events(s->tep, instance, NULL, 0, see, s));
	EXPECT_EQ(0, s->unknown);
	EXPECT_EQ(0, s->wrong_text);
	EXPECT_EQ(NULL, s->ev.error);
}

/* Events are written on all CPUs in turn: the CPU changes with each event */
static int cpu_of(__u64 id)
{
	return id * 7 % nr_cpus();
}

static void write_everywhere(struct __test_metadata *_metadata, const struct source *src,
			     __u64 first, __u64 nr)
{
	__u64 id;

	for (id = first; id < first + nr; id++) {
		ASSERT_EQ(0, pin_to_cpu(cpu_of(id)));
		ASSERT_EQ(0, source_write(src, id));
	}
}

/* Each event once, in the order of writing, with the right CPU and task */
TEST_F(lib, every_event_in_order)
{
	const __u64 nr = EVENTS_PER_SUBBUF / 2 * nr_cpus();
	struct seen *s = &self->seen;
	__u64 i;

	ASSERT_EQ(0, tracefs_trace_on(self->instance));
	write_everywhere(_metadata, &self->src, 0, nr);
	iterate(_metadata, s, self->instance);
	EXPECT_EQ(nr, s->ev.nr);
	EXPECT_EQ(nr, events_first_wrong(&s->ev, 0));
	EXPECT_EQ(0, s->ev.backwards);
	EXPECT_EQ(0, s->missed + s->uncounted);
	for (i = 0; i < s->ev.nr; i++) {
		ASSERT_EQ(cpu_of(i), s->ev.list[i].cpu) TH_LOG("event %llu", i);
		ASSERT_EQ(gettid(), s->ev.list[i].pid) TH_LOG("event %llu", i);
	}
}

/* Events that were read are gone; later ones are not, even on the same page */
TEST_F(lib, again_and_again)
{
	struct seen *s = &self->seen;
	__u64 id = 0;
	int i;

	ASSERT_EQ(0, pin_to_cpu(0));
	ASSERT_EQ(0, tracefs_trace_on(self->instance));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, source_write_many(&self->src, id, 13 * i));
		id += 13 * i;
		iterate(_metadata, s, self->instance);
		ASSERT_EQ(id, s->ev.nr);
	}
	EXPECT_EQ(id, events_first_wrong(&s->ev, 0));
}

/* The library reports the number of lost events, and passes on all others */
TEST_F(lib, losses)
{
	struct seen *s = &self->seen;
	struct stats stats;
	__u64 nr = 0;

	ASSERT_EQ(0, pin_to_cpu(0));
	ASSERT_EQ(0, tracefs_trace_on(self->instance));
	do {
		ASSERT_EQ(0, source_write_many(&self->src, nr, 500));
		nr += 500;
		ASSERT_EQ(0, source_stats(&self->src, 0, &stats));
	} while (!stats.overrun);
	iterate(_metadata, s, self->instance);
	EXPECT_EQ(nr, s->ev.nr + stats.overrun);
	EXPECT_EQ(s->ev.nr, events_first_wrong(&s->ev, stats.overrun));
	EXPECT_EQ(s->uncounted ? 0 : stats.overrun, s->missed);
	EXPECT_LT(0, s->missed + s->uncounted);
}

/* With all events of the remote enabled */
TEST_F(lib, every_event_is_known)
{
	struct seen *s = &self->seen;
	__u64 i;

	if (!variant->remote)
		SKIP(return, "too many events of the kernel's own");
	if (variant->size_kb == 1)
		SKIP(return, "too small for all events");

	ASSERT_EQ(0, pin_to_cpu(0));
	ASSERT_EQ(0, tracefs_event_enable(self->instance, NULL, NULL));
	ASSERT_EQ(0, tracefs_trace_on(self->instance));
	ASSERT_EQ(0, source_write_many(&self->src, 0, 50));
	ASSERT_EQ(0, tracefs_trace_off(self->instance));
	iterate(_metadata, s, self->instance);
	EXPECT_EQ(50, events_first_wrong(&s->ev, 0));
	EXPECT_LE(50 * self->src.others, s->ev.others);
	for (i = 1; i < s->ev.nr; i++)
		ASSERT_LE(s->ev.list[i - 1].ts, s->ev.list[i].ts);
}

/* The library finds the directories of events and parses each event */
TEST_F(lib, local_events)
{
	char **systems, **names, **name;
	struct tep_event *event;
	bool found = false;

	systems = tracefs_event_systems(self->src.dir);
	ASSERT_NE(NULL, systems);
	for (name = systems; *name; name++)
		found |= !strcmp(*name, self->system);
	EXPECT_TRUE(found);

	names = tracefs_system_events(self->src.dir, self->system);
	ASSERT_NE(NULL, names);
	for (name = names, found = false; *name; name++) {
		event = tep_find_event_by_name(self->seen.tep, self->system, *name);
		ASSERT_NE(NULL, event) TH_LOG("%s", *name);
		EXPECT_EQ(event, tep_find_event(self->seen.tep, event->id));
		EXPECT_NE(NULL, tep_find_common_field(event, "common_pid"));
		EXPECT_EQ(0, event->flags & TEP_EVENT_FL_FAILED) TH_LOG("%s", *name);
		found |= !strcmp(*name, self->event);
	}
	EXPECT_TRUE(found);
	tracefs_list_free(names);
	tracefs_list_free(systems);
}

static void expect_enabled(struct __test_metadata *_metadata, struct tracefs_instance *instance,
			   const char *system, const char *event, const char *expected)
{
	int size;
	char *text = tracefs_event_file_read(instance, system, event, "enable", &size);

	ASSERT_NE(NULL, text) TH_LOG("%s:%s", system, event);
	EXPECT_STREQ(expected, text);
	free(text);
}

/*
 * The switches. tracefs_event_enable() of a single event is not tested: the library
 * looks for it in the top directory, whatever the instance.
 */
TEST_F(lib, controls)
{
	const char *system = self->system, *event = self->event;
	char *clock, *text;
	int size;

	EXPECT_EQ(0, tracefs_trace_is_on(self->instance));
	EXPECT_EQ(0, tracefs_trace_on(self->instance));
	EXPECT_EQ(1, tracefs_trace_is_on(self->instance));
	ASSERT_EQ(0, source_write(&self->src, 7));
	text = tracefs_instance_file_read(self->instance, "trace", &size);
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, "id=7"));
	free(text);
	clock = tracefs_get_clock(self->instance);
	EXPECT_STREQ("local", clock);
	free(clock);
	EXPECT_EQ(0, tracefs_instance_file_clear(self->instance, "trace"));
	EXPECT_EQ(0, tracefs_trace_off(self->instance));
	EXPECT_EQ(0, tracefs_trace_is_on(self->instance));

	EXPECT_EQ(0, tracefs_event_disable(self->instance, NULL, NULL));
	expect_enabled(_metadata, self->instance, system, event, "0\n");
	EXPECT_LT(0, tracefs_event_file_write(self->instance, system, event, "enable", "1"));
	expect_enabled(_metadata, self->instance, system, event, "1\n");
	text = tracefs_instance_file_read(self->instance, "events/enable", &size);
	EXPECT_STREQ("X\n", text);
	free(text);
}

TEST_HARNESS_MAIN

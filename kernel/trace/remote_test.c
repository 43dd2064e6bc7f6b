// SPDX-License-Identifier: GPL-2.0
/*
 * Test of trace remotes: the remote "test", whose writer is in this module.
 *
 * It has everything that a remote can have. So it tests the front end on any
 * architecture, and is an example for authors of remotes. Its events are written
 * through write_event.
 *
 * States of a CPU's writer
 *	EMPTY => LOADED, off	load; the writer gets a table of the sub-buffers
 *	LOADED, off <=> on	enable, or the CPU comes online or goes offline
 *	EMPTY <=> EMPTY		the same, for a CPU that was not there at the load
 *	LOADED, off => EMPTY	unload
 *
 * The writer is not nested: interrupts are off from reserve to commit. What must
 * not run at the same time as a writer (switching it, reset) runs on its CPU with
 * interrupts off, or while that CPU is offline. The remote's mutex serialises load,
 * unload, enable, overwrite, set_clock and enable_event; the hotplug lock
 * serialises enable and overwrite with CPUs that come online or go offline.
 */
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/ring_buffer_writer.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/trace_clock.h>
#include <linux/trace_remote.h>

/* The module has its own copy, as EL2 has: the kernel proper contains none to export */
#include "ring_buffer_writer.c"

static DEFINE_PER_CPU(struct rb_writer, test_writers);

/* Settings for CPUs that come online; under the remote's mutex and the hotplug lock */
static bool test_on;
static bool test_overwrite = true;

static u64 (*test_clock)(void) = trace_clock_local;

/*
 * The events: enum, records, descriptions, record functions
 */

TRACE_REMOTE_SYMTAB(test_seasons, { 0, "spring" }, { 1, "summer" }, { 3, "winter" });
TRACE_REMOTE_SYMTAB(test_parities, { 0, "even" }, { 1, "odd" });

static const struct trace_remote_symtab *const test_symtabs[] = {
	&test_seasons, &test_parities, NULL,
};

enum test_event {
#define REMOTE_EVENT(event, ...)	TEST_EVENT_##event,
#include "remote_test_events.h"
#undef REMOTE_EVENT
	NR_TEST_EVENTS,
};

#define REMOTE_EVENT(event, fields, ...)	REMOTE_RECORD(event, REMOTE_FIELDS(fields));
#include "remote_test_events.h"
#undef REMOTE_EVENT

#define REMOTE_EVENT(event, fields, ...)				\
	TRACE_REMOTE_EVENT_FIELDS(event, REMOTE_FIELDS(fields))
#include "remote_test_events.h"
#undef REMOTE_EVENT

#define REC(f)		(rec->f)
#define SYM		TRACE_REMOTE_SYM
#define REMOTE_EVENT(event, fields, ...)	TRACE_REMOTE_EVENT_PRINT(event, __VA_ARGS__)
#include "remote_test_events.h"
#undef REMOTE_EVENT
#undef REC
#undef SYM

#define REC(f)		REC->f
static struct trace_remote_event test_events[] = {
#define REMOTE_EVENT(event, fields, ...)	TRACE_REMOTE_EVENT_INIT(event, __VA_ARGS__)
#include "remote_test_events.h"
#undef REMOTE_EVENT
};

#undef REC

/* Id of each event in the kernel's id space; 0 while the event is off */
static u16 test_event_ids[NR_TEST_EVENTS];

/* The filter of each event; changed under the remote's mutex, read without it */
static struct remote_filter test_filters[NR_TEST_EVENTS];

static bool test_passes(enum test_event event, const void *rec, u32 size)
{
	const struct remote_filter *filter = &test_filters[event];

	return !READ_ONCE(filter->nr) || remote_filter_match(filter, rec, size);
}

#define REMOTE_EVENT(event, fields, ...)				\
	static void trace_##event(REMOTE_PARAMS(REMOTE_FIELDS(fields)))	\
	{								\
		u16 type = READ_ONCE(test_event_ids[TEST_EVENT_##event]);\
		struct remote_rec_##event __filled __aligned(8) = {	\
			.hdr = { .type = type, .pid = current->pid },	\
		};							\
		struct remote_rec_##event *__rec = &__filled;		\
		struct rb_writer *w;					\
									\
		if (!type)						\
			return;						\
		REMOTE_ASSIGN(REMOTE_FIELDS(fields))			\
		if (!test_passes(TEST_EVENT_##event, __rec, sizeof(*__rec)))\
			return;						\
									\
		guard(irqsave)();					\
		w = this_cpu_ptr(&test_writers);			\
		__rec = rb_writer_reserve(w, sizeof(*__rec), READ_ONCE(test_clock)());\
		if (!__rec)						\
			return;						\
									\
		*__rec = __filled;					\
		rb_writer_commit(w, __rec, sizeof(*__rec));		\
	}
#include "remote_test_events.h"
#undef REMOTE_EVENT

/*
 * Loading
 */

static unsigned int nr_table_pages(unsigned int nr_subbufs)
{
	return DIV_ROUND_UP(nr_subbufs, RB_WRITER_SUBBUFS_PER_PAGE);
}

static void test_free_table(struct rb_writer_subbuf **table, unsigned int nr_pages)
{
	while (nr_pages--)
		free_page((unsigned long)table[nr_pages]);
	kvfree(table);
}

static struct rb_writer_subbuf **test_alloc_table(unsigned int nr_pages)
{
	struct rb_writer_subbuf **table = kvcalloc(nr_pages, sizeof(*table),
						   RING_BUFFER_REMOTE_GFP);
	unsigned int i;

	if (!table)
		return NULL;

	for (i = 0; i < nr_pages; i++) {
		table[i] = (void *)get_zeroed_page(RING_BUFFER_REMOTE_GFP);
		if (!table[i]) {
			test_free_table(table, i);
			return NULL;
		}
	}
	return table;
}

static int test_load_cpu(struct trace_buffer *buffer, int cpu)
{
	unsigned int id, nr_subbufs = ring_buffer_remote_nr_subbufs(buffer, cpu);
	struct rb_writer *w = per_cpu_ptr(&test_writers, cpu);

	w->table = test_alloc_table(nr_table_pages(nr_subbufs));
	if (!w->table)
		return -ENOMEM;

	for (id = 0; id < nr_subbufs; id++)
		rb_writer_add_subbuf(w, id, ring_buffer_remote_subbuf(buffer, cpu, id));
	rb_writer_init(w, ring_buffer_remote_meta(buffer, cpu), nr_subbufs);
	return 0;
}

static void test_unload_cpu(int cpu)
{
	struct rb_writer *w = per_cpu_ptr(&test_writers, cpu);

	if (!w->table)
		return;

	WARN_ON(w->on);
	/* The reader's sub-buffer is in no slot */
	test_free_table(w->table, nr_table_pages(w->nr_slots + 1));
	memset(w, 0, sizeof(*w));
}

static int test_unload(struct trace_buffer *buffer, void *priv)
{
	int cpu;

	for_each_cpu(cpu, ring_buffer_remote_cpus(buffer))
		test_unload_cpu(cpu);
	return 0;
}

static int test_load(struct trace_buffer *buffer, void *priv)
{
	int cpu, ret;

	for_each_cpu(cpu, ring_buffer_remote_cpus(buffer)) {
		ret = test_load_cpu(buffer, cpu);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Writing
 */

static void test_update_this_cpu(void *unused)
{
	struct rb_writer *w = this_cpu_ptr(&test_writers);

	lockdep_assert_irqs_disabled();
	/* A CPU that was not there when the buffer was loaded has none */
	if (!w->table)
		return;
	w->overwrite = test_overwrite;
	rb_writer_set_on(w, test_on);
}

static int enable_answer;
module_param(enable_answer, int, 0600);
MODULE_PARM_DESC(enable_answer, "errno instead of switching tracing on or off, if not 0");

static bool enable_waits;
module_param(enable_waits, bool, 0600);
MODULE_PARM_DESC(enable_waits, "wait with that, until this is no longer set");

static int test_enable(bool on, void *priv)
{
	while (READ_ONCE(enable_waits))
		fsleep(USEC_PER_MSEC);
	if (READ_ONCE(enable_answer))
		return READ_ONCE(enable_answer);

	guard(cpus_read_lock)();
	test_on = on;
	on_each_cpu(test_update_this_cpu, NULL, 1);
	return 0;
}

static int test_set_overwrite(bool overwrite, void *priv)
{
	guard(cpus_read_lock)();
	test_overwrite = overwrite;
	if (test_on)
		on_each_cpu(test_update_this_cpu, NULL, 1);
	return 0;
}

static int test_cpu_online(unsigned int cpu)
{
	guard(irqsave)();
	if (test_on)
		test_update_this_cpu(NULL);
	return 0;
}

/* An offline CPU could not be told to stop */
static int test_cpu_offline(unsigned int cpu)
{
	guard(irqsave)();
	rb_writer_set_on(this_cpu_ptr(&test_writers), false);
	return 0;
}

static int test_enable_event(unsigned int index, u16 id, void *priv)
{
	WRITE_ONCE(test_event_ids[index], id);
	return 0;
}

/* The same checks as those of a writer that does not trust the kernel */
static int test_set_filter(unsigned int index, const struct remote_filter *filter, void *priv)
{
	static const u32 rec_sizes[] = {
#define REMOTE_EVENT(event, ...)	sizeof(struct remote_rec_##event),
#include "remote_test_events.h"
#undef REMOTE_EVENT
	};
	struct remote_filter *to = &test_filters[index];

	if (!filter) {
		WRITE_ONCE(to->nr, 0);
		return 0;
	}
	if (remote_filter_check(filter, rec_sizes[index]))
		return -EINVAL;
	memcpy(to->insns, filter->insns, sizeof(to->insns));
	WRITE_ONCE(to->nr, filter->nr);
	return 0;
}

static unsigned int lost_lag;
module_param(lost_lag, uint, 0600);
MODULE_PARM_DESC(lost_lag, "sub-buffers that are overwritten, and not yet counted in the meta page");

/* As if the kernel looked while the writer is between overwriting and counting */
static void test_count_late(struct rb_writer *w)
{
	if (w->table && READ_ONCE(lost_lag))
		WRITE_ONCE(w->meta->pages_lost, w->lost - READ_ONCE(lost_lag));
}

static int test_write_selftest(u64 id, void *priv)
{
	/* All events on the same CPU */
	guard(preempt)();
	trace_selftest(id);
	trace_numbers(id, id, id, id, id, id, id);
	trace_names(id % 6, id % 2);
	trace_line(id >> 44);
	test_count_late(this_cpu_ptr(&test_writers));
	return 0;
}

static void test_stop(void *priv)
{
	unsigned int i;

	for (i = 0; i < NR_TEST_EVENTS; i++)
		WRITE_ONCE(test_event_ids[i], 0);
}

/*
 * Reading
 */

static int swap_answer = RB_SWAP_DONE;
module_param(swap_answer, int, 0600);
MODULE_PARM_DESC(swap_answer, "what the writer answers to readers instead of a sub-buffer, if not 1");

static int reader_id = -1;
module_param(reader_id, int, 0600);
MODULE_PARM_DESC(reader_id, "id that readers are given instead of a sub-buffer, if not -1");

static int test_swap_reader(int cpu, u32 seen, void *priv)
{
	struct rb_writer *w = per_cpu_ptr(&test_writers, cpu);
	int answer = READ_ONCE(swap_answer), id = READ_ONCE(reader_id);

	if (answer != RB_SWAP_DONE)
		return answer;
	if (id != -1) {
		WRITE_ONCE(w->meta->reader.id, id);
		return RB_SWAP_DONE;
	}
	return rb_writer_swap(w, seen);
}

static int test_reset(int cpu, void *priv)
{
	rb_writer_reset(per_cpu_ptr(&test_writers, cpu));
	return 0;
}

static const struct trace_remote_clock test_clocks[] = {
	{ "local",	trace_clock_local,	true },
	{ "boot",	ktime_get_boot_fast_ns,	true },
	{ "mono",	ktime_get_mono_fast_ns,	true },
	{ "mono_raw",	ktime_get_raw_fast_ns,	true },
	{ "tai",	ktime_get_tai_fast_ns,	true },
	{ "counter",	trace_clock_counter,	false },
	{}
};

/*
 * All writers are off. One that has already read the old clock finds itself off and
 * drops the event: it cannot be switched on before it enables interrupts again.
 */
static int test_set_clock(unsigned int index, void *priv)
{
	WRITE_ONCE(test_clock, test_clocks[index].now);
	return 0;
}

static const struct trace_remote_ops test_ops = {
	.load		= test_load,
	.unload		= test_unload,
	.enable		= test_enable,
	.overwrite	= test_set_overwrite,
	.set_clock	= test_set_clock,
	.enable_event	= test_enable_event,
	.set_filter	= test_set_filter,
	.write_selftest	= test_write_selftest,
	.stop		= test_stop,
	.rb = {
		.swap_reader	= test_swap_reader,
		.reset		= test_reset,
	},
};

static const struct trace_remote_desc test_desc = {
	.name		= "test",
	.owner		= THIS_MODULE,
	.ops		= &test_ops,
	.events		= test_events,
	.nr_events	= ARRAY_SIZE(test_events),
	.clocks		= test_clocks,
	.symtabs	= test_symtabs,
};

static struct trace_remote *test_remote;
static int test_cpuhp_state;

static int __init remote_test_init(void)
{
	int state;

	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "trace/remote_test:online",
				  test_cpu_online, test_cpu_offline);
	if (state < 0)
		return state;

	test_remote = trace_remote_register(&test_desc);
	if (IS_ERR(test_remote)) {
		cpuhp_remove_state(state);
		return PTR_ERR(test_remote);
	}

	test_cpuhp_state = state;
	return 0;
}
module_init(remote_test_init);

static void __exit remote_test_exit(void)
{
	trace_remote_unregister(test_remote);
	cpuhp_remove_state(test_cpuhp_state);
}
module_exit(remote_test_exit);

MODULE_DESCRIPTION("Test of trace remotes: a remote whose writer is in the kernel");
MODULE_LICENSE("GPL");

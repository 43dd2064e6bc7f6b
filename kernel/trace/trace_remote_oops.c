// SPDX-License-Identifier: GPL-2.0
/*
 * The dump of a remote at an oops or a panic, which ftrace_dump_on_oops=<remote> asks for.
 */
#include <linux/delay.h>
#include <linux/moduleparam.h>
#include <linux/panic.h>
#include <linux/rculist.h>

#include "trace_remote_core.h"
#include "trace_remote_dump.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX	"trace_remote."

/* All remotes, for those that cannot take a lock. Changed with trace_types_lock */
LIST_HEAD(trace_remotes);

/*
 * The CPU that runs ftrace_dump(), plus one, or 0. Not more than one does, but it may be
 * called again by a failure of its own.
 */
static atomic_t dump_cpu;

/* If not, no dump looks at what was just hidden from dumps */
bool remote_dump_may_look(void)
{
	smp_mb(); /* Pairs with the exchange in trace_remote_dump_begin() */
	return atomic_read_acquire(&dump_cpu);
}

/* Before ftrace_dump() looks for a remote */
void trace_remote_dump_begin(void)
{
	atomic_xchg(&dump_cpu, get_cpu() + 1); /* Pairs with remote_dump_may_look() */
}

void trace_remote_dump_end(void)
{
	atomic_set_release(&dump_cpu, 0);
	put_cpu();
}

/* ftrace_dump() again, while it runs: a dump that has failed itself is not continued */
void trace_remote_dump_failed(void)
{
	atomic_cmpxchg_release(&dump_cpu, raw_smp_processor_id() + 1, 0);
}

static unsigned int dump_limit = 200;
module_param(dump_limit, uint, 0644);
MODULE_PARM_DESC(dump_limit, "largest number of events that a dump prints, 0 for all");

/* Belongs to the CPU that prints; see dump_cpu */
static struct trace_seq dump_seq;

static void dump_event(int cpu, u64 ts, const void *rec, u32 size, void *data)
{
	struct trace_remote *remote = data;

	trace_seq_init(&dump_seq);
	if (remote_record_is_whole(remote, rec, size))
		remote_print_record(remote, &dump_seq, cpu, ts, rec, size);
	else
		trace_seq_printf(&dump_seq, "CPU:%d [DAMAGED EVENTS]\n", cpu);
	trace_printk_seq(&dump_seq);
}

static void dump_buffer(struct trace_remote *remote, struct trace_buffer *buffer,
			enum ftrace_dump_mode mode)
{
	int cpu = mode == DUMP_ORIG ? raw_smp_processor_id() : RING_BUFFER_ALL_CPUS;

	pr_emerg("Dumping ftrace instance %s buffer:\n", remote->desc->name);
	pr_emerg("---------------------------------\n");
	if (!remote_dump_events(buffer, cpu, dump_limit, dump_event, remote))
		pr_emerg("   (ftrace buffer empty)\n");
	pr_emerg("---------------------------------\n");
	WRITE_ONCE(remote->dumped, true);
}

/* As ->stop() has left it, but told to the instance as well */
static void remote_events_off(struct trace_remote *remote)
{
	pr_err("%s: cannot be switched off after an oops, so all events are off\n",
	       remote->desc->name);
	trace_array_set_clr_event(&remote->tr, NULL, NULL, false);
}

/*
 * Now that its mutex can be taken: switch tracing off, and restore what ->stop() switched
 * off, unless new events would follow
 */
static void remote_off_work(struct work_struct *work)
{
	struct trace_remote *remote = container_of(work, struct trace_remote, off_work);
	const struct trace_remote_desc *desc = remote->desc;
	unsigned int i;
	int ret;

	mutex_lock(&remote->lock);
	ret = remote_set_on(remote, false);
	for (i = 0; !ret && i < desc->nr_events; i++) {
		if (desc->events[i].enabled)
			ret = desc->ops->enable_event(i, desc->events[i].call.event.type,
						      desc->priv);
	}
	mutex_unlock(&remote->lock);
	if (ret)
		remote_events_off(remote);
}

static void remote_off_irq(struct irq_work *work)
{
	struct trace_remote *remote = container_of(work, struct trace_remote, off_irq);

	schedule_work(&remote->off_work);
}

/*
 * The loop of trace.c takes locks, calls the writer and trusts the pages. This takes none,
 * does not call it, and checks what it reads. At a panic the other CPUs have stopped already, and
 * the writer may be what has panicked: only at an oops is it stopped.
 */
void trace_remote_dump(struct trace_array *tr, enum ftrace_dump_mode mode)
{
	struct trace_remote *remote = to_remote(tr);
	struct trace_buffer *buffer;

	/* Pairs with the release in remote_load() */
	buffer = smp_load_acquire(&tr->array_buffer.buffer);
	if (!buffer)
		return;
	if (atomic_read(&panic_cpu) == PANIC_CPU_INVALID && READ_ONCE(remote->on)) {
		remote->desc->ops->stop(remote->desc->priv);
		irq_work_queue(&remote->off_irq);
	}
	if (!READ_ONCE(remote->dumped))
		dump_buffer(remote, buffer, mode);
}

/* For SysRq-z, which prints all there is */
void trace_remote_dump_all(void)
{
	struct trace_remote *remote;

	list_for_each_entry_rcu(remote, &trace_remotes, list, true)
		trace_remote_dump(&remote->tr, DUMP_ALL);
}

void remote_init_dump(struct trace_remote *remote)
{
	init_irq_work(&remote->off_irq, remote_off_irq);
	INIT_WORK(&remote->off_work, remote_off_work);
}

/* Wait until no dump knows the remote, which is in no list any more */
void remote_end_dump(struct trace_remote *remote)
{
	while (remote_dump_may_look())
		fsleep(USEC_PER_MSEC);
	irq_work_sync(&remote->off_irq);
	cancel_work_sync(&remote->off_work);
}

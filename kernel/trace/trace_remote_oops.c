// SPDX-License-Identifier: GPL-2.0
/*
 * Oops and panic: prints the last events of remotes, and switches tracing off.
 */
#include <linux/delay.h>
#include <linux/kdebug.h>
#include <linux/moduleparam.h>
#include <linux/panic_notifier.h>
#include <linux/rculist.h>

#include "trace_remote_core.h"
#include "trace_remote_dump.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX	"trace_remote."

LIST_HEAD(trace_remotes);

/*
 * The CPU that prints events, plus one, or 0: only one CPU does so at a time. The others
 * do not wait but leave it to that one.
 */
static atomic_t dump_cpu;

/* If not, no dump looks at what was just hidden from dumps */
bool remote_dump_may_look(void)
{
	smp_mb(); /* Pairs with the exchange in dump_remotes() */
	return atomic_read_acquire(&dump_cpu);
}

static enum ftrace_dump_mode dump_on_oops;

static int dump_on_oops_set(const char *val, const struct kernel_param *kp)
{
	if (!val || sysfs_streq(val, "1"))
		dump_on_oops = DUMP_ALL;
	else if (sysfs_streq(val, "2") || sysfs_streq(val, "orig_cpu"))
		dump_on_oops = DUMP_ORIG;
	else if (sysfs_streq(val, "0"))
		dump_on_oops = DUMP_NONE;
	else
		return -EINVAL;
	return 0;
}

static int dump_on_oops_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", dump_on_oops);
}

static const struct kernel_param_ops dump_on_oops_ops = {
	.flags	= KERNEL_PARAM_OPS_FL_NOARG,
	.set	= dump_on_oops_set,
	.get	= dump_on_oops_get,
};
module_param_cb(dump_on_oops, &dump_on_oops_ops, NULL, 0644);
MODULE_PARM_DESC(dump_on_oops,
		 "print last events at oops or panic: 0 no, 1 all CPUs, 2 (orig_cpu) its own CPU");

static unsigned int dump_limit = 200;
module_param(dump_limit, uint, 0644);
MODULE_PARM_DESC(dump_limit, "largest number of events that dump_on_oops prints, 0 for all");

static bool off_on_oops;
module_param(off_on_oops, bool, 0644);
MODULE_PARM_DESC(off_on_oops, "switch tracing off at an oops; dump_on_oops also does that");

/* Belongs to the CPU that prints; see dump_cpu */
static struct trace_seq dump_seq;

static void dump_event(int cpu, u64 ts, const void *rec, u32 size, void *data)
{
	struct trace_remote *remote = data;

	trace_seq_init(&dump_seq);
	if (remote_record_is_whole(remote, rec, size))
		remote_print_record(remote, &dump_seq, cpu, ts, rec);
	else
		trace_seq_printf(&dump_seq, "CPU:%d [DAMAGED EVENTS]\n", cpu);
	trace_printk_seq(&dump_seq);
}

static void dump_remote(struct trace_remote *remote, struct trace_buffer *buffer)
{
	int cpu = dump_on_oops == DUMP_ORIG ? raw_smp_processor_id() : RING_BUFFER_ALL_CPUS;

	pr_emerg("Dumping the last events of remote %s:\n", remote->desc->name);
	pr_emerg("---------------------------------\n");
	if (!remote_dump_events(buffer, cpu, dump_limit, dump_event, remote))
		pr_emerg("   (no events)\n");
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
 * At a panic the other CPUs have stopped already. The writer is not called: it may be
 * what has panicked.
 */
static void remote_oops(struct trace_remote *remote, bool panic)
{
	struct trace_buffer *buffer;

	/* Pairs with the release in remote_load() */
	buffer = smp_load_acquire(&remote->tr.array_buffer.buffer);
	if (!buffer)
		return;
	if (!panic && READ_ONCE(remote->on)) {
		remote->desc->ops->stop(remote->desc->priv);
		irq_work_queue(&remote->off_irq);
	}
	if (dump_on_oops != DUMP_NONE && !READ_ONCE(remote->dumped))
		dump_remote(remote, buffer);
}

static void dump_remotes(bool panic)
{
	struct trace_remote *remote;
	int me = raw_smp_processor_id() + 1, owner;

	if (dump_on_oops == DUMP_NONE && (panic || !off_on_oops))
		return;
	owner = atomic_cmpxchg(&dump_cpu, 0, me); /* Pairs with remote_dump_may_look() */
	/* The dump itself has failed, and will not be continued: it looks no more */
	if (owner == me)
		atomic_set_release(&dump_cpu, 0);
	if (owner)
		return;
	list_for_each_entry_rcu(remote, &trace_remotes, list, true)
		remote_oops(remote, panic);
	atomic_set_release(&dump_cpu, 0);
}

static int remote_die_notify(struct notifier_block *nb, unsigned long event, void *unused)
{
	if (event == DIE_OOPS)
		dump_remotes(false);
	return NOTIFY_DONE;
}

static int remote_panic_notify(struct notifier_block *nb, unsigned long event, void *unused)
{
	dump_remotes(true);
	return NOTIFY_DONE;
}

/* Before other notifiers add their own events; after the dump of the kernel's own trace */
static struct notifier_block remote_die_notifier = {
	.notifier_call	= remote_die_notify,
	.priority	= INT_MAX - 2,
};

static struct notifier_block remote_panic_notifier = {
	.notifier_call	= remote_panic_notify,
	.priority	= INT_MAX - 2,
};

static int __init remote_notify_init(void)
{
	atomic_notifier_chain_register(&panic_notifier_list, &remote_panic_notifier);
	return register_die_notifier(&remote_die_notifier);
}
core_initcall(remote_notify_init);


void remote_init_dump(struct trace_remote *remote)
{
	init_irq_work(&remote->off_irq, remote_off_irq);
	INIT_WORK(&remote->off_work, remote_off_work);
}

/* Wait until no dump knows the remote, which is in the list no more */
void remote_end_dump(struct trace_remote *remote)
{
	while (remote_dump_may_look())
		fsleep(USEC_PER_MSEC);
	irq_work_sync(&remote->off_irq);
	cancel_work_sync(&remote->off_work);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing the hypervisor, host side: the remote "hypervisor".
 *
 * EL2's side is in hyp/nvhe/trace*.c, the contract of the hypercalls in
 * hyp/include/nvhe/trace.h. Calls that switch a CPU's writer run on that CPU; see
 * __hyp_trace_enable() there. The remote's mutex serialises all calls but the reader's.
 */
#include <linux/cpuhotplug.h>
#include <linux/fault-inject.h>
#include <linux/trace_remote_base.h>

#include <trace/events/sched.h>

#include "hyp_trace_core.h"

static bool el2_panicked;

/* NULL before it is registered */
static struct trace_remote *hyp_remote;

void hyp_trace_el2_panicked(void)
{
	struct trace_remote *remote = READ_ONCE(hyp_remote);

	WRITE_ONCE(el2_panicked, true);
	if (remote)
		trace_remote_writer_died(remote);
}

#ifdef CONFIG_FAULT_INJECTION
/* Debugfs's fail_hyp_trace, see Documentation/fault-injection; each call is of size 1 */
static DECLARE_FAULT_ATTR(fail_hyp_trace);

bool hyp_call_is_to_fail(void)
{
	return should_fail(&fail_hyp_trace, 1);
}

static int __init fail_hyp_trace_init(void)
{
	return PTR_ERR_OR_ZERO(fault_create_debugfs_attr("fail_hyp_trace", NULL, &fail_hyp_trace));
}
late_initcall(fail_hyp_trace_init);
#else
bool hyp_call_is_to_fail(void)
{
	return false;
}
#endif

#ifdef TRACE_REMOTE_LINUX_7
static bool kvm_rebooting;

/* KVM is about to leave EL2 */
void kvm_arch_shutdown(void)
{
	WRITE_ONCE(kvm_rebooting, true);
}
#endif

/* EL2 cannot be called after it has panicked, nor after KVM has left it (reboot, kexec) */
bool hyp_is_there(void)
{
	return !READ_ONCE(el2_panicked) && !READ_ONCE(kvm_rebooting);
}

/* Flags for CPUs that come online; under the remote's mutex and the hotplug lock */
static u32 hyp_trace_flags = HYP_TRACE_OVERWRITE;

/* A tracepoint's function: this CPU switches tasks */
static void hyp_trace_switch(void *tasks, bool preempt, struct task_struct *prev,
			     struct task_struct *next, unsigned int prev_state)
{
	struct hyp_trace_task *task = (struct hyp_trace_task *)tasks + smp_processor_id();

	WRITE_ONCE(task->word.pid, next->pid);
}

/*
 * Several CPUs may store their error at once; a CPU without one leaves theirs alone. A CPU
 * that was not there when the buffer was loaded has none.
 */
static void hyp_enable_this_cpu(void *data)
{
	int err, *ret = data;

	if (!this_cpu_read(hyp_tables))
		return;

	hyp_tasks[smp_processor_id()].word.pid = current->pid;
	err = hyp_call(__hyp_trace_enable, hyp_trace_flags);
	if (err)
		WRITE_ONCE(*ret, err);
}

/* Set the flags of every CPU; offline CPUs get them when they come online */
static int hyp_trace_set_flags(u32 flags)
{
	u32 old = hyp_trace_flags;
	int ret = 0, ignored = 0;

	guard(cpus_read_lock)();
	hyp_trace_flags = flags;
	if (!((flags | old) & HYP_TRACE_ON))
		return 0;

	on_each_cpu(hyp_enable_this_cpu, &ret, 1);
	if (ret) {
		hyp_trace_flags = old;
		on_each_cpu(hyp_enable_this_cpu, &ignored, 1);
	}
	return ret;
}

/* While it traces, EL2 is told about each switch of tasks */
static int hyp_trace_enable(bool on, void *priv)
{
	bool was_on = hyp_trace_flags & HYP_TRACE_ON;
	int ret = 0;

	if (on && !was_on)
		ret = register_trace_sched_switch(hyp_trace_switch, hyp_tasks);
	if (ret)
		return ret;

	ret = hyp_trace_set_flags((hyp_trace_flags & ~HYP_TRACE_ON) | (on ? HYP_TRACE_ON : 0));
	if ((on || was_on) && !(hyp_trace_flags & HYP_TRACE_ON))
		unregister_trace_sched_switch(hyp_trace_switch, hyp_tasks);
	return ret;
}

static int hyp_trace_overwrite(bool overwrite, void *priv)
{
	return hyp_trace_set_flags((hyp_trace_flags & HYP_TRACE_ON) |
				   (overwrite ? HYP_TRACE_OVERWRITE : 0));
}

/* These do not fail: a CPU that cannot be traced can go off and on all the same */
static void hyp_report_cpu(unsigned int cpu, int err)
{
	if (err)
		kvm_err("hypervisor tracing: CPU %u cannot be switched: %d\n", cpu, err);
}

static int hyp_trace_cpu_online(unsigned int cpu)
{
	int err = 0;

	if (hyp_trace_flags & HYP_TRACE_ON)
		hyp_enable_this_cpu(&err);
	hyp_report_cpu(cpu, err);
	hyp_report_cpu(cpu, hyp_counters_cpu_online(cpu));
	return 0;
}

/*
 * An offline CPU could not switch its writer off, so that is done now. In protected mode
 * EL2 notices by itself. During kexec, CPUs go offline after KVM has left EL2.
 */
static int hyp_trace_cpu_offline(unsigned int cpu)
{
	if ((hyp_trace_flags & HYP_TRACE_ON) && this_cpu_read(hyp_tables) &&
	    !is_protected_kvm_enabled() && hyp_is_there())
		hyp_report_cpu(cpu, hyp_call(__hyp_trace_enable, 0));
	return 0;
}

/* If the event's places cannot be switched on, it is off */
int hyp_trace_enable_event(unsigned int index, u16 id, void *priv)
{
	int ret = hyp_call(__hyp_trace_enable_event, index, id);

	if (ret)
		return ret;

	ret = hyp_text_set_host(HYP_TEXT_EVENTS, index, hyp_places_are_on(index, id));
	if (ret)
		hyp_call(__hyp_trace_enable_event, index, 0);
	return ret;
}

#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
static unsigned long hyp_trace_function(unsigned int index, void *priv)
{
	return hyp_text_function(index);
}

static int hyp_trace_set_function(unsigned int index, enum trace_remote_function how, void *priv)
{
	return hyp_call(__hyp_trace_set_function, index, how) ?:
	       hyp_text_set_function_host(index, how);
}
#endif

static int hyp_trace_write_selftest(u64 id, void *priv)
{
	return hyp_call(__hyp_trace_selftest, id);
}

static int hyp_trace_swap_reader(int cpu, u32 seen, void *priv)
{
	return hyp_call(__hyp_trace_swap_reader, cpu, seen);
}

static int hyp_trace_reset(int cpu, void *priv)
{
	return hyp_call(__hyp_trace_reset, cpu);
}

/*
 * Any CPU can switch events off for all CPUs; a writer is switched only by its own CPU. The
 * host's text stays as it is: a lock would be needed to write it
 */
static void hyp_trace_stop(void *priv)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hyp_events); i++)
		hyp_call(__hyp_trace_enable_event, i, 0);
}

static const struct trace_remote_ops hyp_trace_ops = {
	.load		= hyp_trace_load,
	.unload		= hyp_trace_unload,
	.enable		= hyp_trace_enable,
	.overwrite	= hyp_trace_overwrite,
	.set_clock	= hyp_trace_set_clock,
	.enable_event	= hyp_trace_enable_event,
	.set_filter	= hyp_trace_set_filter,
#ifdef CONFIG_NVHE_EL2_TRIGGERS
	.set_triggers	= hyp_trace_set_triggers,
	.ask		= hyp_trace_ask,
#endif
#ifdef CONFIG_NVHE_EL2_COUNTERS
	.count		= hyp_counters_enable,
	.counters	= hyp_counters_of,
	.counter	= hyp_counter,
#endif
#ifdef CONFIG_NVHE_EL2_FUNCTION_TRACER
	.function	= hyp_trace_function,
	.set_function	= hyp_trace_set_function,
#endif
	.write_selftest	= hyp_trace_write_selftest,
	.stop		= hyp_trace_stop,
	.rb = {
		.swap_reader	= hyp_trace_swap_reader,
		.reset		= hyp_trace_reset,
		.notify		= hyp_trace_notify,
	},
};

static const struct trace_remote_desc hyp_trace_desc = {
	.name		= HYP_TRACE_REMOTE,
	.ops		= &hyp_trace_ops,
	.prefix		= "__kvm_nvhe_",
	.events		= hyp_events,
	.nr_events	= ARRAY_SIZE(hyp_events),
	.symtabs	= hyp_symtabs,
	.clocks		= hyp_trace_clocks,
};

static int __init hyp_trace_init(void)
{
	struct trace_remote *remote;
	int state, ret;

	if (!is_kvm_arm_initialised() || is_kernel_in_hyp_mode())
		return 0;

	/* For good: EL2 must not lose what it is told from here on */
	ret = kvm_enable_virtualization();
	if (ret)
		return ret;

#ifdef CONFIG_NVHE_EL2_TRIGGERS
	hyp_events[HYP_EVENT_hyp_exit].hidden = &hyp_exit_duration;
#endif
	hyp_trace_find_clocks();
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "kvm/arm64/hyp_trace:online",
				  hyp_trace_cpu_online, hyp_trace_cpu_offline);
	if (state < 0) {
		ret = state;
		goto disable;
	}

	remote = trace_remote_register(&hyp_trace_desc);
	if (IS_ERR(remote)) {
		ret = PTR_ERR(remote);
		kvm_err("hypervisor tracing: cannot register the remote: %d\n", ret);
		goto remove_state;
	}
	WRITE_ONCE(hyp_remote, remote);
	hyp_trace_boot_done(hyp_trace_flags & HYP_TRACE_ON);
	return 0;

remove_state:
	cpuhp_remove_state(state);
disable:
	hyp_trace_boot_done(hyp_trace_flags & HYP_TRACE_ON);
	kvm_disable_virtualization();
	return ret;
}

/* After KVM's, and before the host gives up its privileges: it may trace from here on */
device_initcall(hyp_trace_init);

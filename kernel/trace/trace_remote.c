// SPDX-License-Identifier: GPL-2.0
/*
 * Trace remotes: the tracefs front end of ring buffers with a remote writer.
 *
 * A remote is an instance: it has a trace_array, in the list of all. trace.c has its files
 * that read events, and trace_events.c has those of its events. The files trace_remote*.c
 * add what differs: here, the life cycle of the buffer.
 *
 *	UNLOADED => LOADED	first tracing_on, or a consuming reader opens
 *	LOADED => UNLOADED	tracing is off, no file that reads is open, and
 *				nothing is left to read
 *
 * If the writer fails to give its pages back, they are kept, and it is asked again
 * before the next load: memory that it may still write to is never freed.
 *
 * At an oops or a panic no lock can be taken. The dump then looks at the remotes in the
 * list and at their buffers. So these are first hidden from it. A dump may take long, or
 * never end: a buffer is not unloaded before it has ended. Only the removal
 * of a remote waits for that, in remote_end_dump().
 *
 * Locks: that of an open file (trace_iterator::mutex, or seq_file's), event_mutex,
 * trace_types_lock, trace_remote::lock, trace_access_lock(), then those of the ring buffer.
 * A file that reads is counted in nr_readers from open to release (for a mapping, that is
 * the last munmap), so that its buffer stays loaded. An open file is a reference to the
 * trace_array, and so pins the module that provides the remote.
 */
#include <linux/delay.h>
#include <linux/kexec.h>
#include <linux/oom.h>
#include <linux/rculist.h>
#include <linux/reboot.h>
#include <linux/ring_buffer_writer.h>
#include <linux/slab.h>
#include <linux/tracefs.h>

#include "trace_remote_core.h"

/* The same as for an ordinary buffer */
#define DEFAULT_SIZE_KB		1408

static struct dentry *remotes_dir;

bool __trace_remote_pin(struct trace_array *tr)
{
	return try_module_get(to_remote(tr)->desc->owner);
}

void __trace_remote_unpin(struct trace_array *tr)
{
	module_put(to_remote(tr)->desc->owner);
}

/* Has the CPU a buffer? */
static bool remote_has_cpu(struct trace_remote *remote, int cpu)
{
	struct trace_buffer *buffer = remote_buffer(remote);

	return buffer && cpumask_test_cpu(cpu, ring_buffer_remote_cpus(buffer));
}

static int remote_give_back(struct trace_remote *remote, struct trace_buffer *buffer)
{
	int ret = remote->desc->ops->unload(buffer, remote->desc->priv);

	if (ret) {
		pr_warn("%s: the writer did not give its buffer back: %d\n",
			remote->desc->name, ret);
		remote->held = buffer;
		return ret;
	}

	ring_buffer_free(buffer);
	remote->held = NULL;
	return 0;
}

int remote_load(struct trace_remote *remote)
{
	const struct trace_remote_desc *desc = remote->desc;
	struct trace_buffer *buffer;
	int ret;

	lockdep_assert_held(&remote->lock);
	if (remote->left)
		return -ESHUTDOWN;
	if (remote_buffer(remote))
		return 0;
	ret = remote->held ? remote_give_back(remote, remote->held) : 0;
	if (ret)
		return ret;

	ret = remote_memory_begin(remote);
	if (ret)
		return ret;
	buffer = ring_buffer_remote_alloc(remote->size_kb << 10, &remote->rb);
	if (!buffer)
		return -ENOMEM;

	/* The writer may need memory as well: if there is none left, this task has to go */
	set_current_oom_origin();
	ret = desc->ops->load(buffer, desc->priv);
	clear_current_oom_origin();
	if (ret) {
		remote_give_back(remote, buffer);
		return ret;
	}

	remote_memory_commit(remote);
	ring_buffer_record_off(buffer);
	ring_buffer_set_clock(buffer, remote->clock->now);
	/* Complete, for trace_remote_dump(), which reads it without a lock */
	smp_store_release(&remote->tr.array_buffer.buffer, buffer);
	return 0;
}

/* Not while a dump may look at the buffer: then it is tried again later */
static void remote_unload(struct trace_remote *remote)
{
	struct trace_buffer *buffer = remote_buffer(remote);

	WRITE_ONCE(remote->tr.array_buffer.buffer, NULL);
	if (remote_dump_may_look()) {
		/* As in remote_load() */
		smp_store_release(&remote->tr.array_buffer.buffer, buffer);
		schedule_delayed_work(&remote->unload_work, HZ);
		return;
	}
	remote_give_back(remote, buffer);
}

void remote_try_unload(struct trace_remote *remote)
{
	lockdep_assert_held(&remote->lock);
	if (!remote_buffer(remote) || remote->on || remote->nr_readers || remote->left)
		return;
	if (ring_buffer_empty(remote_buffer(remote)) || remote_is_last(remote))
		remote_unload(remote);
}

static void remote_unload_work(struct work_struct *work)
{
	struct trace_remote *remote = container_of(to_delayed_work(work), struct trace_remote,
						   unload_work);

	guard(mutex)(&remote->lock);
	remote_try_unload(remote);
}

/* Also wakes the waiters, as no more events will come */
static void remote_stop(struct trace_remote *remote)
{
	ring_buffer_record_off(remote_buffer(remote));
	ring_buffer_wake_waiters(remote_buffer(remote), RING_BUFFER_ALL_CPUS);
}

int remote_set_on(struct trace_remote *remote, bool on)
{
	const struct trace_remote_desc *desc = remote->desc;
	int ret;

	lockdep_assert_held(&remote->lock);
	ret = on ? remote_go_on(remote) : 0;
	if (ret || on == remote->on)
		return ret;

	if (on) {
		ret = remote_load(remote);
		if (ret)
			return ret;
	}

	ret = desc->ops->enable(on, desc->priv);
	if (!ret) {
		remote->on = on;
		if (on) {
			WRITE_ONCE(remote->dumped, false);
			ring_buffer_remote_record_on(remote_buffer(remote));
		} else {
			remote_stop(remote);
		}
	}
	remote_try_unload(remote);
	return ret;
}

/* Not between a reader's peek at an event and its consumption */
static int remote_reset_cpu(struct trace_remote *remote, int cpu)
{
	int ret;

	trace_access_lock(cpu);
	ret = ring_buffer_remote_reset_cpu(remote_buffer(remote), cpu);
	trace_access_unlock(cpu);
	return ret;
}

static int remote_reset_all(struct trace_remote *remote)
{
	int cpu, ret = 0;

	for_each_cpu(cpu, ring_buffer_remote_cpus(remote_buffer(remote)))
		ret = remote_reset_cpu(remote, cpu) ?: ret;
	return ret;
}

int remote_reset(struct trace_remote *remote, int cpu)
{
	int ret = 0;

	lockdep_assert_held(&remote->lock);
	if (!remote_buffer(remote))
		return 0;
	/* Nothing of what is kept for the next boot is dropped any more */
	if (remote->left)
		return -ESHUTDOWN;

	if (cpu == RING_BUFFER_ALL_CPUS)
		ret = remote_reset_all(remote);
	else if (remote_has_cpu(remote, cpu))
		ret = remote_reset_cpu(remote, cpu);
	remote_try_unload(remote);
	return ret;
}

/* Timestamps of two clocks must not mix in one buffer, so the older events are dropped */
static int remote_change_clock(struct trace_remote *remote, const struct trace_remote_clock *clock)
{
	const struct trace_remote_desc *desc = remote->desc;
	int ret = desc->ops->set_clock(clock - desc->clocks, desc->priv);

	if (ret)
		return ret;

	if (remote_buffer(remote)) {
		ret = remote_reset_all(remote);
		if (ret) {
			desc->ops->set_clock(remote->clock - desc->clocks, desc->priv);
			return ret;
		}
		ring_buffer_set_clock(remote_buffer(remote), clock->now);
	}
	remote->clock = clock;
	/* What is left of an unloaded buffer keeps its own */
	if (remote_buffer(remote))
		remote_memory_clock(remote);
	return 0;
}

int remote_set_clock(struct trace_remote *remote, const struct trace_remote_clock *clock)
{
	const struct trace_remote_desc *desc = remote->desc;
	bool on = remote->on;
	int ret, err;

	lockdep_assert_held(&remote->lock);
	if (clock == remote->clock)
		return 0;
	if (remote->left)
		return -ESHUTDOWN;

	ret = on ? desc->ops->enable(false, desc->priv) : 0;
	if (ret)
		return ret;
	ret = remote_change_clock(remote, clock);
	if (!on)
		return ret;

	err = desc->ops->enable(true, desc->priv);
	if (err) {
		remote->on = false;
		remote_stop(remote);
		remote_try_unload(remote);
	}
	return ret ?: err;
}

int remote_set_size(struct trace_remote *remote, unsigned long kb)
{
	unsigned long max = (RB_WRITER_MAX_SUBBUFS - 1) * (PAGE_SIZE - sizeof(struct rb_page));

	lockdep_assert_held(&remote->lock);
	/* It follows from the memory that there is */
	if (remote_is_last(remote) || remote->memory)
		return -EPERM;
	if (!kb || kb > max >> 10)
		return -EINVAL;
	if (remote_buffer(remote))
		return -EBUSY;
	remote->size_kb = kb;
	return 0;
}

static int remote_init_tr(struct trace_remote *remote)
{
	const struct trace_remote_desc *desc = remote->desc;
	struct trace_array *tr = &remote->tr;

	tr->name = (char *)desc->name;
	tr->flags = TRACE_ARRAY_FL_REMOTE;
	tr->trace_flags = TRACE_REMOTE_FLAGS;
	tr->current_trace = &remote_tracer;
	tr->buffer_percent = 50;
	tr->ring_buffer_expanded = true;
	tr->ref = 1;
	raw_spin_lock_init(&tr->start_lock);
	INIT_LIST_HEAD(&tr->systems);
	INIT_LIST_HEAD(&tr->events);
	INIT_LIST_HEAD(&tr->hist_vars);
	INIT_LIST_HEAD(&tr->err_log);
	ftrace_init_trace_array(tr);

	tr->array_buffer.tr = tr;
	tr->array_buffer.data = alloc_percpu(struct trace_array_cpu);
	if (!tr->array_buffer.data || !zalloc_cpumask_var(&tr->pipe_cpumask, GFP_KERNEL))
		return -ENOMEM;
	return 0;
}

static void remote_free(struct trace_remote *remote)
{
	remote_free_functions(remote);
	remote_memory_free(remote);
	free_cpumask_var(remote->tr.pipe_cpumask);
	free_percpu(remote->tr.array_buffer.data);
	kfree(remote);
}

static struct trace_remote *remote_alloc(const struct trace_remote_desc *desc)
{
	struct trace_remote *remote;

	remote = kzalloc(sizeof(*remote), GFP_KERNEL);
	if (!remote)
		return NULL;

	remote->desc = desc;
	remote->rb.ops = &desc->ops->rb;
	remote->rb.priv = desc->priv;
	remote->size_kb = DEFAULT_SIZE_KB;
	remote->clock = desc->clocks;
	mutex_init(&remote->lock);
	INIT_DELAYED_WORK(&remote->unload_work, remote_unload_work);
	remote_init_dump(remote);
	if (remote_is_last(remote))
		remote_last_use_copy(remote);
	if (remote_init_tr(remote) || remote_init_functions(remote)) {
		remote_free(remote);
		return NULL;
	}
	return remote;
}

/* The first registration creates remotes/ */
static int remotes_make_dir(void)
{
	int ret = remotes_dir ? 0 : tracing_init_dentry();

	if (!ret && !remotes_dir)
		remotes_dir = tracefs_create_dir("remotes", NULL);
	return ret ?: remotes_dir ? 0 : -ENOMEM;
}

static int remote_add(struct trace_remote *remote)
{
	struct trace_array *tr = &remote->tr;
	int ret;

	ret = remotes_make_dir();
	if (ret)
		return ret;
	if (trace_array_find(tr->name))
		return -EEXIST;

	tr->dir = tracefs_create_dir(tr->name, remotes_dir);
	if (!tr->dir)
		return -ENOMEM;
	ret = remote_register_events(remote);
	if (!ret) {
		/* The events have their ids */
		ret = remote_is_last(remote) ? remote_last_read(remote) :
					       remote_memory_init(remote);
		if (ret)
			remote_unregister_events(remote);
	}
	if (ret) {
		tracefs_remove(tr->dir);
		return ret;
	}

	remote_create_files(remote);
	list_add(&tr->list, &ftrace_trace_arrays);
	list_add_rcu(&remote->list, &trace_remotes);
	return 0;
}

struct trace_remote *trace_remote_register(const struct trace_remote_desc *desc)
{
	struct trace_remote *remote = remote_alloc(desc);
	int ret;

	if (!remote)
		return ERR_PTR(-ENOMEM);

	scoped_guard(mutex, &event_mutex) {
		guard(mutex)(&trace_types_lock);
		ret = remote_add(remote);
	}
	if (ret) {
		remote_free(remote);
		return ERR_PTR(ret);
	}
	remote_show_last_boot(remote);
	remote_apply_params(remote);
	return remote;
}
EXPORT_SYMBOL_GPL(trace_remote_register);

void trace_remote_unregister(struct trace_remote *remote)
{
	struct trace_array *tr = &remote->tr;

	remote_hide_last_boot(remote);
	scoped_guard(mutex, &event_mutex) {
		guard(mutex)(&trace_types_lock);
		list_del(&tr->list);
		list_del_rcu(&remote->list);
		remote_unregister_events(remote);
		tracefs_remove(tr->dir);
	}
	remote_end_dump(remote);
	/* Nor does what looks for remotes at the end of a boot */
	synchronize_rcu();
	disable_delayed_work_sync(&remote->unload_work);

	mutex_lock(&remote->lock);
	remote_stop_functions(remote);
	remote_set_on(remote, false);
	/* Dumps do not know this remote any more */
	if (remote_buffer(remote))
		remote_give_back(remote, remote_buffer(remote));
	if (remote->held)
		remote_give_back(remote, remote->held);
	mutex_unlock(&remote->lock);

	clear_tracing_err_log(tr);
	remote_free(remote);
}
EXPORT_SYMBOL_GPL(trace_remote_unregister);

/*
 * The end of the kernel
 *
 * Programs go on while devices are shut down. So a remote whose writer is about to go is left: it
 * is not loaded, changed or unloaded any more, and its readers get no other sub-buffer.
 */

static int left_swap_reader(int cpu, u32 seen, void *priv)
{
	return -ESHUTDOWN;
}

static bool left_notify(int cpu, bool any, bool subbuf, void *priv)
{
	return false;
}

/* What resets a buffer has looked whether the remote was left */
static const struct ring_buffer_remote_ops left_ops = {
	.swap_reader	= left_swap_reader,
	.notify		= left_notify,
};

/* The pages of the buffer stay, as files may be open, but are no longer the writer's */
static int remote_leave(struct trace_remote *remote)
{
	const struct trace_remote_desc *desc = remote->desc;
	int ret = remote_set_on(remote, false);

	if (ret)
		return ret;
	remote->left = true;
	WRITE_ONCE(remote->rb.ops, &left_ops);
	/* Interrupts are off, or preemption, where these are called */
	synchronize_rcu();
	if (remote->counting)
		desc->ops->count(false, desc->priv);
	if (remote_buffer(remote))
		ret = desc->ops->unload(remote_buffer(remote), desc->priv);
	if (remote->held)
		ret = desc->ops->unload(remote->held, desc->priv) ?: ret;
	return ret;
}

/* One that is stuck must not keep the machine from going down */
static bool lock_within_a_second(struct mutex *lock)
{
	unsigned int ms;

	for (ms = 0; ms < MSEC_PER_SEC; ms++) {
		if (mutex_trylock(lock))
			return true;
		fsleep(USEC_PER_MSEC);
	}
	return false;
}

static void remote_leave_or_stop(struct trace_remote *remote)
{
	int ret = -EBUSY;

	if (lock_within_a_second(&remote->lock)) {
		ret = remote_leave(remote);
		mutex_unlock(&remote->lock);
	}
	if (!ret)
		return;
	pr_warn("%s: the writer still has its buffer at kexec: %d\n", remote->desc->name, ret);
	remote->desc->ops->stop(remote->desc->priv);
}

/* The kernel that kexec starts uses all memory */
static void remotes_leave(void)
{
	struct trace_remote *remote;

	if (!lock_within_a_second(&trace_types_lock)) {
		pr_warn("Writers of remotes still have their buffers at kexec\n");
		return;
	}
	list_for_each_entry(remote, &trace_remotes, list)
		remote_leave_or_stop(remote);
	mutex_unlock(&trace_types_lock);
}

/* What is kept for the next boot ends before the machine is shut down */
static void remotes_stop(void)
{
	struct trace_remote *remote;

	guard(rcu)();
	list_for_each_entry_rcu(remote, &trace_remotes, list) {
		if (remote->memory && READ_ONCE(remote->on))
			remote->desc->ops->stop(remote->desc->priv);
	}
}

static int remotes_reboot(struct notifier_block *nb, unsigned long action, void *data)
{
	if (kexec_in_progress)
		remotes_leave();
	else
		remotes_stop();
	return NOTIFY_DONE;
}

/* After all others */
static struct notifier_block remotes_reboot_block = {
	.notifier_call	= remotes_reboot,
	.priority	= INT_MIN,
};

static int __init remotes_watch_reboot(void)
{
	return register_reboot_notifier(&remotes_reboot_block);
}
core_initcall(remotes_watch_reboot);

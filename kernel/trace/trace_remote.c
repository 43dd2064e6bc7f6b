// SPDX-License-Identifier: GPL-2.0
/*
 * Trace remotes: the tracefs front end of ring buffers with a remote writer.
 *
 * The raw files are those of trace.c, on a trace_array that is in no list. This
 * file adds what differs: the life cycle of the buffer, the text, and events that
 * are not trace_event_calls.
 *
 * Life cycle of the buffer
 *	UNLOADED => LOADED	first tracing_on, or a consuming reader opens
 *	LOADED => UNLOADED	tracing is off, no file that reads is open, and
 *				nothing is left to read
 *
 * If the writer fails to give its pages back, they are kept, and it is asked again
 * before the next load: memory that it may still write to is never freed.
 *
 * At an oops or a panic no lock can be taken. The dump then looks at the remotes in the
 * list and at their buffers. So these are first hidden from it. A dump may take long, or
 * never end: a buffer is not unloaded before it has ended, but nobody waits for that. Only
 * the removal of a remote does wait, in remote_wait_for_dump().
 *
 * Locks: that of an open file (pipe_reader::lock, or seq_file's), remotes_mutex or
 * trace_remote::lock, trace_access_lock(), then those of the ring buffer. A file that reads
 * is counted in nr_readers from open to release (for a mapping, that is the last munmap), so
 * that its buffer stays loaded.
 */
#include <linux/cleanup.h>
#include <linux/delay.h>
#include <linux/glob.h>
#include <linux/irq_work.h>
#include <linux/kdebug.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/oom.h>
#include <linux/panic_notifier.h>
#include <linux/rculist.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/string.h>
#include <linux/trace_remote.h>
#include <linux/tracefs.h>
#include <linux/workqueue.h>
#include <linux/ring_buffer_writer.h>

#include "trace.h"
#include "trace_remote_dump.h"

/* The same as for an ordinary buffer */
#define DEFAULT_SIZE_KB		1408

/* What the files in per_cpu/cpuN, or those of all CPUs, belong to */
struct remote_cpu {
	struct trace_remote	*remote;
	int			cpu;
};

/* A group of events: those of one system, or all events if it has no name */
struct remote_system {
	struct trace_remote	*remote;
	const char		*name;
};

/* How many of the last refused filters error_log shows */
#define NR_ERRORS	8

struct remote_error {
	u64	ts;
	char	*expr;
	char	event[64];
	struct remote_filter_error why;
};

/**
 * struct trace_remote - a registered remote
 * @desc:	the description that it was registered with
 * @list:	in remotes
 * @rb:		the ring buffer's view of the writer
 * @tr:		for the raw files; its buffer is NULL while unloaded
 * @lock:	protects the following and the state of the events
 * @size_kb:	data of each CPU
 * @on:		tracing_on
 * @overwrite:	options/overwrite
 * @clock:	trace_clock
 * @held:	a buffer that the writer has not given back, or NULL
 * @nr_readers:	open files that read
 * @mappings:	mappings of its buffer, also those that are just being made; -1 while there
 *		must be none. Without @lock, which must not be taken under mmap_lock
 * @errors:	filters that were refused; the next one goes to @nr_errors % NR_ERRORS
 * @nr_errors:	number of filters refused since error_log was cleared
 * @dumped:	its last events have been printed, and there are no new ones
 * @off_irq:	queues @off_work, which an oops cannot do itself
 * @off_work:	switches tracing off after an oops
 * @unload_work: unloads the buffer, which was not possible during a dump
 * @dir:	remotes/<name>
 * @all_events:	the events
 * @systems:	the same by system: the remote's own, and ftrace if it has messages
 * @all:	the files of all CPUs
 * @cpus:	the files of each CPU
 */
struct trace_remote {
	const struct trace_remote_desc	*desc;
	struct list_head		list;
	struct ring_buffer_remote	rb;
	struct trace_array		tr;
	struct mutex			lock;	/* of what follows */
	unsigned long			size_kb;
	bool				on;
	bool				overwrite;
	const struct trace_remote_clock	*clock;
	struct trace_buffer		*held;
	unsigned int			nr_readers;
	atomic_t			mappings;
	struct remote_error		errors[NR_ERRORS];
	unsigned int			nr_errors;
	bool				dumped;
	struct irq_work			off_irq;
	struct work_struct		off_work;
	struct delayed_work		unload_work;
	struct dentry			*dir;
	struct remote_system		all_events;
	struct remote_system		systems[2];
	struct remote_cpu		all;
	struct remote_cpu		cpus[];
};

static DEFINE_MUTEX(remotes_mutex);
static LIST_HEAD(remotes);
static struct dentry *remotes_dir;

static struct trace_buffer *remote_buffer(struct trace_remote *remote)
{
	return remote->tr.array_buffer.buffer;
}

/* Has the CPU a buffer? */
static bool remote_has_cpu(struct trace_remote *remote, int cpu)
{
	struct trace_buffer *buffer = remote_buffer(remote);

	return buffer && cpumask_test_cpu(cpu, ring_buffer_remote_cpus(buffer));
}

/* Is @data, from an inode, the remote or a part of it? */
static bool remote_has(struct trace_remote *remote, const void *data)
{
	unsigned int i;
	int cpu;

	if (data == remote || data == &remote->all || data == &remote->all_events)
		return true;
	for (i = 0; i < ARRAY_SIZE(remote->systems); i++) {
		if (data == &remote->systems[i])
			return true;
	}
	for_each_possible_cpu(cpu) {
		if (data == &remote->cpus[cpu])
			return true;
	}
	for (i = 0; i < remote->desc->nr_events; i++) {
		if (data == &remote->desc->events[i])
			return true;
	}
	return false;
}

/*
 * Every open file pins the module whose functions it may call. A file may be opened
 * while its remote is removed, so @data is not dereferenced before it is found.
 */
static int remote_get(const void *data)
{
	struct trace_remote *remote;
	int ret = tracing_check_open_get_tr(NULL);

	if (ret)
		return ret;

	guard(mutex)(&remotes_mutex);
	list_for_each_entry(remote, &remotes, list) {
		if (remote_has(remote, data))
			return try_module_get(remote->desc->owner) ? 0 : -ENODEV;
	}
	return -ENODEV;
}

static void remote_put(struct trace_remote *remote)
{
	module_put(remote->desc->owner);
}

/*
 * The CPU that prints events, plus one, or 0: only one CPU does so at a time. The others
 * do not wait but leave it to that one.
 */
static atomic_t dump_cpu;

/* If not, no dump looks at what was just hidden from dumps */
static bool dump_may_look(void)
{
	smp_mb(); /* Pairs with the exchange in dump_remotes() */
	return atomic_read_acquire(&dump_cpu);
}

static void remote_wait_for_dump(void)
{
	while (dump_may_look())
		fsleep(USEC_PER_MSEC);
}

/*
 * The lock of a remote, for calls of users. Another one may hold it for as long as a load
 * takes, so SIGKILL ends the wait: then the variable is NULL.
 */
DEFINE_CLASS(remote_lock, struct trace_remote *, if (_T) mutex_unlock(&_T->lock),
	     mutex_lock_killable(&remote->lock) ? NULL : remote, struct trace_remote *remote)

/*
 * Life cycle of the buffer
 */

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

static int remote_load(struct trace_remote *remote)
{
	const struct trace_remote_desc *desc = remote->desc;
	struct trace_buffer *buffer;
	int ret;

	lockdep_assert_held(&remote->lock);
	if (remote_buffer(remote))
		return 0;
	ret = remote->held ? remote_give_back(remote, remote->held) : 0;
	if (ret)
		return ret;

	buffer = ring_buffer_alloc_remote(remote->size_kb << 10, &remote->rb);
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

	ring_buffer_record_off(buffer);
	ring_buffer_set_clock(buffer, remote->clock->now);
	/* Complete, for remote_oops(), which reads it without a lock */
	smp_store_release(&remote->tr.array_buffer.buffer, buffer);
	return 0;
}

/* Not while a dump may look at the buffer: then it is tried again later */
static void remote_unload(struct trace_remote *remote)
{
	struct trace_buffer *buffer = remote_buffer(remote);

	WRITE_ONCE(remote->tr.array_buffer.buffer, NULL);
	if (dump_may_look()) {
		/* As in remote_load() */
		smp_store_release(&remote->tr.array_buffer.buffer, buffer);
		schedule_delayed_work(&remote->unload_work, HZ);
		return;
	}
	remote_give_back(remote, buffer);
}

static void remote_try_unload(struct trace_remote *remote)
{
	lockdep_assert_held(&remote->lock);
	if (!remote_buffer(remote) || remote->on || remote->nr_readers)
		return;
	if (ring_buffer_empty(remote_buffer(remote)))
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

static int remote_set_on(struct trace_remote *remote, bool on)
{
	const struct trace_remote_desc *desc = remote->desc;
	int ret;

	lockdep_assert_held(&remote->lock);
	if (on == remote->on)
		return 0;

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

static int remote_reset(struct trace_remote *remote, int cpu)
{
	int ret = 0;

	lockdep_assert_held(&remote->lock);
	if (!remote_buffer(remote))
		return 0;

	if (cpu == RING_BUFFER_ALL_CPUS)
		ret = remote_reset_all(remote);
	else if (remote_has_cpu(remote, cpu))
		ret = remote_reset_cpu(remote, cpu);
	remote_try_unload(remote);
	return ret;
}

/*
 * From now on, until remote_allow_mappings(), the buffer is not mapped into user space;
 * false if it is. A mapping that is tried meanwhile fails: it cannot wait, since what is
 * done meanwhile takes the CPU hotplug lock, which others hold while they wait for
 * mmap_lock.
 */
static bool remote_forbid_mappings(struct trace_remote *remote)
{
	lockdep_assert_held(&remote->lock);
	return atomic_cmpxchg(&remote->mappings, 0, -1) == 0;
}

static void remote_allow_mappings(struct trace_remote *remote)
{
	atomic_set_release(&remote->mappings, 0);
}

/* Open a file that consumes events; the buffer stays loaded while it is open */
static int remote_reader_get(struct remote_cpu *file)
{
	struct trace_remote *remote;
	int ret = remote_get(file);

	if (ret)
		return ret;

	remote = file->remote;
	ret = mutex_lock_killable(&remote->lock);
	if (ret)
		goto put;
	ret = remote_load(remote);
	if (!ret)
		remote->nr_readers++;
	mutex_unlock(&remote->lock);
put:
	if (ret)
		remote_put(remote);
	return ret;
}

static void remote_reader_put(struct trace_remote *remote)
{
	mutex_lock(&remote->lock);
	remote->nr_readers--;
	remote_try_unload(remote);
	mutex_unlock(&remote->lock);
	remote_put(remote);
}

/*
 * Files of the remote as a whole; i_private is the remote
 */

static int remote_open(struct inode *inode, struct file *filp)
{
	struct trace_remote *remote = inode->i_private;
	int ret = remote_get(remote);

	filp->private_data = remote;
	return ret;
}

static int remote_release(struct inode *inode, struct file *filp)
{
	remote_put(inode->i_private);
	return 0;
}

#define REMOTE_FOPS(name, ...)						\
	static const struct file_operations name##_fops = {		\
		.open		= remote_open,				\
		.release	= remote_release,			\
		.llseek		= generic_file_llseek,			\
		__VA_ARGS__						\
	}

static ssize_t tracing_on_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_remote *remote = filp->private_data;
	char buf[] = { READ_ONCE(remote->on) ? '1' : '0', '\n' };

	return simple_read_from_buffer(ubuf, cnt, ppos, buf, sizeof(buf));
}

static ssize_t tracing_on_write(struct file *filp, const char __user *ubuf, size_t cnt,
				loff_t *ppos)
{
	struct trace_remote *remote = filp->private_data;
	unsigned long val;
	int ret = kstrtoul_from_user(ubuf, cnt, 10, &val);

	if (ret)
		return ret;
	if (val > 1)
		return -EINVAL;

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	ret = remote_set_on(remote, val);
	return ret ?: cnt;
}

REMOTE_FOPS(tracing_on, .read = tracing_on_read, .write = tracing_on_write);

static ssize_t buffer_size_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_remote *remote = filp->private_data;
	char buf[64];
	int len;

	if (mutex_lock_killable(&remote->lock))
		return -EINTR;
	len = scnprintf(buf, sizeof(buf), "%lu (%s)\n", remote->size_kb,
			remote_buffer(remote) ? "loaded" : "unloaded");
	mutex_unlock(&remote->lock);

	return simple_read_from_buffer(ubuf, cnt, ppos, buf, len);
}

static ssize_t buffer_size_write(struct file *filp, const char __user *ubuf, size_t cnt,
				 loff_t *ppos)
{
	struct trace_remote *remote = filp->private_data;
	unsigned long max = (RB_WRITER_MAX_SUBBUFS - 1) * (PAGE_SIZE - sizeof(struct rb_page));
	unsigned long kb;
	int ret = kstrtoul_from_user(ubuf, cnt, 10, &kb);

	if (ret)
		return ret;
	if (!kb || kb > max >> 10)
		return -EINVAL;

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	if (remote_buffer(remote))
		return -EBUSY;
	remote->size_kb = kb;
	return cnt;
}

REMOTE_FOPS(buffer_size, .read = buffer_size_read, .write = buffer_size_write);

static ssize_t overwrite_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_remote *remote = filp->private_data;
	char buf[] = { READ_ONCE(remote->overwrite) ? '1' : '0', '\n' };

	return simple_read_from_buffer(ubuf, cnt, ppos, buf, sizeof(buf));
}

static ssize_t overwrite_write(struct file *filp, const char __user *ubuf, size_t cnt,
			       loff_t *ppos)
{
	struct trace_remote *remote = filp->private_data;
	unsigned long val;
	int ret = kstrtoul_from_user(ubuf, cnt, 10, &val);

	if (ret)
		return ret;
	if (val > 1)
		return -EINVAL;

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	ret = remote->desc->ops->overwrite(val, remote->desc->priv);
	if (ret)
		return ret;
	remote->overwrite = val;
	return cnt;
}

REMOTE_FOPS(overwrite, .read = overwrite_read, .write = overwrite_write);

static ssize_t buffer_percent_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_remote *remote = filp->private_data;
	char buf[16];
	int len = scnprintf(buf, sizeof(buf), "%d\n", READ_ONCE(remote->tr.buffer_percent));

	return simple_read_from_buffer(ubuf, cnt, ppos, buf, len);
}

static ssize_t buffer_percent_write(struct file *filp, const char __user *ubuf, size_t cnt,
				    loff_t *ppos)
{
	struct trace_remote *remote = filp->private_data;
	unsigned long val;
	int ret = kstrtoul_from_user(ubuf, cnt, 10, &val);

	if (ret)
		return ret;
	if (val > 100)
		return -EINVAL;

	WRITE_ONCE(remote->tr.buffer_percent, val);
	return cnt;
}

REMOTE_FOPS(buffer_percent, .read = buffer_percent_read, .write = buffer_percent_write);

/* Files that show a text with seq_file; some can be written, too */
static int remote_single_open(struct inode *inode, struct file *filp,
			      int (*show)(struct seq_file *m, void *v))
{
	struct trace_remote *remote = inode->i_private;
	int ret = remote_get(remote);

	if (ret)
		return ret;
	ret = single_open(filp, show, remote);
	if (ret)
		remote_put(remote);
	return ret;
}

static int remote_single_release(struct inode *inode, struct file *filp)
{
	remote_put(inode->i_private);
	return single_release(inode, filp);
}

static int trace_clock_show(struct seq_file *m, void *v)
{
	struct trace_remote *remote = m->private;
	const struct trace_remote_clock *clock;

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	for (clock = remote->desc->clocks; clock->name; clock++)
		seq_printf(m, clock == remote->clock ? "%s[%s]" : "%s%s",
			   clock == remote->desc->clocks ? "" : " ", clock->name);
	seq_putc(m, '\n');
	return 0;
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
	return 0;
}

static int remote_switch_clock(struct trace_remote *remote,
			       const struct trace_remote_clock *clock)
{
	const struct trace_remote_desc *desc = remote->desc;
	bool on = remote->on;
	int ret, err;

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

static int remote_set_clock(struct trace_remote *remote, const struct trace_remote_clock *clock)
{
	int ret;

	lockdep_assert_held(&remote->lock);
	if (clock == remote->clock)
		return 0;
	if (!remote_forbid_mappings(remote))
		return -EBUSY;

	ret = remote_switch_clock(remote, clock);
	remote_allow_mappings(remote);
	return ret;
}

static ssize_t trace_clock_write(struct file *filp, const char __user *ubuf, size_t cnt,
				 loff_t *ppos)
{
	struct trace_remote *remote = ((struct seq_file *)filp->private_data)->private;
	const struct trace_remote_clock *clock;
	char buf[32], *name;
	int ret;

	if (cnt >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, ubuf, cnt))
		return -EFAULT;
	buf[cnt] = '\0';
	name = strstrip(buf);

	for (clock = remote->desc->clocks; clock->name; clock++) {
		if (strcmp(clock->name, name))
			continue;
		CLASS(remote_lock, locked)(remote);
		if (!locked)
			return -EINTR;
		ret = remote_set_clock(remote, clock);
		return ret ?: cnt;
	}
	return -EINVAL;
}

static int trace_clock_open(struct inode *inode, struct file *filp)
{
	return remote_single_open(inode, filp, trace_clock_show);
}

static const struct file_operations trace_clock_fops = {
	.open		= trace_clock_open,
	.read		= seq_read,
	.write		= trace_clock_write,
	.llseek		= seq_lseek,
	.release	= remote_single_release,
};

/* A write asks to free the buffer, which happens when the file is closed */
static ssize_t free_buffer_write(struct file *filp, const char __user *ubuf, size_t cnt,
				 loff_t *ppos)
{
	struct trace_remote *remote = filp->private_data;

	return atomic_read(&remote->mappings) > 0 ? -EBUSY : cnt;
}

static int free_buffer_release(struct inode *inode, struct file *filp)
{
	struct trace_remote *remote = inode->i_private;

	mutex_lock(&remote->lock);
	if (remote_forbid_mappings(remote)) {
		remote_set_on(remote, false);
		remote_reset(remote, RING_BUFFER_ALL_CPUS);
		remote_allow_mappings(remote);
	}
	mutex_unlock(&remote->lock);
	remote_put(remote);
	return 0;
}

static const struct file_operations free_buffer_fops = {
	.open		= remote_open,
	.write		= free_buffer_write,
	.release	= free_buffer_release,
};

static ssize_t write_event_write(struct file *filp, const char __user *ubuf, size_t cnt,
				 loff_t *ppos)
{
	struct trace_remote *remote = filp->private_data;
	u64 id;
	int ret = kstrtou64_from_user(ubuf, cnt, 0, &id);

	if (!ret)
		ret = remote->desc->ops->write_selftest(id, remote->desc->priv);
	return ret ?: cnt;
}

REMOTE_FOPS(write_event, .write = write_event_write);

/*
 * The text of events
 */

const char *trace_remote_sym(const struct trace_remote_symtab *symtab, u64 val, char *buf)
{
	unsigned int i;

	for (i = 0; i < symtab->nr; i++) {
		if (symtab->syms[i].mask == val)
			return symtab->syms[i].name;
	}
	snprintf(buf, TRACE_REMOTE_SYM_LEN, "0x%llx", val);
	return buf;
}
EXPORT_SYMBOL_GPL(trace_remote_sym);

const struct trace_remote_field trace_remote_printk_fields[] = {
	{ .type = "unsigned long", .name = "ip", .size = sizeof(u64) },
	{ .type = "const char *", .name = "fmt", .size = sizeof(u64) },
	{ .type = "u32", .name = "buf[]" },
	{}
};
EXPORT_SYMBOL_GPL(trace_remote_printk_fields);

/* The address in a record is only compared with those of known formats */
void trace_remote_printk_print(struct trace_seq *s, const void *data)
{
	const struct remote_printk *rec = data;
	const char *fmt = (const char *)(unsigned long)rec->fmt;

	trace_seq_printf(s, "%ps: ", (void *)(unsigned long)rec->ip);
	if (trace_is_tracepoint_string(fmt))
		trace_seq_bprintf(s, fmt, rec->words);
	else
		trace_seq_printf(s, "unknown format 0x%llx", rec->fmt);
}
EXPORT_SYMBOL_GPL(trace_remote_printk_print);

static bool is_printk(const struct trace_remote_event *event)
{
	return event->print == trace_remote_printk_print;
}

static enum print_line_t remote_event_trace(struct trace_iterator *iter, int flags,
					    struct trace_event *te)
{
	struct trace_remote_event *event = container_of(te, struct trace_remote_event, te);

	trace_seq_printf(&iter->seq, "%s: ", event->name);
	event->print(&iter->seq, iter->ent);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions remote_event_functions = {
	.trace	= remote_event_trace,
};

static void remote_event_trace_init(struct trace_remote_event *event)
{
	event->te.funcs = &remote_event_functions;
}

static struct trace_remote_event *remote_find_event(struct trace_remote *remote, u16 id)
{
	unsigned int i;

	for (i = 0; i < remote->desc->nr_events; i++) {
		if (remote->desc->events[i].te.type == id)
			return &remote->desc->events[i];
	}
	return NULL;
}

static void print_stamp(struct trace_remote *remote, struct trace_seq *s, u64 ts)
{
	u64 usec = ns2usecs(ts);
	unsigned long rem;

	if (!remote->clock->in_ns) {
		trace_seq_printf(s, "%llu", ts);
		return;
	}
	rem = do_div(usec, USEC_PER_SEC);
	trace_seq_printf(s, "%5llu.%06lu", usec, rem);
}

static void print_record(struct trace_remote *remote, struct trace_seq *s, int cpu, u64 ts,
			 const struct remote_rec *rec)
{
	struct trace_remote_event *event = remote_find_event(remote, rec->type);

	trace_seq_printf(s, "[%03d]\t", cpu);
	print_stamp(remote, s, ts);
	trace_seq_puts(s, ": ");
	if (event) {
		trace_seq_printf(s, "%s ", event->name);
		event->print(s, rec);
	} else {
		trace_seq_printf(s, "unknown event %u", rec->type);
	}
	trace_seq_putc(s, '\n');
}

/* Stands for an event whose text is longer than a trace_seq */
#define LINE_TOO_BIG	"[LINE TOO BIG]\n"

/* For each CPU with a buffer that a file covers: @file_cpu, or all of them */
#define for_each_file_cpu(cpu, buffer, file_cpu)			\
	for_each_cpu(cpu, ring_buffer_remote_cpus(buffer))		\
		if ((file_cpu) == RING_BUFFER_ALL_CPUS || (file_cpu) == (cpu))

/*
 * trace: reads without consuming, merged by time
 */

/**
 * struct trace_reader - an open file
 * @file:	which file
 * @buffer:	the buffer
 * @seq:	text of the current event
 * @pos:	its position in the file
 * @cpu:	its CPU, -1 at the end
 * @ts:		its time
 * @lost:	events were lost before it
 * @event:	the event, in a copy that the iterator of its CPU has
 * @iters:	an iterator for each CPU that the file covers
 */
struct trace_reader {
	struct remote_cpu		*file;
	struct trace_buffer		*buffer;
	struct trace_seq		seq;
	loff_t				pos;
	int				cpu;
	u64				ts;
	bool				lost;
	struct ring_buffer_event	*event;
	struct ring_buffer_iter		*iters[];
};

/* The oldest event becomes the current one, until the next call */
static void trace_reader_find(struct trace_reader *reader)
{
	struct ring_buffer_event *event;
	int cpu;
	u64 ts;

	reader->cpu = -1;
	for_each_file_cpu(cpu, reader->buffer, reader->file->cpu) {
		event = ring_buffer_iter_peek(reader->iters[cpu], &ts);
		if (event && (reader->cpu < 0 || ts < reader->ts)) {
			reader->cpu = cpu;
			reader->ts = ts;
			reader->event = event;
		}
	}
	if (reader->cpu >= 0)
		reader->lost = ring_buffer_iter_dropped(reader->iters[reader->cpu]);
}

static void *trace_start(struct seq_file *m, loff_t *pos)
{
	struct trace_reader *reader = m->private;
	int cpu;

	if (!reader)
		return NULL;

	trace_access_lock(reader->file->cpu);
	if (!*pos) {
		for_each_file_cpu(cpu, reader->buffer, reader->file->cpu)
			ring_buffer_iter_reset(reader->iters[cpu]);
		reader->pos = 0;
		trace_reader_find(reader);
	}
	return *pos == reader->pos && reader->cpu >= 0 ? reader : NULL;
}

static void *trace_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct trace_reader *reader = v;

	ring_buffer_iter_advance(reader->iters[reader->cpu]);
	trace_reader_find(reader);
	reader->pos = ++*pos;
	return reader->cpu >= 0 ? reader : NULL;
}

static void trace_stop(struct seq_file *m, void *v)
{
	struct trace_reader *reader = m->private;

	if (reader)
		trace_access_unlock(reader->file->cpu);
}

static int trace_show(struct seq_file *m, void *v)
{
	struct trace_reader *reader = v;
	struct trace_seq *s = &reader->seq;

	if (reader->lost)
		seq_printf(m, "CPU:%d [LOST EVENTS]\n", reader->cpu);
	trace_seq_init(s);
	print_record(reader->file->remote, s, reader->cpu, reader->ts,
		     ring_buffer_event_data(reader->event));
	if (trace_seq_has_overflowed(s)) {
		trace_seq_init(s);
		trace_seq_puts(s, LINE_TOO_BIG);
	}
	/* If it does not fit, seq_file calls again, with more room */
	trace_print_seq(m, s);
	return 0;
}

static const struct seq_operations trace_seq_ops = {
	.start	= trace_start,
	.next	= trace_next,
	.stop	= trace_stop,
	.show	= trace_show,
};

static void trace_reader_free(struct trace_reader *reader)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (reader->iters[cpu])
			ring_buffer_read_finish(reader->iters[cpu]);
	}
	kfree(reader);
}

static struct trace_reader *trace_reader_alloc(struct remote_cpu *file)
{
	struct trace_buffer *buffer = remote_buffer(file->remote);
	struct trace_reader *reader;
	int cpu;

	reader = kzalloc(struct_size(reader, iters, nr_cpu_ids), GFP_KERNEL);
	if (!reader)
		return NULL;

	reader->file = file;
	reader->buffer = buffer;
	for_each_file_cpu(cpu, buffer, file->cpu) {
		reader->iters[cpu] = ring_buffer_read_start(buffer, cpu, GFP_KERNEL);
		if (!reader->iters[cpu]) {
			trace_reader_free(reader);
			return NULL;
		}
	}
	return reader;
}

/* While unloaded, there is nothing to show and no need for a buffer: no reader then */
static int trace_open_reader(struct remote_cpu *file, struct file *filp)
{
	struct trace_remote *remote = file->remote;
	struct trace_reader *reader = NULL;
	int ret;

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	if (remote_buffer(remote)) {
		reader = trace_reader_alloc(file);
		if (!reader)
			return -ENOMEM;
	}

	ret = seq_open(filp, &trace_seq_ops);
	if (ret) {
		if (reader)
			trace_reader_free(reader);
		return ret;
	}

	((struct seq_file *)filp->private_data)->private = reader;
	if (reader)
		remote->nr_readers++;
	return 0;
}

static int trace_truncate(struct remote_cpu *file)
{
	CLASS(remote_lock, locked)(file->remote);
	if (!locked)
		return -EINTR;
	return remote_reset(file->remote, file->cpu);
}

static int trace_open(struct inode *inode, struct file *filp)
{
	struct remote_cpu *file = inode->i_private;
	struct trace_remote *remote;
	int ret = remote_get(file);

	if (ret)
		return ret;

	remote = file->remote;
	if ((filp->f_mode & FMODE_WRITE) && (filp->f_flags & O_TRUNC))
		ret = trace_truncate(file);
	if (!ret && (filp->f_mode & FMODE_READ))
		ret = trace_open_reader(file, filp);
	if (ret)
		remote_put(remote);
	return ret;
}

static int trace_release(struct inode *inode, struct file *filp)
{
	struct remote_cpu *file = inode->i_private;
	struct trace_reader *reader = NULL;

	if (filp->f_mode & FMODE_READ) {
		reader = ((struct seq_file *)filp->private_data)->private;
		if (reader)
			trace_reader_free(reader);
		seq_release(inode, filp);
	}

	if (reader)
		remote_reader_put(file->remote);
	else
		remote_put(file->remote);
	return 0;
}

static ssize_t trace_write(struct file *filp, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return cnt;
}

static const struct file_operations trace_fops = {
	.open		= trace_open,
	.read		= seq_read,
	.read_iter	= seq_read_iter,
	.splice_read	= copy_splice_read,
	.write		= trace_write,
	.llseek		= tracing_lseek,
	.release	= trace_release,
};

/*
 * trace_pipe: consumes, merged by time as far as events have been written
 */

struct pipe_reader {
	struct remote_cpu	*file;
	struct mutex		lock;	/* of what follows */
	struct trace_seq	seq;
};

static int trace_pipe_open(struct inode *inode, struct file *filp)
{
	struct remote_cpu *file = inode->i_private;
	struct pipe_reader *reader;
	int ret;

	reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	if (!reader)
		return -ENOMEM;

	ret = remote_reader_get(file);
	if (ret) {
		kfree(reader);
		return ret;
	}

	reader->file = file;
	mutex_init(&reader->lock);
	trace_seq_init(&reader->seq);
	filp->private_data = reader;
	return nonseekable_open(inode, filp);
}

static int trace_pipe_release(struct inode *inode, struct file *filp)
{
	struct pipe_reader *reader = filp->private_data;

	remote_reader_put(reader->file->remote);
	mutex_destroy(&reader->lock);
	kfree(reader);
	return 0;
}

/* The CPU of the oldest event; -EAGAIN if there is none, or the writer's errno */
static int pipe_oldest(struct trace_buffer *buffer, int file_cpu)
{
	int cpu, ret, oldest = -EAGAIN;
	u64 ts, oldest_ts = 0;

	for_each_file_cpu(cpu, buffer, file_cpu) {
		if (!ring_buffer_peek(buffer, cpu, &ts, NULL)) {
			ret = ring_buffer_remote_error(buffer, cpu);
			if (ret)
				return ret;
			continue;
		}
		if (oldest < 0 || ts < oldest_ts) {
			oldest = cpu;
			oldest_ts = ts;
		}
	}
	return oldest;
}

/* Add the text of an event; false if there is no room */
static bool pipe_print(struct pipe_reader *reader, int cpu, u64 ts, unsigned long lost,
		       const struct remote_rec *rec)
{
	struct trace_seq *s = &reader->seq;
	size_t len = trace_seq_used(s);

	if (lost)
		trace_seq_printf(s, "CPU:%d [LOST %lu EVENTS]\n", cpu, lost);
	if (rec)
		print_record(reader->file->remote, s, cpu, ts, rec);
	else
		trace_seq_puts(s, LINE_TOO_BIG);
	if (!trace_seq_has_overflowed(s))
		return true;

	s->full = 0;
	s->seq.len = len;
	return false;
}

/* Move one event into the text. 0, or why not: -ENOSPC, -EAGAIN or the writer's errno */
static int pipe_take_one(struct pipe_reader *reader)
{
	struct trace_buffer *buffer = remote_buffer(reader->file->remote);
	struct ring_buffer_event *event;
	unsigned long lost = 0;
	int cpu;
	u64 ts;

	cpu = pipe_oldest(buffer, reader->file->cpu);
	if (cpu < 0)
		return cpu;
	event = ring_buffer_peek(buffer, cpu, &ts, &lost);
	if (!event)
		return ring_buffer_remote_error(buffer, cpu) ?: -EAGAIN;

	if (!pipe_print(reader, cpu, ts, lost, ring_buffer_event_data(event))) {
		if (trace_seq_used(&reader->seq))
			return -ENOSPC;
		pipe_print(reader, cpu, ts, lost, NULL);
	}

	ring_buffer_consume(buffer, cpu, NULL, NULL);
	return 0;
}

/* Fill the text. 0 if there is any now, -EAGAIN if there is no event, or the writer's errno */
static int pipe_fill(struct pipe_reader *reader)
{
	int ret;

	trace_seq_init(&reader->seq);
	trace_access_lock(reader->file->cpu);
	do {
		ret = pipe_take_one(reader);
	} while (!ret);
	trace_access_unlock(reader->file->cpu);
	/* An error after some text is met again by the next call, if it lasts */
	return trace_seq_used(&reader->seq) ? 0 : ret;
}

/*
 * Wait for text: 0 or an errno. Also while tracing is off: unlike an ordinary trace_pipe,
 * the file does not end then, so that a reader can be there before tracing starts again.
 */
static int pipe_wait(struct pipe_reader *reader, struct file *filp)
{
	struct trace_buffer *buffer = remote_buffer(reader->file->remote);
	int ret;

	for (;;) {
		/* Another reader of this file (io_uring) may leave text while we wait */
		if (reader->seq.readpos < trace_seq_used(&reader->seq))
			return 0;
		ret = pipe_fill(reader);
		if (ret != -EAGAIN || (filp->f_flags & O_NONBLOCK))
			return ret;

		mutex_unlock(&reader->lock);
		ret = ring_buffer_wait(buffer, reader->file->cpu, 0, NULL, NULL);
		mutex_lock(&reader->lock);
		if (ret)
			return ret;
	}
}

static ssize_t trace_pipe_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct pipe_reader *reader = filp->private_data;
	int ret;

	if (!cnt)
		return 0;

	guard(mutex)(&reader->lock);
	ret = trace_seq_to_user(&reader->seq, ubuf, cnt);
	if (ret != -EBUSY)
		return ret;

	ret = pipe_wait(reader, filp);
	if (ret)
		return ret;
	return trace_seq_to_user(&reader->seq, ubuf, cnt);
}

static __poll_t trace_pipe_poll(struct file *filp, poll_table *table)
{
	struct pipe_reader *reader = filp->private_data;

	if (READ_ONCE(reader->seq.readpos) < trace_seq_used(&reader->seq))
		return EPOLLIN | EPOLLRDNORM;
	return ring_buffer_poll_wait(remote_buffer(reader->file->remote), reader->file->cpu,
				     filp, table, 0);
}

static const struct file_operations trace_pipe_fops = {
	.open		= trace_pipe_open,
	.read		= trace_pipe_read,
	.poll		= trace_pipe_poll,
	.release	= trace_pipe_release,
};

/*
 * trace_pipe_raw: that of trace.c, except that open and release count the reader, and
 * that mappings are counted for the remote, not as what forbids snapshots
 */

int trace_remote_raw_open(struct inode *inode, struct file *filp)
{
	struct remote_cpu *file = inode->i_private;
	struct trace_remote *remote;
	int ret = remote_reader_get(file);

	if (ret)
		return ret;

	remote = file->remote;
	mutex_lock(&trace_types_lock);
	remote->tr.ref++;
	mutex_unlock(&trace_types_lock);

	ret = tracing_buffers_open_tr(&remote->tr, file->cpu, inode, filp);
	if (ret)
		remote_reader_put(remote);
	return ret;
}

int trace_remote_raw_release(struct inode *inode, struct file *filp)
{
	struct remote_cpu *file = inode->i_private;
	int ret = tracing_buffers_fops.release(inode, filp);

	remote_reader_put(file->remote);
	return ret;
}

/* The mapping is copied by fork, after MADV_DOFORK, or moved by mremap */
static void trace_raw_vm_open(struct vm_area_struct *vma)
{
	struct remote_cpu *file = file_inode(vma->vm_file)->i_private;

	atomic_inc(&file->remote->mappings);
	ring_buffer_map_dup(remote_buffer(file->remote), file->cpu);
}

static void trace_raw_vm_close(struct vm_area_struct *vma)
{
	struct remote_cpu *file = file_inode(vma->vm_file)->i_private;

	WARN_ON(ring_buffer_unmap(remote_buffer(file->remote), file->cpu));
	atomic_dec(&file->remote->mappings);
}

/* Neither munmap nor mremap of a part, as for an ordinary buffer */
static int trace_raw_vm_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static const struct vm_operations_struct trace_raw_vm_ops = {
	.open		= trace_raw_vm_open,
	.close		= trace_raw_vm_close,
	.may_split	= trace_raw_vm_may_split,
};

int trace_remote_raw_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct remote_cpu *file = file_inode(filp)->i_private;
	int ret;

	if (!atomic_inc_unless_negative(&file->remote->mappings))
		return -EBUSY;

	ret = ring_buffer_map(remote_buffer(file->remote), file->cpu, vma);
	if (ret)
		atomic_dec(&file->remote->mappings);
	else
		vma->vm_ops = &trace_raw_vm_ops;
	return ret;
}

/*
 * stats
 */

/* Worded as trace.c's file */
static void show_stats(struct trace_remote *remote, struct trace_buffer *buffer, int cpu,
		       struct trace_seq *s)
{
	trace_seq_printf(s, "entries: %lu\n", ring_buffer_entries_cpu(buffer, cpu));
	trace_seq_printf(s, "overrun: %lu\n", ring_buffer_overrun_cpu(buffer, cpu));
	trace_seq_printf(s, "commit overrun: %lu\n", ring_buffer_commit_overrun_cpu(buffer, cpu));
	trace_seq_printf(s, "bytes: %lu\n", ring_buffer_bytes_cpu(buffer, cpu));
	trace_seq_puts(s, "oldest event ts: ");
	print_stamp(remote, s, ring_buffer_oldest_event_ts(buffer, cpu));
	trace_seq_puts(s, "\nnow ts: ");
	print_stamp(remote, s, ring_buffer_time_stamp(buffer));
	trace_seq_printf(s, "\ndropped events: %lu\n",
			 ring_buffer_dropped_events_cpu(buffer, cpu));
	trace_seq_printf(s, "read events: %lu\n", ring_buffer_read_events_cpu(buffer, cpu));
}

static int stats_show(struct seq_file *m, void *v)
{
	struct remote_cpu *file = m->private;
	struct trace_buffer *buffer;
	struct trace_seq *s;

	CLASS(remote_lock, locked)(file->remote);
	if (!locked)
		return -EINTR;
	buffer = remote_buffer(file->remote);
	if (!remote_has_cpu(file->remote, file->cpu))
		return 0;

	s = kmalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	trace_seq_init(s);
	show_stats(file->remote, buffer, file->cpu, s);
	trace_print_seq(m, s);
	kfree(s);
	return 0;
}

static int stats_open(struct inode *inode, struct file *filp)
{
	struct remote_cpu *file = inode->i_private;
	int ret = remote_get(file);

	if (ret)
		return ret;
	ret = single_open(filp, stats_show, file);
	if (ret)
		remote_put(file->remote);
	return ret;
}

static int stats_release(struct inode *inode, struct file *filp)
{
	struct remote_cpu *file = inode->i_private;

	remote_put(file->remote);
	return single_release(inode, filp);
}

static const struct file_operations stats_fops = {
	.open		= stats_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= stats_release,
};

/*
 * Events
 */

static int remote_enable_event(struct trace_remote_event *event, bool on)
{
	const struct trace_remote_desc *desc = event->remote->desc;
	int ret;

	lockdep_assert_held(&event->remote->lock);
	if (event->enabled == on)
		return 0;

	ret = desc->ops->enable_event(event - desc->events, on ? event->te.type : 0, desc->priv);
	if (!ret)
		event->enabled = on;
	return ret;
}

static const char *event_system(const struct trace_remote_event *event)
{
	return event->system ?: event->remote->desc->name;
}

static bool system_has(const struct remote_system *system, const struct trace_remote_event *event)
{
	return !system->name || !strcmp(system->name, event_system(event));
}

static int system_enable(const struct remote_system *system, bool on)
{
	const struct trace_remote_desc *desc = system->remote->desc;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < desc->nr_events; i++) {
		if (system_has(system, &desc->events[i]))
			ret = remote_enable_event(&desc->events[i], on) ?: ret;
	}
	return ret;
}

/* '0': all are off, '1': all are on, 'X': some are on */
static char system_enabled(const struct remote_system *system)
{
	const struct trace_remote_desc *desc = system->remote->desc;
	unsigned int i, nr = 0, on = 0;

	for (i = 0; i < desc->nr_events; i++) {
		if (!system_has(system, &desc->events[i]))
			continue;
		nr++;
		on += desc->events[i].enabled;
	}
	return !on ? '0' : on == nr ? '1' : 'X';
}

/* Files of a system; i_private is the system */

static int system_open(struct inode *inode, struct file *filp)
{
	filp->private_data = inode->i_private;
	return remote_get(inode->i_private);
}

static int system_release(struct inode *inode, struct file *filp)
{
	struct remote_system *system = inode->i_private;

	remote_put(system->remote);
	return 0;
}

static ssize_t system_enable_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct remote_system *system = filp->private_data;
	char buf[] = { '0', '\n' };

	if (mutex_lock_killable(&system->remote->lock))
		return -EINTR;
	buf[0] = system_enabled(system);
	mutex_unlock(&system->remote->lock);

	return simple_read_from_buffer(ubuf, cnt, ppos, buf, sizeof(buf));
}

static ssize_t system_enable_write(struct file *filp, const char __user *ubuf, size_t cnt,
				   loff_t *ppos)
{
	struct remote_system *system = filp->private_data;
	unsigned long val;
	int ret = kstrtoul_from_user(ubuf, cnt, 10, &val);

	if (ret)
		return ret;
	if (val > 1)
		return -EINVAL;

	CLASS(remote_lock, locked)(system->remote);
	if (!locked)
		return -EINTR;
	ret = system_enable(system, val);
	return ret ?: cnt;
}

static const struct file_operations system_enable_fops = {
	.open		= system_open,
	.read		= system_enable_read,
	.write		= system_enable_write,
	.llseek		= generic_file_llseek,
	.release	= system_release,
};

/*
 * set_event, available_events
 */

static void show_event_name(struct seq_file *m, const struct trace_remote_event *event)
{
	seq_printf(m, "%s:%s\n", event_system(event), event->name);
}

static int available_events_show(struct seq_file *m, void *v)
{
	struct trace_remote *remote = m->private;
	unsigned int i;

	for (i = 0; i < remote->desc->nr_events; i++)
		show_event_name(m, &remote->desc->events[i]);
	return 0;
}

static int set_event_show(struct seq_file *m, void *v)
{
	struct trace_remote *remote = m->private;
	unsigned int i;

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	for (i = 0; i < remote->desc->nr_events; i++) {
		if (remote->desc->events[i].enabled)
			show_event_name(m, &remote->desc->events[i]);
	}
	return 0;
}

static bool event_matches(const struct trace_remote_event *event, const char *system,
			  const char *name)
{
	/* A word without a colon names a system or an event */
	if (!system)
		return glob_match(name, event->name) || glob_match(name, event_system(event));
	return (!*system || glob_match(system, event_system(event))) &&
	       (!*name || glob_match(name, event->name));
}

/* "[!][system:]event", with globs */
static int remote_set_event(struct trace_remote *remote, char *word)
{
	char *name = word, *system = NULL;
	int ret = 0, found = 0;
	bool on = true;
	unsigned int i;

	lockdep_assert_held(&remote->lock);
	if (*name == '!') {
		on = false;
		name++;
	}
	if (strchr(name, ':'))
		system = strsep(&name, ":");

	for (i = 0; i < remote->desc->nr_events; i++) {
		if (!event_matches(&remote->desc->events[i], system, name))
			continue;
		found++;
		ret = remote_enable_event(&remote->desc->events[i], on) ?: ret;
	}
	return found ? ret : -EINVAL;
}

/* Copy what is written to a file; freed by the caller */
static char *copy_text(const char __user *ubuf, size_t cnt)
{
	return cnt < PAGE_SIZE ? memdup_user_nul(ubuf, cnt) : ERR_PTR(-EINVAL);
}

static ssize_t set_event_write(struct file *filp, const char __user *ubuf, size_t cnt,
			       loff_t *ppos)
{
	struct trace_remote *remote = ((struct seq_file *)filp->private_data)->private;
	char *rest, *word;
	int ret = 0;

	char *buf __free(kfree) = copy_text(ubuf, cnt);

	if (IS_ERR(buf))
		return PTR_ERR(buf);

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	rest = buf;
	while (!ret && (word = strsep(&rest, " \t\n"))) {
		if (*word)
			ret = remote_set_event(remote, word);
	}
	return ret ?: cnt;
}

static int available_events_open(struct inode *inode, struct file *filp)
{
	return remote_single_open(inode, filp, available_events_show);
}

static const struct file_operations available_events_fops = {
	.open		= available_events_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= remote_single_release,
};

static int set_event_truncate(struct trace_remote *remote)
{
	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	return system_enable(&remote->all_events, false);
}

static int set_event_open(struct inode *inode, struct file *filp)
{
	int ret = remote_single_open(inode, filp, set_event_show);

	if (!ret && (filp->f_mode & FMODE_WRITE) && (filp->f_flags & O_TRUNC)) {
		ret = set_event_truncate(inode->i_private);
		if (ret)
			remote_single_release(inode, filp);
	}
	return ret;
}

static const struct file_operations set_event_fops = {
	.open		= set_event_open,
	.read		= seq_read,
	.write		= set_event_write,
	.llseek		= seq_lseek,
	.release	= remote_single_release,
};

/*
 * filter, error_log
 */

static void clear_errors(struct trace_remote *remote)
{
	unsigned int i;

	for (i = 0; i < NR_ERRORS; i++) {
		kfree(remote->errors[i].expr);
		remote->errors[i].expr = NULL;
	}
	remote->nr_errors = 0;
}

static void log_error(struct trace_remote_event *event, const char *expr,
		      const struct remote_filter_error *why)
{
	struct trace_remote *remote = event->remote;
	struct remote_error *error = &remote->errors[remote->nr_errors++ % NR_ERRORS];

	kfree(error->expr);
	error->expr = kstrdup(expr, GFP_KERNEL);
	error->ts = local_clock();
	error->why = *why;
	strscpy(error->event, event->name);
}

static int error_log_show(struct seq_file *m, void *v)
{
	struct trace_remote *remote = m->private;
	unsigned int nr;

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	nr = remote->nr_errors > NR_ERRORS ? remote->nr_errors - NR_ERRORS : 0;
	for (; nr < remote->nr_errors; nr++) {
		const struct remote_error *error = &remote->errors[nr % NR_ERRORS];
		u64 sec = error->ts;
		u32 nsec = do_div(sec, NSEC_PER_SEC);

		seq_printf(m, "[%5llu.%06u] %s:%s:filter: error: %s\n", sec, nsec / 1000,
			   remote->desc->name, error->event, error->why.text);
		seq_printf(m, "  Command: %s\n", error->expr ?: "?");
		seq_printf(m, "%*s^\n", 11 + error->why.pos, "");
	}
	return 0;
}

static int error_log_truncate(struct trace_remote *remote)
{
	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	clear_errors(remote);
	return 0;
}

static int error_log_open(struct inode *inode, struct file *filp)
{
	int ret = remote_single_open(inode, filp, error_log_show);

	if (!ret && (filp->f_mode & FMODE_WRITE) && (filp->f_flags & O_TRUNC)) {
		ret = error_log_truncate(inode->i_private);
		if (ret)
			remote_single_release(inode, filp);
	}
	return ret;
}

static ssize_t error_log_write(struct file *filp, const char __user *ubuf, size_t cnt,
			       loff_t *ppos)
{
	return cnt;
}

static const struct file_operations error_log_fops = {
	.open		= error_log_open,
	.read		= seq_read,
	.write		= error_log_write,
	.llseek		= seq_lseek,
	.release	= remote_single_release,
};

/* The fields of the common header and the event's own; freed by the caller */
static struct remote_filter_field *filter_fields(const struct trace_remote_event *event)
{
	static const struct remote_filter_field common[] = {
		{ "common_type", 0, 2 },
		{ "common_flags", 2, 1 },
		{ "common_preempt_count", 3, 1 },
		{ "common_pid", 4, 4, true },
	};
	const struct trace_remote_field *field;
	struct remote_filter_field *fields;
	u16 offset = sizeof(struct remote_rec);
	unsigned int nr = 0;

	while (event->fields[nr].name)
		nr++;
	fields = kcalloc(ARRAY_SIZE(common) + nr + 1, sizeof(*fields), GFP_KERNEL);
	if (!fields)
		return NULL;

	memcpy(fields, common, sizeof(common));
	nr = ARRAY_SIZE(common);
	for (field = event->fields; field->name; field++) {
		fields[nr++] = (struct remote_filter_field){
			.name = field->name, .offset = offset, .size = field->size,
			.is_signed = field->is_signed,
		};
		offset += field->size;
	}
	return fields;
}

/* NULL removes the filter. On success the event owns @expr */
static int event_set_filter(struct trace_remote_event *event, char *expr)
{
	struct remote_filter_field *fields __free(kfree) = filter_fields(event);
	struct remote_filter *filter __free(kfree) = kzalloc(sizeof(*filter), GFP_KERNEL);
	const struct trace_remote_desc *desc = event->remote->desc;
	struct remote_filter_error error = {};
	int ret;

	lockdep_assert_held(&event->remote->lock);
	if (!fields || !filter)
		return -ENOMEM;

	if (expr) {
		ret = remote_filter_compile(expr, fields, filter, &error);
		if (ret) {
			log_error(event, expr, &error);
			return ret;
		}
	}
	ret = desc->ops->set_filter(event - desc->events, expr ? filter : NULL, desc->priv);
	if (ret)
		return ret;

	kfree(event->filter);
	event->filter = expr;
	return 0;
}

static void remote_clear_filters(struct trace_remote *remote)
{
	unsigned int i;

	for (i = 0; i < remote->desc->nr_events; i++) {
		if (remote->desc->events[i].filter)
			WARN_ON(event_set_filter(&remote->desc->events[i], NULL));
	}
}

static ssize_t event_filter_write(struct file *filp, const char __user *ubuf, size_t cnt,
				  loff_t *ppos)
{
	struct trace_remote_event *event = ((struct seq_file *)filp->private_data)->private;
	char *text;
	int ret;

	char *buf __free(kfree) = copy_text(ubuf, cnt);
	char *expr __free(kfree) = NULL;

	if (IS_ERR(buf))
		return PTR_ERR(buf);
	text = strstrip(buf);
	if (strcmp(text, "0")) {
		expr = kstrdup(text, GFP_KERNEL);
		if (!expr)
			return -ENOMEM;
	}

	CLASS(remote_lock, locked)(event->remote);
	if (!locked)
		return -EINTR;
	ret = event_set_filter(event, expr);
	if (ret)
		return ret;
	expr = NULL;	/* the event's now */
	return cnt;
}

static int event_filter_show(struct seq_file *m, void *v)
{
	struct trace_remote_event *event = m->private;

	CLASS(remote_lock, locked)(event->remote);
	if (!locked)
		return -EINTR;
	seq_printf(m, "%s\n", event->filter ?: "none");
	return 0;
}

static int header_page_show(struct seq_file *m, void *v)
{
	seq_puts(m, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
	seq_printf(m, "\tfield: local_t commit;\toffset:8;\tsize:%zu;\tsigned:1;\n", sizeof(long));
	seq_puts(m, "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n");
	seq_printf(m, "\tfield: char data;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n",
		   offsetof(struct rb_page, data), PAGE_SIZE - offsetof(struct rb_page, data),
		   is_signed_type(char));
	return 0;
}

static int header_event_show(struct seq_file *m, void *v)
{
	struct trace_seq *s = kmalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return -ENOMEM;

	trace_seq_init(s);
	ring_buffer_print_entry_header(s);
	trace_print_seq(m, s);
	kfree(s);
	return 0;
}

/* They are no part of a remote, and pin none */
static int header_page_open(struct inode *inode, struct file *filp)
{
	return tracing_check_open_get_tr(NULL) ?: single_open(filp, header_page_show, NULL);
}

static int header_event_open(struct inode *inode, struct file *filp)
{
	return tracing_check_open_get_tr(NULL) ?: single_open(filp, header_event_show, NULL);
}

#define HEADER_FOPS(name)						\
	static const struct file_operations name##_fops = {		\
		.open		= name##_open,				\
		.read		= seq_read,				\
		.llseek		= seq_lseek,				\
		.release	= single_release,			\
	}

HEADER_FOPS(header_page);
HEADER_FOPS(header_event);

/* Files of an event; i_private is the event */

static int event_open(struct inode *inode, struct file *filp)
{
	struct trace_remote_event *event = inode->i_private;

	filp->private_data = event;
	return remote_get(event);
}

static int event_release(struct inode *inode, struct file *filp)
{
	struct trace_remote_event *event = inode->i_private;

	remote_put(event->remote);
	return 0;
}

static ssize_t event_enable_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_remote_event *event = filp->private_data;
	char buf[] = { READ_ONCE(event->enabled) ? '1' : '0', '\n' };

	return simple_read_from_buffer(ubuf, cnt, ppos, buf, sizeof(buf));
}

static ssize_t event_enable_write(struct file *filp, const char __user *ubuf, size_t cnt,
				  loff_t *ppos)
{
	struct trace_remote_event *event = filp->private_data;
	unsigned long val;
	int ret = kstrtoul_from_user(ubuf, cnt, 10, &val);

	if (ret)
		return ret;
	if (val > 1)
		return -EINVAL;

	CLASS(remote_lock, locked)(event->remote);
	if (!locked)
		return -EINTR;
	ret = remote_enable_event(event, val);
	return ret ?: cnt;
}

static const struct file_operations event_enable_fops = {
	.open		= event_open,
	.read		= event_enable_read,
	.write		= event_enable_write,
	.llseek		= generic_file_llseek,
	.release	= event_release,
};

static ssize_t event_id_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_remote_event *event = filp->private_data;
	char buf[16];
	int len = scnprintf(buf, sizeof(buf), "%d\n", event->te.type);

	return simple_read_from_buffer(ubuf, cnt, ppos, buf, len);
}

static const struct file_operations event_id_fops = {
	.open		= event_open,
	.read		= event_id_read,
	.llseek		= generic_file_llseek,
	.release	= event_release,
};

static void show_field(struct seq_file *m, const char *type, const char *name, unsigned int offset,
		       unsigned int size, bool is_signed)
{
	seq_printf(m, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
		   type, name, offset, size, is_signed);
}

static void show_fields(struct seq_file *m, struct trace_remote_event *event)
{
	const struct trace_remote_field *field;
	unsigned int offset = sizeof(struct remote_rec);

	show_field(m, "unsigned short", "common_type", 0, 2, false);
	show_field(m, "unsigned char", "common_flags", 2, 1, false);
	show_field(m, "unsigned char", "common_preempt_count", 3, 1, false);
	show_field(m, "int", "common_pid", 4, 4, true);
	seq_putc(m, '\n');
	for (field = event->fields; field->name; field++) {
		show_field(m, field->type, field->name, offset, field->size, field->is_signed);
		offset += field->size;
	}
}

static void show_symtab(struct seq_file *m, struct trace_remote *remote, const char *name,
			size_t len)
{
	const struct trace_remote_symtab *const *symtab;
	const char *sep = "";
	unsigned int i;

	for (symtab = remote->desc->symtabs; symtab && *symtab; symtab++) {
		if (strlen((*symtab)->name) != len || strncmp((*symtab)->name, name, len))
			continue;
		for (i = 0; i < (*symtab)->nr; i++) {
			const struct trace_print_flags *sym = &(*symtab)->syms[i];

			seq_printf(m, "%s{ 0x%lx, \"%s\" }", sep, sym->mask, sym->name);
			sep = ", ";
		}
	}
}

/* Each SYM(field, table) becomes a __print_symbolic() with the table's entries */
static void show_print_fmt(struct seq_file *m, struct trace_remote_event *event)
{
	const char *fmt = event->print_fmt, *sym, *comma, *end;

	for (; (sym = strstr(fmt, "SYM(")); fmt = end + 1) {
		comma = strchr(sym, ',');
		end = strchr(sym, ')');
		if (WARN_ON_ONCE(!comma || !end || comma > end))
			break;
		seq_write(m, fmt, sym - fmt);
		seq_puts(m, "__print_symbolic(REC->");
		seq_write(m, sym + 4, comma - sym - 4);
		seq_puts(m, ", ");
		comma = skip_spaces(comma + 1);
		show_symtab(m, event->remote, comma, end - comma);
		seq_putc(m, ')');
	}
	seq_puts(m, fmt);
}

static int event_format_show(struct seq_file *m, void *v)
{
	struct trace_remote_event *event = m->private;

	seq_printf(m, "name: %s\nID: %d\nformat:\n", event->name, event->te.type);
	show_fields(m, event);
	seq_puts(m, "\nprint fmt: ");
	show_print_fmt(m, event);
	seq_putc(m, '\n');
	return 0;
}

static int event_single_open(struct inode *inode, struct file *filp,
			     int (*show)(struct seq_file *m, void *v))
{
	struct trace_remote_event *event = inode->i_private;
	int ret = remote_get(event);

	if (ret)
		return ret;
	ret = single_open(filp, show, event);
	if (ret)
		remote_put(event->remote);
	return ret;
}

static int event_single_release(struct inode *inode, struct file *filp)
{
	event_release(inode, filp);
	return single_release(inode, filp);
}

static int event_format_open(struct inode *inode, struct file *filp)
{
	return event_single_open(inode, filp, event_format_show);
}

static const struct file_operations event_format_fops = {
	.open		= event_format_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= event_single_release,
};

static int event_filter_open(struct inode *inode, struct file *filp)
{
	return event_single_open(inode, filp, event_filter_show);
}

static const struct file_operations event_filter_fops = {
	.open		= event_filter_open,
	.read		= seq_read,
	.write		= event_filter_write,
	.llseek		= seq_lseek,
	.release	= event_single_release,
};

/*
 * Oops and panic
 */

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

/* Is the record as long as its event requires? An unknown event needs only the header */
static bool record_is_whole(struct trace_remote *remote, const struct remote_rec *rec, u32 size)
{
	const struct trace_remote_event *event;
	const struct trace_remote_field *field;
	u32 least = sizeof(*rec);

	if (size < least)
		return false;
	event = remote_find_event(remote, rec->type);
	for (field = event ? event->fields : NULL; field && field->name; field++)
		least += field->size;
	return size >= least;
}

static void dump_event(int cpu, u64 ts, const void *rec, u32 size, void *data)
{
	struct trace_remote *remote = data;

	trace_seq_init(&dump_seq);
	if (record_is_whole(remote, rec, size))
		print_record(remote, &dump_seq, cpu, ts, rec);
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

/*
 * Now that its mutex can be taken: switch tracing off, and restore what ->stop() switched
 * off, unless new events would follow
 */
static void remote_off_work(struct work_struct *work)
{
	struct trace_remote *remote = container_of(work, struct trace_remote, off_work);
	const struct trace_remote_desc *desc = remote->desc;
	unsigned int i;
	bool off;

	guard(mutex)(&remote->lock);
	off = !remote_set_on(remote, false);
	if (!off)
		pr_err("%s: cannot be switched off after an oops, so all events are off\n",
		       desc->name);
	for (i = 0; i < desc->nr_events; i++) {
		struct trace_remote_event *event = &desc->events[i];

		event->enabled = event->enabled && off &&
				 !desc->ops->enable_event(i, event->te.type, desc->priv);
	}
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
	owner = atomic_cmpxchg(&dump_cpu, 0, me); /* Pairs with dump_may_look() */
	/* The dump itself has failed, and will not be continued: it looks no more */
	if (owner == me)
		atomic_set_release(&dump_cpu, 0);
	if (owner)
		return;
	list_for_each_entry_rcu(remote, &remotes, list, true)
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

static void remote_unregister_events(struct trace_remote *remote, unsigned int nr)
{
	while (nr--) {
		if (!is_printk(&remote->desc->events[nr]))
			unregister_trace_event(&remote->desc->events[nr].te);
	}
}

static int remote_register_events(struct trace_remote *remote)
{
	unsigned int i;

	for (i = 0; i < remote->desc->nr_events; i++) {
		struct trace_remote_event *event = &remote->desc->events[i];

		event->remote = remote;
		event->enabled = false;
		event->filter = NULL;
		event->te.type = is_printk(event) ? TRACE_BPRINT : 0;
		if (is_printk(event))
			continue;
		remote_event_trace_init(event);
		if (!register_trace_event(&event->te)) {
			remote_unregister_events(remote, i);
			return -ENOMEM;
		}
	}
	return 0;
}

/*
 * The directory
 */

static int make_file(const char *name, umode_t mode, struct dentry *dir, void *data,
		     const struct file_operations *fops)
{
	return tracefs_create_file(name, mode, dir, data, fops) ? 0 : -ENOMEM;
}

static int make_dir(const char *name, struct dentry *parent, struct dentry **dir)
{
	*dir = tracefs_create_dir(name, parent);
	return *dir ? 0 : -ENOMEM;
}

static int make_reader_files(struct dentry *dir, struct remote_cpu *file)
{
	return make_file("trace", TRACE_MODE_WRITE, dir, file, &trace_fops) ?:
	       make_file("trace_pipe", TRACE_MODE_READ, dir, file, &trace_pipe_fops);
}

static int make_cpu_files(struct dentry *per_cpu, struct remote_cpu *file)
{
	struct dentry *dir;
	char name[16];

	snprintf(name, sizeof(name), "cpu%d", file->cpu);
	return make_dir(name, per_cpu, &dir) ?:
	       make_reader_files(dir, file) ?:
	       make_file("trace_pipe_raw", TRACE_MODE_READ, dir, file,
			 &trace_remote_raw_fops) ?:
	       make_file("stats", TRACE_MODE_READ, dir, file, &stats_fops);
}

static int make_per_cpu_files(struct trace_remote *remote)
{
	struct dentry *per_cpu;
	int cpu, ret;

	ret = make_dir("per_cpu", remote->dir, &per_cpu);
	for_each_possible_cpu(cpu)
		ret = ret ?: make_cpu_files(per_cpu, &remote->cpus[cpu]);
	return ret;
}

static int make_event_files(struct dentry *system, struct trace_remote_event *event)
{
	struct dentry *dir;

	int ret;

	ret = make_dir(event->name, system, &dir) ?:
	      make_file("enable", TRACE_MODE_WRITE, dir, event, &event_enable_fops) ?:
	      make_file("id", TRACE_MODE_READ, dir, event, &event_id_fops) ?:
	      make_file("format", TRACE_MODE_READ, dir, event, &event_format_fops);
	if (!ret && event->remote->desc->ops->set_filter && !is_printk(event))
		ret = make_file("filter", TRACE_MODE_WRITE, dir, event, &event_filter_fops);
	return ret;
}

/* The directory of a system, with its file enable and its events */
static int make_system(struct trace_remote *remote, struct remote_system *system,
		       struct dentry *events)
{
	struct dentry *dir;
	unsigned int i;
	int ret;

	ret = make_dir(system->name, events, &dir) ?:
	      make_file("enable", TRACE_MODE_WRITE, dir, system, &system_enable_fops);
	for (i = 0; i < remote->desc->nr_events; i++) {
		if (system_has(system, &remote->desc->events[i]))
			ret = ret ?: make_event_files(dir, &remote->desc->events[i]);
	}
	return ret;
}

static int make_events_files(struct trace_remote *remote)
{
	struct dentry *events;
	unsigned int i;
	int ret;

	ret = make_dir("events", remote->dir, &events) ?:
	      make_file("enable", TRACE_MODE_WRITE, events, &remote->all_events,
			&system_enable_fops) ?:
	      make_file("header_page", TRACE_MODE_READ, events, NULL, &header_page_fops) ?:
	      make_file("header_event", TRACE_MODE_READ, events, NULL, &header_event_fops);
	for (i = 0; i < ARRAY_SIZE(remote->systems) && remote->systems[i].name; i++)
		ret = ret ?: make_system(remote, &remote->systems[i], events);
	return ret;
}

static int make_files(struct trace_remote *remote)
{
	struct dentry *dir = remote->dir, *options;

	return make_file("tracing_on", TRACE_MODE_WRITE, dir, remote, &tracing_on_fops) ?:
	       make_file("buffer_size_kb", TRACE_MODE_WRITE, dir, remote, &buffer_size_fops) ?:
	       make_file("buffer_percent", TRACE_MODE_WRITE, dir, remote, &buffer_percent_fops) ?:
	       make_file("free_buffer", 0200, dir, remote, &free_buffer_fops) ?:
	       make_file("trace_clock", TRACE_MODE_WRITE, dir, remote, &trace_clock_fops) ?:
	       make_file("set_event", TRACE_MODE_WRITE, dir, remote, &set_event_fops) ?:
	       make_file("available_events", TRACE_MODE_READ, dir, remote,
			 &available_events_fops) ?:
	       make_file("error_log", TRACE_MODE_WRITE, dir, remote, &error_log_fops) ?:
	       make_file("write_event", 0200, dir, remote, &write_event_fops) ?:
	       make_dir("options", dir, &options) ?:
	       make_file("overwrite", TRACE_MODE_WRITE, options, remote, &overwrite_fops) ?:
	       make_reader_files(dir, &remote->all) ?:
	       make_per_cpu_files(remote) ?:
	       make_events_files(remote);
}

static struct trace_remote *remote_alloc(const struct trace_remote_desc *desc)
{
	struct trace_remote *remote;
	int cpu;

	remote = kzalloc(struct_size(remote, cpus, nr_cpu_ids), GFP_KERNEL);
	if (!remote)
		return NULL;

	remote->desc = desc;
	remote->rb.ops = &desc->ops->rb;
	remote->rb.priv = desc->priv;
	remote->size_kb = DEFAULT_SIZE_KB;
	remote->overwrite = true;
	remote->clock = desc->clocks;
	mutex_init(&remote->lock);
	init_irq_work(&remote->off_irq, remote_off_irq);
	INIT_WORK(&remote->off_work, remote_off_work);
	INIT_DELAYED_WORK(&remote->unload_work, remote_unload_work);
	remote->tr.current_trace = &nop_trace;
	remote->tr.buffer_percent = 50;
	remote->all_events.remote = remote;
	remote->systems[0] = (struct remote_system){ .remote = remote, .name = desc->name };
	if (desc->nr_events && is_printk(&desc->events[desc->nr_events - 1]))
		remote->systems[1] = (struct remote_system){ .remote = remote, .name = "ftrace" };
	remote->all = (struct remote_cpu){ .remote = remote, .cpu = RING_BUFFER_ALL_CPUS };
	for_each_possible_cpu(cpu)
		remote->cpus[cpu] = (struct remote_cpu){ .remote = remote, .cpu = cpu };
	return remote;
}

/* The first registration creates remotes/ */
static int remotes_make_dir(void)
{
	int ret;

	if (remotes_dir)
		return 0;

	ret = tracing_init_dentry();
	if (ret)
		return ret;

	return make_dir("remotes", NULL, &remotes_dir);
}

static bool remote_exists(const char *name)
{
	struct trace_remote *remote;

	list_for_each_entry(remote, &remotes, list) {
		if (!strcmp(remote->desc->name, name))
			return true;
	}
	return false;
}

static int remote_add(struct trace_remote *remote)
{
	int ret;

	ret = remotes_make_dir();
	if (ret)
		return ret;
	if (remote_exists(remote->desc->name))
		return -EEXIST;

	ret = remote_register_events(remote);
	if (ret)
		return ret;

	ret = make_dir(remote->desc->name, remotes_dir, &remote->dir) ?: make_files(remote);
	if (ret) {
		tracefs_remove(remote->dir);
		remote_unregister_events(remote, remote->desc->nr_events);
		return ret;
	}

	list_add_rcu(&remote->list, &remotes);
	return 0;
}

struct trace_remote *trace_remote_register(const struct trace_remote_desc *desc)
{
	struct trace_remote *remote = remote_alloc(desc);
	int ret;

	if (!remote)
		return ERR_PTR(-ENOMEM);

	mutex_lock(&remotes_mutex);
	ret = remote_add(remote);
	mutex_unlock(&remotes_mutex);
	if (ret) {
		kfree(remote);
		return ERR_PTR(ret);
	}
	return remote;
}
EXPORT_SYMBOL_GPL(trace_remote_register);

void trace_remote_unregister(struct trace_remote *remote)
{
	mutex_lock(&remotes_mutex);
	list_del_rcu(&remote->list);
	tracefs_remove(remote->dir);
	mutex_unlock(&remotes_mutex);

	remote_wait_for_dump();
	irq_work_sync(&remote->off_irq);
	cancel_work_sync(&remote->off_work);
	disable_delayed_work_sync(&remote->unload_work);

	mutex_lock(&remote->lock);
	system_enable(&remote->all_events, false);
	remote_clear_filters(remote);
	clear_errors(remote);
	remote_set_on(remote, false);
	/* Dumps do not know this remote any more */
	if (remote_buffer(remote))
		remote_give_back(remote, remote_buffer(remote));
	if (remote->held)
		remote_give_back(remote, remote->held);
	mutex_unlock(&remote->lock);

	remote_unregister_events(remote, remote->desc->nr_events);
	kfree(remote);
}
EXPORT_SYMBOL_GPL(trace_remote_unregister);

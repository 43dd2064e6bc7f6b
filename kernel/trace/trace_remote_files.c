// SPDX-License-Identifier: GPL-2.0
/*
 * The files of a remote that differ from those of an ordinary instance, and what trace.c
 * asks on behalf of the others; see trace_remote.h.
 */
#include <linux/fs.h>
#include <linux/ring_buffer_writer.h>
#include <linux/stringify.h>
#include <linux/trace_remote_base.h>
#include <linux/tracefs.h>

#include "trace_remote_core.h"

/*
 * Called by trace.c
 */

int __trace_remote_hold(struct trace_array *tr, bool load)
{
	struct trace_remote *remote = to_remote(tr);
	int ret = 0;

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	if (load || remote_is_last(remote))
		ret = remote_load(remote);
	else if (!remote_buffer(remote))
		ret = -ENODATA;
	if (!ret)
		remote->nr_readers++;
	return ret;
}

void __trace_remote_release(struct trace_array *tr)
{
	struct trace_remote *remote = to_remote(tr);

	guard(mutex)(&remote->lock);
	remote->nr_readers--;
	remote_try_unload(remote);
}

static bool iter_has_cpu(const struct trace_iterator *iter, int cpu)
{
	return iter->cpu_file == RING_BUFFER_ALL_CPUS || iter->cpu_file == cpu;
}

bool __trace_remote_has_iters(struct trace_iterator *iter)
{
	int cpu;

	for_each_cpu(cpu, ring_buffer_remote_cpus(iter->array_buffer->buffer)) {
		if (iter_has_cpu(iter, cpu) && !iter->buffer_iter[cpu])
			return false;
	}
	return true;
}

int __trace_remote_error(struct trace_iterator *iter)
{
	struct trace_buffer *buffer = iter->array_buffer->buffer;
	int cpu, ret = 0;

	for_each_cpu(cpu, ring_buffer_remote_cpus(buffer)) {
		if (iter_has_cpu(iter, cpu) && !ring_buffer_empty_cpu(buffer, cpu))
			ret = ret ?: ring_buffer_remote_error(buffer, cpu);
	}
	return ret;
}

int trace_remote_reset(struct trace_array *tr, int cpu)
{
	if (remote_is_last(to_remote(tr)))
		return -EPERM;

	CLASS(remote_lock, locked)(to_remote(tr));
	return locked ? remote_reset(locked, cpu) : -EINTR;
}

static ssize_t empty_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return 0;
}

static ssize_t empty_write(struct file *filp, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	return cnt;
}

/* The file trace that was opened while there was no buffer */
static const struct file_operations empty_fops = {
	.read		= empty_read,
	.write		= empty_write,
	.llseek		= generic_file_llseek,
	.release	= tracing_release_generic_tr,
};

int trace_remote_open_empty(struct file *file)
{
	replace_fops(file, &empty_fops);
	return 0;
}

/* Its sub-buffers are pages, whether it has a buffer or not */
void trace_remote_print_page_header(struct trace_seq *s)
{
	trace_seq_puts(s, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
	trace_seq_printf(s, "\tfield: local_t commit;\toffset:8;\tsize:%zu;\tsigned:1;\n",
			 sizeof(long));
	trace_seq_printf(s, "\tfield: %s overwrite;\toffset:8;\tsize:1;\tsigned:%d;\n",
			 __stringify(TRACE_REMOTE_OVERWRITE_TYPE),
			 is_signed_type(TRACE_REMOTE_OVERWRITE_TYPE));
	trace_seq_printf(s, "\tfield: char data;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n",
			 offsetof(struct rb_page, data),
			 PAGE_SIZE - offsetof(struct rb_page, data), is_signed_type(char));
}

/* The remote's clock of this name, or NULL */
static const struct trace_remote_clock *remote_clock(struct trace_remote *remote, const char *name)
{
	const struct trace_remote_clock *clock;

	for (clock = remote->desc->clocks; clock->name; clock++) {
		if (!strcmp(clock->name, name))
			return clock;
	}
	return NULL;
}

bool trace_remote_has_clock(struct trace_array *tr, const char *name)
{
	return remote_clock(to_remote(tr), name);
}

int trace_remote_set_clock(struct trace_array *tr, int clock_id, const char *name)
{
	struct trace_remote *remote = to_remote(tr);
	const struct trace_remote_clock *clock = remote_clock(remote, name);
	int ret;

	if (!clock)
		return -EINVAL;

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	ret = remote_set_clock(remote, clock);
	if (remote->clock == clock)
		tr->clock_id = clock_id;
	return ret;
}

/*
 * The tracer
 */

static enum print_line_t remote_print_line(struct trace_iterator *iter)
{
	struct trace_remote *remote = to_remote(iter->tr);

	if (remote_is_last(remote))
		remote_print_last(remote, iter);
	else
		remote_print_record(remote, &iter->seq, iter->cpu, iter->ts, (void *)iter->ent,
				    iter->ent_size);
	return trace_handle_return(&iter->seq);
}

static void remote_print_header(struct seq_file *m)
{
}

/*
 * Not with the function of trace.c, which prints an event that another reader may have taken,
 * and drops the text that does not fit into a page
 */
static ssize_t remote_splice_read(struct trace_iterator *iter, struct file *filp, loff_t *ppos,
				  struct pipe_inode_info *pipe, size_t len, unsigned int flags)
{
	return -EINVAL;
}

static void remote_close(struct trace_iterator *iter)
{
	trace_remote_release(iter->tr);
}

u64 trace_remote_options(struct trace_array *tr)
{
	return TRACE_REMOTE_FLAGS |
	       (remote_has_stacks(to_remote(tr)) ? BIT(TRACE_ITER_STACKTRACE_BIT) : 0);
}

static int remote_flag_changed(struct trace_array *tr,
			       typeof_member(struct trace_array, trace_flags) mask, int set)
{
	struct trace_remote *remote = to_remote(tr);

	if (!(mask & trace_remote_options(tr)))
		return -EINVAL;
	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	if (mask == BIT(TRACE_ITER_STACKTRACE_BIT))
		return remote_set_stacks(remote, set);
	return remote->desc->ops->overwrite(set, remote->desc->priv);
}

/* It has no options of its own */
static struct tracer_opt remote_opts[] = { { } };
static struct tracer_flags remote_flags = { .opts = remote_opts };

/* It gives the text that remotes have. It is not registered, so it cannot be chosen */
struct tracer remote_tracer = {
	.name		= "remote",
	.close		= remote_close,
	.pipe_close	= remote_close,
	.splice_read	= remote_splice_read,
	.print_header	= remote_print_header,
	.print_line	= remote_print_line,
	.flag_changed	= remote_flag_changed,
	.flags		= &remote_flags,
};

/*
 * Files of the remote as a whole; i_private is its trace_array
 */

static struct trace_remote *file_remote(struct file *filp)
{
	return to_remote(filp->private_data);
}

int remote_open_show(struct inode *inode, struct file *filp,
		     int (*show)(struct seq_file *m, void *v))
{
	struct trace_array *tr = inode->i_private;
	int ret = tracing_check_open_get_tr(tr);

	if (ret)
		return ret;
	ret = single_open(filp, show, tr);
	if (ret)
		trace_array_put(tr);
	return ret;
}

int remote_release_show(struct inode *inode, struct file *filp)
{
	trace_array_put(inode->i_private);
	return single_release(inode, filp);
}

#define REMOTE_FOPS(name, ...)						\
	static const struct file_operations name##_fops = {		\
		.open		= tracing_open_generic_tr,		\
		.release	= tracing_release_generic_tr,		\
		.llseek		= generic_file_llseek,			\
		__VA_ARGS__						\
	}

static ssize_t tracing_on_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_remote *remote = file_remote(filp);
	char buf[] = { READ_ONCE(remote->on) && !remote_is_stopped(remote) ? '1' : '0', '\n' };

	return simple_read_from_buffer(ubuf, cnt, ppos, buf, sizeof(buf));
}

static ssize_t tracing_on_write(struct file *filp, const char __user *ubuf, size_t cnt,
				loff_t *ppos)
{
	struct trace_remote *remote = file_remote(filp);
	unsigned long val;
	int ret = kstrtoul_from_user(ubuf, cnt, 10, &val);

	if (remote_is_last(remote))
		return -EPERM;
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
	struct trace_remote *remote = file_remote(filp);
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
	struct trace_remote *remote = file_remote(filp);
	unsigned long kb;
	int ret = kstrtoul_from_user(ubuf, cnt, 10, &kb);

	if (ret)
		return ret;

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	ret = remote_set_size(remote, kb);
	return ret ?: cnt;
}

REMOTE_FOPS(buffer_size, .read = buffer_size_read, .write = buffer_size_write);

/* A write asks to free the buffer, which happens when the file is closed */
static int free_buffer_release(struct inode *inode, struct file *filp)
{
	struct trace_remote *remote = file_remote(filp);

	mutex_lock(&remote->lock);
	remote_set_on(remote, false);
	remote_reset(remote, RING_BUFFER_ALL_CPUS);
	mutex_unlock(&remote->lock);
	return tracing_release_generic_tr(inode, filp);
}

static const struct file_operations free_buffer_fops = {
	.open		= tracing_open_generic_tr,
	.write		= empty_write,
	.release	= free_buffer_release,
};

static ssize_t write_event_write(struct file *filp, const char __user *ubuf, size_t cnt,
				 loff_t *ppos)
{
	struct trace_remote *remote = file_remote(filp);
	u64 id;
	int ret = kstrtou64_from_user(ubuf, cnt, 0, &id);

	if (!ret)
		ret = remote->desc->ops->write_selftest(id, remote->desc->priv);
	return ret ?: cnt;
}

REMOTE_FOPS(write_event, .write = write_event_write);

void remote_create_files(struct trace_remote *remote)
{
	struct trace_array *tr = &remote->tr;
	struct dentry *dir = tr->dir;

	trace_array_create_remote_files(tr);
	trace_create_file("tracing_on", TRACE_MODE_WRITE, dir, tr, &tracing_on_fops);
	trace_create_file("buffer_size_kb", TRACE_MODE_WRITE, dir, tr, &buffer_size_fops);
	if (remote_is_last(remote)) {
		remote_create_last_files(remote);
		return;
	}
	trace_create_file("free_buffer", 0200, dir, tr, &free_buffer_fops);
	trace_create_file("write_event", 0200, dir, tr, &write_event_fops);
	remote_create_function_files(remote);
	remote_create_trigger_files(remote);
	remote_create_counter_files(remote);
}

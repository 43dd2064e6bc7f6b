// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of a remote, which its writer keeps without events: the files in counters/.
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/tracefs.h>

#include <uapi/linux/trace_counters.h>

#include "trace_remote_core.h"

/* The writer changes rows within some instructions, unless its CPU is a stopped vCPU */
#define COPY_ATTEMPTS	100
#define COPY_SLEEPS	1000

static ssize_t enable_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_remote *remote = to_remote(filp->private_data);
	const char *text = READ_ONCE(remote->counting) ? "1\n" : "0\n";

	return simple_read_from_buffer(ubuf, cnt, ppos, text, 2);
}

static ssize_t enable_write(struct file *filp, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_remote *remote = to_remote(filp->private_data);
	bool on;
	int ret = kstrtobool_from_user(ubuf, cnt, &on);

	if (ret)
		return ret;

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	ret = remote->desc->ops->count(on, remote->desc->priv);
	WRITE_ONCE(remote->counting, on && !ret);
	return ret ?: cnt;
}

static const struct file_operations enable_fops = {
	.open		= tracing_open_generic_tr,
	.read		= enable_read,
	.write		= enable_write,
	.llseek		= generic_file_llseek,
	.release	= tracing_release_generic_tr,
};

static int format_show(struct seq_file *s, void *unused)
{
	const struct trace_remote *remote = to_remote(s->private);
	char buf[TRACE_REMOTE_SYM_LEN];
	const char *kind, *name;
	unsigned int row;

	for (row = 0; ; row++) {
		name = remote->desc->ops->counter(row, &kind, buf, remote->desc->priv);
		if (!name)
			return 0;
		if (*name)
			seq_printf(s, "%u %s %s\n", row, kind, name);
	}
}

static int format_open(struct inode *inode, struct file *filp)
{
	return remote_open_show(inode, filp, format_show);
}

static const struct file_operations format_fops = {
	.open		= format_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= remote_release_show,
};

/**
 * struct counters_file - an open file of a CPU's counters
 * @area:	what the writer changes
 * @size:	bytes
 * @lock:	of what follows
 * @copied:	something was read
 * @copy:	what is read
 */
struct counters_file {
	const struct trace_counters	*area;
	size_t				size;
	struct mutex			lock;	/* of what follows */
	bool				copied;
	struct trace_counters		copy[];
};

static struct counters_file *open_counters(const struct trace_remote_desc *desc, int cpu)
{
	const struct trace_counters *area;
	struct counters_file *f;
	size_t size;

	area = desc->ops->counters(cpu, &size, desc->priv);
	if (!area)
		return ERR_PTR(-ENODATA);
	f = kvzalloc(struct_size(f, copy, 1) + size, GFP_KERNEL_ACCOUNT);
	if (!f)
		return ERR_PTR(-ENOMEM);
	f->area = area;
	f->size = size;
	mutex_init(&f->lock);
	return f;
}

static int cpu_open(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	struct counters_file *f;
	int ret = tracing_check_open_get_tr(tr);

	if (ret)
		return ret;
	f = open_counters(to_remote(tr)->desc, (long)inode->i_cdev - 1);
	if (IS_ERR(f)) {
		trace_array_put(tr);
		return PTR_ERR(f);
	}
	filp->private_data = f;
	return 0;
}

static int cpu_release(struct inode *inode, struct file *filp)
{
	kvfree(filp->private_data);
	trace_array_put(inode->i_private);
	return 0;
}

/* Return: whether the copy is consistent */
static bool copy_once(struct counters_file *f)
{
	/* Pairs with the release of the writer, which has stored all rows before */
	u64 done = smp_load_acquire(&f->area->done);

	memcpy(f->copy, f->area, f->size);
	smp_rmb();	/* pairs with the barrier behind the writer's store to @begun */
	f->copy->begun = done;
	f->copy->done = done;
	return READ_ONCE(f->area->begun) == done;
}

static int copy_rows(struct counters_file *f)
{
	unsigned int i;

	for (i = 0; i < COPY_ATTEMPTS + COPY_SLEEPS; i++) {
		if (copy_once(f))
			return 0;
		if (fatal_signal_pending(current))
			return -EINTR;
		if (i >= COPY_ATTEMPTS)
			usleep_range(1000, 2000);
	}
	return -EIO;
}

/* What is read is of the moment when the begin was read last */
static ssize_t cpu_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct counters_file *f = filp->private_data;
	int ret;

	guard(mutex)(&f->lock);
	ret = *ppos && f->copied ? 0 : copy_rows(f);
	f->copied = !ret;
	return ret ?: simple_read_from_buffer(ubuf, cnt, ppos, f->copy, f->size);
}

static int cpu_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct counters_file *f = filp->private_data;
	unsigned long pages = PAGE_ALIGN(f->size) >> PAGE_SHIFT, i;
	int ret = 0;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	if (!(vma->vm_flags & VM_MAYSHARE) || vma->vm_pgoff >= pages ||
	    vma_pages(vma) > pages - vma->vm_pgoff)
		return -EINVAL;
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);
	for (i = 0; !ret && i < vma_pages(vma); i++)
		ret = vm_insert_page(vma, vma->vm_start + i * PAGE_SIZE,
				     virt_to_page((void *)f->area +
						  (vma->vm_pgoff + i) * PAGE_SIZE));
	return ret;
}

static const struct file_operations cpu_fops = {
	.open		= cpu_open,
	.read		= cpu_read,
	.mmap		= cpu_mmap,
	.llseek		= default_llseek,
	.release	= cpu_release,
};

void remote_create_counter_files(struct trace_remote *remote)
{
	struct trace_array *tr = &remote->tr;
	struct dentry *dir, *file;
	char name[16];
	long cpu;

	if (!remote->desc->ops->count)
		return;
	dir = tracefs_create_dir("counters", tr->dir);
	if (!dir)
		return;
	trace_create_file("enable", TRACE_MODE_WRITE, dir, tr, &enable_fops);
	trace_create_file("format", TRACE_MODE_READ, dir, tr, &format_fops);
	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "cpu%ld", cpu);
		file = trace_create_file(name, TRACE_MODE_READ, dir, tr, &cpu_fops);
		if (file)
			d_inode(file)->i_cdev = (void *)(cpu + 1);
	}
}

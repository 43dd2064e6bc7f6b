// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing the functions of a remote: the files current_tracer, available_tracers,
 * available_filter_functions, set_ftrace_filter, set_ftrace_notrace and set_graph_function, with
 * the meaning that they have elsewhere in tracefs.
 */
#include <linux/bitmap.h>
#include <linux/glob.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>

#include "trace_remote_functions.h"

/* What is written at once to a list */
#define MAX_LIST_WRITE	SZ_64K

static const char *const tracer_names[NR_TRACERS] = { "nop", "function", "function_graph" };

/* A file of a list, and what it shows while that is empty */
static const struct {
	const char *name;
	const char *empty;
} list_files[NR_LISTS] = {
	[LIST_FILTER]	= { "set_ftrace_filter", "#### all functions enabled ####" },
	[LIST_NOTRACE]	= { "set_ftrace_notrace", "#### no functions disabled ####" },
	[LIST_GRAPH]	= { "set_graph_function", "#### all functions enabled ####" },
};

/*
 * What is written to a list
 */

static bool matches(struct trace_remote *remote, const char *pattern, const char *name)
{
	const char *prefix = remote->desc->prefix;

	if (glob_match(pattern, name))
		return true;
	return prefix && str_has_prefix(name, prefix) &&
	       glob_match(pattern, name + strlen(prefix));
}

/* Add the functions that a word names to a list, or take them out */
static int apply_word(struct trace_remote *remote, const char *word, unsigned long *list)
{
	bool out = *word == '!', found = false;
	char name[KSYM_SYMBOL_LEN];
	unsigned int i;

	for (i = 0; i < remote->functions->nr; i++) {
		snprintf(name, sizeof(name), "%ps", (void *)remote_function_address(remote, i));
		if (!matches(remote, word + out, name))
			continue;
		found = true;
		__assign_bit(i, list, !out);
	}
	return found ? 0 : -EINVAL;
}

/*
 * Files of lists
 */

/* An open file; @is_new if the next write replaces the list */
struct list_file {
	struct trace_remote	*remote;
	enum function_list	list;
	bool			is_new;
};

static int list_show(struct seq_file *m, void *v)
{
	struct list_file *lf = m->private;
	struct trace_remote *remote = lf->remote;
	unsigned int i;

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	if (bitmap_empty(remote->functions->lists[lf->list], remote->functions->nr))
		seq_printf(m, "%s\n", list_files[lf->list].empty);
	for_each_set_bit(i, remote->functions->lists[lf->list], remote->functions->nr)
		seq_printf(m, "%ps\n", (void *)remote_function_address(remote, i));
	return 0;
}

static int apply_words(struct list_file *lf, char *words)
{
	struct remote_functions *f = lf->remote->functions;
	char *word;
	int ret;

	unsigned long *to __free(bitmap) = bitmap_zalloc(f->nr, GFP_KERNEL);
	unsigned long *spare __free(bitmap) = bitmap_zalloc(f->nr, GFP_KERNEL);

	if (!to || !spare)
		return -ENOMEM;
	CLASS(remote_lock, locked)(lf->remote);
	if (!locked)
		return -EINTR;
	if (!lf->is_new)
		bitmap_copy(to, f->lists[lf->list], f->nr);
	while ((word = strsep(&words, " \t\n"))) {
		ret = *word ? apply_word(lf->remote, word, to) : 0;
		if (ret)
			return ret;
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	ret = remote_set_list(lf->remote, lf->list, to, spare);
	if (!ret)
		lf->is_new = false;
	return ret;
}

static ssize_t list_write(struct file *filp, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct list_file *lf = ((struct seq_file *)filp->private_data)->private;
	char *words;
	int ret;

	if (cnt > MAX_LIST_WRITE)
		return -E2BIG;
	words = memdup_user_nul(ubuf, cnt);
	if (IS_ERR(words))
		return PTR_ERR(words);
	ret = apply_words(lf, words);
	kfree(words);
	return ret ?: cnt;
}

static int list_open(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	struct list_file *lf;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	lf = kzalloc(sizeof(*lf), GFP_KERNEL);
	ret = lf ? single_open(filp, list_show, lf) : -ENOMEM;
	if (ret) {
		kfree(lf);
		trace_array_put(tr);
		return ret;
	}
	lf->remote = to_remote(tr);
	lf->is_new = (filp->f_mode & FMODE_WRITE) && (filp->f_flags & O_TRUNC);
	while (strcmp(filp->f_path.dentry->d_name.name, list_files[lf->list].name))
		lf->list++;
	return 0;
}

/* A file that was truncated, and to which nothing was written, is an empty list */
static int list_release(struct inode *inode, struct file *filp)
{
	struct list_file *lf = ((struct seq_file *)filp->private_data)->private;
	struct trace_array *tr = inode->i_private;
	char none[] = "";
	int ret = lf->is_new ? apply_words(lf, none) : 0;

	if (ret)
		pr_warn("%s: cannot empty %s: %d\n", tr->name, list_files[lf->list].name, ret);
	kfree(lf);
	single_release(inode, filp);
	trace_array_put(tr);
	return 0;
}

static const struct file_operations list_fops = {
	.open		= list_open,
	.read		= seq_read,
	.write		= list_write,
	.llseek		= tracing_lseek,
	.release	= list_release,
};

/*
 * The other files
 */

static int functions_show(struct seq_file *m, void *v)
{
	struct trace_remote *remote = to_remote(m->private);
	unsigned int i;

	for (i = 0; i < remote->functions->nr; i++)
		seq_printf(m, "%ps\n", (void *)remote_function_address(remote, i));
	return 0;
}

static int tracers_show(struct seq_file *m, void *v)
{
	int i;

	for (i = NR_TRACERS; i--; )
		seq_printf(m, "%s%c", tracer_names[i], i ? ' ' : '\n');
	return 0;
}

static int tracer_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%s\n", tracer_names[READ_ONCE(to_remote(m->private)->functions->tracer)]);
	return 0;
}

static ssize_t tracer_write(struct file *filp, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_remote *remote = to_remote(((struct seq_file *)filp->private_data)->private);
	char name[32];
	int i, ret;

	if (cnt >= sizeof(name))
		return -EINVAL;
	if (copy_from_user(name, ubuf, cnt))
		return -EFAULT;
	name[cnt] = '\0';
	i = match_string(tracer_names, NR_TRACERS, strim(name));
	if (i < 0)
		return -EINVAL;

	CLASS(remote_lock, locked)(remote);
	if (!locked)
		return -EINTR;
	ret = remote_set_tracer(remote, i);
	return ret ?: cnt;
}

#define SHOW_FOPS(name, ...)						\
	static int name##_open(struct inode *inode, struct file *filp)	\
	{								\
		return remote_open_show(inode, filp, name##_show);		\
	}								\
	static const struct file_operations name##_fops = {		\
		.open		= name##_open,				\
		.read		= seq_read,				\
		.llseek		= tracing_lseek,			\
		.release	= remote_release_show,				\
		__VA_ARGS__						\
	}

SHOW_FOPS(functions);
SHOW_FOPS(tracers);
SHOW_FOPS(tracer, .write = tracer_write);

void remote_create_function_files(struct trace_remote *remote)
{
	struct trace_array *tr = &remote->tr;
	struct dentry *dir = tr->dir;
	int i;

	if (!remote->functions)
		return;
	trace_create_file("available_filter_functions", TRACE_MODE_READ, dir, tr, &functions_fops);
	trace_create_file("available_tracers", TRACE_MODE_READ, dir, tr, &tracers_fops);
	trace_create_file("current_tracer", TRACE_MODE_WRITE, dir, tr, &tracer_fops);
	for (i = 0; i < NR_LISTS; i++)
		trace_create_file(list_files[i].name, TRACE_MODE_WRITE, dir, tr, &list_fops);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing the functions of a remote: the files current_tracer, available_tracers,
 * available_filter_functions, set_ftrace_filter, set_ftrace_notrace and set_graph_function, with
 * the meaning that they have elsewhere in tracefs.
 *
 * The lists are bitmaps of the remote's functions. What follows from them and from the tracer is
 * compared with how each function is traced, and the writer is told of the differences. A change
 * that fails is undone, as far as the writer lets it be.
 *
 * Locks: trace_remote::lock protects all of it.
 */
#include <linux/bitmap.h>
#include <linux/glob.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>

#include "trace_remote_core.h"

/* What is written at once to a list */
#define MAX_LIST_WRITE	SZ_64K

enum function_tracer { TRACER_NOP, TRACER_FUNCTION, TRACER_GRAPH, NR_TRACERS };

static const char *const tracer_names[NR_TRACERS] = { "nop", "function", "function_graph" };

enum function_list { LIST_FILTER, LIST_NOTRACE, LIST_GRAPH, NR_LISTS };

/* A file of a list, and what it shows while that is empty */
static const struct {
	const char *name;
	const char *empty;
} list_files[NR_LISTS] = {
	[LIST_FILTER]	= { "set_ftrace_filter", "#### all functions enabled ####" },
	[LIST_NOTRACE]	= { "set_ftrace_notrace", "#### no functions disabled ####" },
	[LIST_GRAPH]	= { "set_graph_function", "#### all functions enabled ####" },
};

/**
 * struct remote_functions - what is traced of a remote's functions
 * @nr:		the number of functions
 * @tracer:	current_tracer
 * @lists:	a bitmap each
 * @how:	how each function is traced
 */
struct remote_functions {
	unsigned int			nr;
	enum function_tracer		tracer;
	unsigned long			*lists[NR_LISTS];
	u8				*how;
};

/*
 * Events
 */

#define FIELD(t, n, s)	{ .type = t, .name = n, .size = sizeof(s), .align = 1,	\
			  .is_signed = is_signed_type(s) }

struct trace_event_fields trace_remote_function_fields[] = {
	FIELD("unsigned long", "ip", u64), FIELD("unsigned long", "parent_ip", u64),
	TRACE_REMOTE_ARGS_FIELD {}
};

struct trace_event_fields trace_remote_funcgraph_entry_fields[] = {
	FIELD("unsigned long", "func", u64),
	FIELD(TRACE_REMOTE_ENTRY_DEPTH, "depth", remote_entry_depth),
	TRACE_REMOTE_ARGS_FIELD {}
};

struct trace_event_fields trace_remote_funcgraph_exit_fields[] = {
	FIELD("unsigned long", "func", u64),
	FIELD(TRACE_REMOTE_EXIT_DEPTH, "depth", remote_exit_depth),
	FIELD("unsigned int", "overrun", u32),
	FIELD("unsigned long long", "calltime", u64), FIELD("unsigned long long", "rettime", u64),
	{}
};

/* Two columns for each caller. The writer is not trusted with the depth */
static void print_indent(struct trace_seq *s, int depth)
{
	trace_seq_printf(s, "%*s", 2 * clamp(depth, 0, 64), "");
}

void trace_remote_function_print(struct trace_seq *s, const void *data)
{
	const struct remote_function *rec = data;

	trace_seq_printf(s, "%ps <-- %ps", (void *)(unsigned long)rec->ip,
			 (void *)(unsigned long)rec->parent_ip);
}

void trace_remote_funcgraph_entry_print(struct trace_seq *s, const void *data)
{
	const struct remote_funcgraph_entry *rec = data;

	print_indent(s, rec->depth);
	trace_seq_printf(s, "--> %ps (%d)", (void *)(unsigned long)rec->func, (int)rec->depth);
}

void trace_remote_funcgraph_exit_print(struct trace_seq *s, const void *data)
{
	const struct remote_funcgraph_exit *rec = data;

	print_indent(s, rec->depth);
	trace_seq_printf(s, "<-- %ps (%d) (took: %llu) over: %u",
			 (void *)(unsigned long)rec->func, (int)rec->depth,
			 rec->rettime - rec->calltime, rec->overrun);
}

int remote_function_event(const struct trace_remote_event *event)
{
	if (event->print == trace_remote_function_print)
		return TRACE_FN;
	if (event->print == trace_remote_funcgraph_entry_print)
		return TRACE_GRAPH_ENT;
	if (event->print == trace_remote_funcgraph_exit_print)
		return TRACE_GRAPH_RET;
	return 0;
}

static bool tracer_uses(enum function_tracer tracer, const struct trace_remote_event *event)
{
	switch (tracer) {
	case TRACER_FUNCTION:
		return remote_function_event(event) == TRACE_FN;
	case TRACER_GRAPH:
		return remote_function_event(event) == TRACE_GRAPH_ENT ||
		       remote_function_event(event) == TRACE_GRAPH_RET;
	case TRACER_NOP:
	case NR_TRACERS:
		break;
	}
	return false;
}

/* Switch the events on that a tracer uses, or off */
static int enable_events(struct trace_remote *remote, enum function_tracer tracer, bool on)
{
	const struct trace_remote_desc *desc = remote->desc;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < desc->nr_events && !ret; i++) {
		if (tracer_uses(tracer, &desc->events[i]))
			ret = remote_enable_event(&desc->events[i], on);
	}
	return ret;
}

/*
 * Functions
 */

static bool is_listed(const struct remote_functions *f, enum function_list list, unsigned int i)
{
	return test_bit(i, f->lists[list]);
}

static bool list_is_empty(const struct remote_functions *f, enum function_list list)
{
	return bitmap_empty(f->lists[list], f->nr);
}

static enum trace_remote_function wanted(const struct remote_functions *f, unsigned int i)
{
	if (f->tracer == TRACER_NOP || is_listed(f, LIST_NOTRACE, i) ||
	    (!list_is_empty(f, LIST_FILTER) && !is_listed(f, LIST_FILTER, i)))
		return TRACE_REMOTE_FUNCTION_OFF;
	if (f->tracer == TRACER_FUNCTION)
		return TRACE_REMOTE_FUNCTION_CALL;
	return list_is_empty(f, LIST_GRAPH) || is_listed(f, LIST_GRAPH, i) ?
	       TRACE_REMOTE_FUNCTION_ROOT : TRACE_REMOTE_FUNCTION_GRAPH;
}

/* If it fails, some functions have been switched */
static int switch_functions(struct trace_remote *remote)
{
	const struct trace_remote_desc *desc = remote->desc;
	struct remote_functions *f = remote->functions;
	unsigned int i;
	int ret;

	for (i = 0; i < f->nr; i++) {
		enum trace_remote_function how = wanted(f, i);

		if (how == f->how[i])
			continue;
		ret = desc->ops->set_function(i, how, desc->priv);
		if (ret)
			return ret;
		f->how[i] = how;
		cond_resched();
	}
	return 0;
}

/* The events first: a function that is traced while they are off costs time for nothing */
static int set_tracer(struct trace_remote *remote, enum function_tracer tracer)
{
	struct remote_functions *f = remote->functions;
	enum function_tracer old = f->tracer;
	int ret;

	lockdep_assert_held(&remote->lock);
	ret = enable_events(remote, tracer, true);
	if (!ret) {
		f->tracer = tracer;
		ret = switch_functions(remote);
	}
	if (ret) {
		f->tracer = old;
		switch_functions(remote);
		if (old != tracer)
			enable_events(remote, tracer, false);
		return ret;
	}
	return old == tracer ? 0 : enable_events(remote, old, false);
}

static int set_list(struct trace_remote *remote, enum function_list list, const unsigned long *to,
		    unsigned long *spare)
{
	struct remote_functions *f = remote->functions;
	int ret;

	lockdep_assert_held(&remote->lock);
	bitmap_copy(spare, f->lists[list], f->nr);
	bitmap_copy(f->lists[list], to, f->nr);
	ret = switch_functions(remote);
	if (ret) {
		bitmap_copy(f->lists[list], spare, f->nr);
		switch_functions(remote);
	}
	return ret;
}

static unsigned long function_address(struct trace_remote *remote, unsigned int i)
{
	return remote->desc->ops->function(i, remote->desc->priv);
}

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
		snprintf(name, sizeof(name), "%ps", (void *)function_address(remote, i));
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
	if (list_is_empty(remote->functions, lf->list))
		seq_printf(m, "%s\n", list_files[lf->list].empty);
	for_each_set_bit(i, remote->functions->lists[lf->list], remote->functions->nr)
		seq_printf(m, "%ps\n", (void *)function_address(remote, i));
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
	}
	ret = set_list(lf->remote, lf->list, to, spare);
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
		seq_printf(m, "%ps\n", (void *)function_address(remote, i));
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
	ret = set_tracer(remote, i);
	return ret ?: cnt;
}

static int open_show(struct inode *inode, struct file *filp,
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

static int release_show(struct inode *inode, struct file *filp)
{
	trace_array_put(inode->i_private);
	return single_release(inode, filp);
}

#define SHOW_FOPS(name, ...)						\
	static int name##_open(struct inode *inode, struct file *filp)	\
	{								\
		return open_show(inode, filp, name##_show);		\
	}								\
	static const struct file_operations name##_fops = {		\
		.open		= name##_open,				\
		.read		= seq_read,				\
		.llseek		= tracing_lseek,			\
		.release	= release_show,				\
		__VA_ARGS__						\
	}

SHOW_FOPS(functions);
SHOW_FOPS(tracers);
SHOW_FOPS(tracer, .write = tracer_write);

/*
 * The life of a remote
 */

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

int remote_init_functions(struct trace_remote *remote)
{
	struct remote_functions *f;
	bool has_lists = true;
	int i;

	if (!remote->desc->ops->function || !function_address(remote, 0))
		return 0;
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	remote->functions = f;
	while (function_address(remote, f->nr))
		f->nr++;
	for (i = 0; i < NR_LISTS; i++) {
		f->lists[i] = bitmap_zalloc(f->nr, GFP_KERNEL);
		has_lists = has_lists && f->lists[i];
	}
	f->how = kzalloc(f->nr, GFP_KERNEL);
	return f->how && has_lists ? 0 : -ENOMEM;
}

void remote_stop_functions(struct trace_remote *remote)
{
	int ret = remote->functions ? set_tracer(remote, TRACER_NOP) : 0;

	if (ret)
		pr_warn("%s: functions are still traced: %d\n", remote->desc->name, ret);
}

void remote_free_functions(struct trace_remote *remote)
{
	struct remote_functions *f = remote->functions;
	int i;

	if (!f)
		return;
	for (i = 0; i < NR_LISTS; i++)
		bitmap_free(f->lists[i]);
	kfree(f->how);
	kfree(f);
}

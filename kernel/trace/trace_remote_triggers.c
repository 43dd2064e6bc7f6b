// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers of a remote's events. The kernel parses them, and has the list of them in the
 * trace_event_file. Whenever that changes, the whole list is translated for the writer, which
 * executes it.
 *
 * The kernel puts an event with triggers, and one that a trigger is to switch, into the soft
 * mode. The flag SOFT_DISABLED says whether such an event is on, and the writer is asked before
 * it is looked at, as a trigger may have changed that. Counts are the writer's as well.
 *
 * A trigger is refused before anything has changed. One that is removed is gone in any case; if
 * the writer cannot be told, then the kernel's log says so.
 */
#include <linux/cleanup.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>

#include "trace_remote_core.h"

static const char *const op_names[REMOTE_TRIGGER_NR_OPS] = {
	[REMOTE_TRIGGER_TRACEOFF]	= "traceoff",
	[REMOTE_TRIGGER_TRACEON]	= "traceon",
	[REMOTE_TRIGGER_ENABLE]		= ENABLE_EVENT_STR,
	[REMOTE_TRIGGER_DISABLE]	= DISABLE_EVENT_STR,
#ifdef CONFIG_TRACE_REMOTE_STACKS
	[REMOTE_TRIGGER_STACK]		= "stacktrace",
#endif
};

/* A trigger may switch the event, or it has triggers */
static bool in_soft_mode(const struct trace_event_file *file)
{
	return atomic_read(&file->sm_ref);
}

static s64 remote_ask(struct trace_remote *remote, enum trace_remote_ask what,
		      unsigned int index, unsigned int value)
{
	const struct trace_remote_desc *desc = remote->desc;

	return desc->ops->ask ? desc->ops->ask(what, index, value, desc->priv) : 0;
}

static unsigned int index_of(const struct trace_remote_event *event)
{
	return event - event->remote->desc->events;
}

static struct trace_remote_event *file_event(struct trace_event_file *file)
{
	return container_of(file->event_call, struct trace_remote_event, call);
}

/*
 * Fields that are not in the record
 */

/* It is behind the record, which has the size of its fields and the header's */
int remote_make_hidden(struct trace_remote_event *event)
{
	const struct trace_event_fields *hidden = event->hidden, *field;
	struct ftrace_event_field *new;
	u32 end;

	event->field = NULL;
	if (!hidden)
		return 0;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	for_each_remote_field(field, end, event)
		;
	new->offset = ALIGN(end, hidden->size);
	new->name = hidden->name;
	new->type = hidden->type;
	new->size = hidden->size;
	new->is_signed = hidden->is_signed;
	new->filter_type = FILTER_OTHER;
	event->field = new;
	return 0;
}

void remote_free_hidden(struct trace_remote_event *event)
{
	kfree(event->field);
	event->field = NULL;
}

struct ftrace_event_field *trace_remote_find_field(struct trace_event_call *call,
						   const char *name)
{
	struct trace_remote_event *event = remote_event_of(call);

	return event && event->field && !strcmp(event->field->name, name) ? event->field : NULL;
}

/*
 * Switching
 */

int remote_event_arm(struct trace_remote_event *event, bool arm)
{
	s64 ret;

	lockdep_assert_held(&event->remote->lock);
	if (event->armed == arm)
		return 0;
	ret = remote_ask(event->remote, TRACE_REMOTE_ARM, index_of(event), arm);
	if (!ret)
		event->armed = arm;
	return ret;
}

bool remote_is_stopped(struct trace_remote *remote)
{
	return remote_ask(remote, TRACE_REMOTE_IS_STOPPED, 0, 0) > 0;
}

/* The CPU whose event has stopped tracing */
static ssize_t stopped_by_read(struct file *filp, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	s64 by = remote_ask(to_remote(filp->private_data), TRACE_REMOTE_IS_STOPPED, 0, 0);
	char buf[24];
	int len = by > 0 ? scnprintf(buf, sizeof(buf), "%lld\n", by - 1) :
			   scnprintf(buf, sizeof(buf), "none\n");

	return simple_read_from_buffer(ubuf, cnt, ppos, buf, len);
}

static const struct file_operations stopped_by_fops = {
	.open		= tracing_open_generic_tr,
	.read		= stopped_by_read,
	.llseek		= generic_file_llseek,
	.release	= tracing_release_generic_tr,
};

void remote_create_trigger_files(struct trace_remote *remote)
{
	if (remote->desc->ops->ask)
		trace_create_file("stopped_by", TRACE_MODE_READ, remote->tr.dir, &remote->tr,
				  &stopped_by_fops);
}

int remote_go_on(struct trace_remote *remote)
{
	lockdep_assert_held(&remote->lock);
	return remote_ask(remote, TRACE_REMOTE_GO_ON, 0, 0);
}

void __trace_remote_read_flags(struct trace_event_file *file)
{
	struct trace_remote_event *event = file_event(file);
	s64 on;

	if (!in_soft_mode(file))
		return;
	on = remote_ask(event->remote, TRACE_REMOTE_EVENT_IS_ON, index_of(event), 0);
	if (on < 0)
		return;
	event->enabled = on;
	if (on)
		clear_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags);
	else
		set_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags);
}

/* As the kernel does it, which does not expect that it fails */
static void soft_mode_failed(struct trace_event_file *file, unsigned long was, bool held)
{
	if (held && !atomic_dec_return(&file->sm_ref)) {
#ifndef TRACE_REMOTE_LINUX_7
		clear_bit(EVENT_FILE_FL_SOFT_MODE_BIT, &file->flags);
#endif
		trace_buffered_event_disable();
	}
	if (was & EVENT_FILE_FL_SOFT_DISABLED)
		set_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags);
	else
		clear_bit(EVENT_FILE_FL_SOFT_DISABLED_BIT, &file->flags);
}

int __trace_remote_event_changed(struct trace_event_file *file, unsigned long was, bool held,
				 int ret)
{
	struct trace_remote_event *event = file_event(file);
	bool on = !(file->flags & EVENT_FILE_FL_SOFT_DISABLED);
	bool armed = in_soft_mode(file);

	if (!ret && (file->flags & EVENT_FILE_FL_ENABLED) &&
	    (event->enabled != on || event->armed != armed))
		ret = remote_switch_event(event, on, armed);
	if (ret)
		soft_mode_failed(file, was, held);
	return ret;
}

/*
 * Triggers
 */

bool trace_remote_has_triggers(struct trace_event_file *file)
{
	return to_remote(file->tr)->desc->ops->set_triggers &&
	       !(file->event_call->flags & TRACE_EVENT_FL_NO_SET_FILTER);
}

bool __trace_remote_has_trigger(const char *name)
{
	return match_string(op_names, ARRAY_SIZE(op_names), name) >= 0;
}

int trace_remote_check_filter(struct trace_array *tr, struct event_filter *filter)
{
	struct remote_filter *program __free(kfree) = kzalloc(sizeof(*program), GFP_KERNEL);

	return program ? event_filter_to_remote(tr, filter, program) : -ENOMEM;
}

/* The filter has been checked when the trigger was made */
static int trigger_to_remote(struct trace_event_file *file, const struct event_trigger_data *data,
			     struct remote_trigger *to)
{
	struct event_filter *filter = rcu_dereference_protected(data->filter,
						lockdep_is_held(&event_mutex));
	const struct enable_trigger_data *enable = data->private_data;

	to->op = match_string(op_names, ARRAY_SIZE(op_names), data->cmd_ops->name);
	to->count = data->count > S64_MAX ? REMOTE_TRIGGER_UNLIMITED : data->count;
	if (to->op == REMOTE_TRIGGER_ENABLE || to->op == REMOTE_TRIGGER_DISABLE) {
		to->event = index_of(file_event(enable->file));
		to->id = enable->file->event_call->event.type;
	}
	return filter ? event_filter_to_remote(file->tr, filter, &to->filter) : 0;
}

static int triggers_to_remote(struct trace_event_file *file, struct event_trigger_data *without,
			      struct remote_triggers *to)
{
	struct event_trigger_data *data;
	int ret;

	list_for_each_entry(data, &file->triggers, list) {
		if (data == without)
			continue;
		if (to->nr == REMOTE_TRIGGERS_MAX)
			return -ENOSPC;
		ret = trigger_to_remote(file, data, &to->list[to->nr++]);
		if (ret)
			return ret;
	}
	return 0;
}

/* Give the writer the list, but for the one @without */
static int set_triggers(struct trace_event_file *file, struct event_trigger_data *without)
{
	struct trace_remote_event *event = file_event(file);
	const struct trace_remote_desc *desc = event->remote->desc;
	int ret;

	struct remote_triggers *to __free(kfree) = kzalloc(sizeof(*to), GFP_KERNEL);

	if (!to)
		return -ENOMEM;
	ret = triggers_to_remote(file, without, to);
	if (ret)
		return ret;
	CLASS(remote_lock, locked)(event->remote);
	if (!locked)
		return -EINTR;
	return desc->ops->set_triggers(index_of(event), to->nr ? to : NULL, desc->priv);
}

static s64 read_count(struct trace_remote_event *event, unsigned int nr)
{
	guard(mutex)(&event->remote->lock);
	return remote_ask(event->remote, TRACE_REMOTE_COUNT, index_of(event), nr);
}

/* Before the list is shown or changes: the writer has the same */
void __trace_remote_read_counts(struct trace_event_file *file)
{
	struct event_trigger_data *data;
	unsigned int nr = 0;
	s64 count;

	lockdep_assert_held(&event_mutex);
	list_for_each_entry(data, &file->triggers, list) {
		count = data->count <= S64_MAX ? read_count(file_event(file), nr) : -1;
		if (count >= 0)
			data->count = count;
		nr++;
	}
}

static int soft_enable(struct trace_event_file *file)
{
	int ret = 0;

	if (atomic_inc_return(&file->tm_ref) == 1) {
		set_bit(EVENT_FILE_FL_TRIGGER_MODE_BIT, &file->flags);
		ret = trace_event_enable_disable(file, 1, 1);
	}
	if (ret && !atomic_dec_return(&file->tm_ref))
		clear_bit(EVENT_FILE_FL_TRIGGER_MODE_BIT, &file->flags);
	return ret;
}

static int soft_disable(struct trace_event_file *file)
{
	if (atomic_dec_return(&file->tm_ref) > 0)
		return 0;
	clear_bit(EVENT_FILE_FL_TRIGGER_MODE_BIT, &file->flags);
	return trace_event_enable_disable(file, 0, 1);
}

/* The new one is the first in the list */
static int trigger_added(struct trace_event_file *file)
{
	struct event_trigger_data *new = list_first_entry(&file->triggers,
							  struct event_trigger_data, list);
	int ret;

	ret = soft_enable(file);
	if (!ret) {
		ret = set_triggers(file, NULL);
		if (ret)
			soft_disable(file);
	}
	/* The caller frees it, and does not expect that it was used once more */
	if (ret)
		new->ref--;
	return ret;
}

static int trigger_removed(struct trace_event_file *file)
{
	int ret = set_triggers(file, NULL);

	if (ret)
		pr_warn("%s: the writer may still execute a trigger of %s: %d\n",
			to_remote(file->tr)->desc->name, file_event(file)->name, ret);
	return soft_disable(file);
}

int trace_remote_triggers_changed(struct trace_event_file *file, bool added)
{
	lockdep_assert_held(&event_mutex);
	return added ? trigger_added(file) : trigger_removed(file);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel parameters of remotes: how a remote traces from its registration on. The host has the
 * like for its own events: trace_event=, trace_buf_size=, trace_clock= and so on.
 *
 * Each is <remote>:<value>, can be given several times, and is applied when the remote is
 * registered. What cannot be applied is named in the kernel's log and has no effect; the
 * rest counts.
 */
#include <linux/cleanup.h>
#include <linux/glob.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "trace_remote_core.h"

/* In the order in which they are applied; the memory, before that */
enum remote_param_kind {
	REMOTE_PARAM_MEM,
	REMOTE_PARAM_SIZE,
	REMOTE_PARAM_CLOCK,
	REMOTE_PARAM_OPTIONS,
	REMOTE_PARAM_FILTER,
	REMOTE_PARAM_TRIGGER,
	REMOTE_PARAM_EVENTS,
	NR_REMOTE_PARAMS
};

static const char *const param_names[NR_REMOTE_PARAMS] = {
	[REMOTE_PARAM_MEM]	= "trace_remote_mem",
	[REMOTE_PARAM_SIZE]	= "trace_remote_buf_size",
	[REMOTE_PARAM_CLOCK]	= "trace_remote_clock",
	[REMOTE_PARAM_OPTIONS]	= "trace_remote_options",
	[REMOTE_PARAM_FILTER]	= "trace_remote_filter",
	[REMOTE_PARAM_TRIGGER]	= "trace_remote_trigger",
	[REMOTE_PARAM_EVENTS]	= "trace_remote",
};

/* The text is in the kernel's copy of the command line, which stays */
static struct remote_param {
	enum remote_param_kind	kind;
	const char		*text;
} remote_params[32] __ro_after_init;

static unsigned int nr_params __ro_after_init;

static int __init add_param(enum remote_param_kind kind, const char *text)
{
	if (nr_params == ARRAY_SIZE(remote_params))
		pr_warn("%s=%s is ignored: there are too many parameters\n", param_names[kind],
			text);
	else
		remote_params[nr_params++] = (struct remote_param){ kind, text };
	return 1;
}

#define REMOTE_PARAM(name, kind)					\
	static int __init set_##name(char *text)			\
	{								\
		return add_param(kind, text);				\
	}								\
	__setup(#name "=", set_##name)

REMOTE_PARAM(trace_remote, REMOTE_PARAM_EVENTS);
#ifdef CONFIG_TRACE_REMOTE_LAST_BOOT
REMOTE_PARAM(trace_remote_mem, REMOTE_PARAM_MEM);
#endif
REMOTE_PARAM(trace_remote_buf_size, REMOTE_PARAM_SIZE);
REMOTE_PARAM(trace_remote_clock, REMOTE_PARAM_CLOCK);
REMOTE_PARAM(trace_remote_options, REMOTE_PARAM_OPTIONS);
REMOTE_PARAM(trace_remote_filter, REMOTE_PARAM_FILTER);
REMOTE_PARAM(trace_remote_trigger, REMOTE_PARAM_TRIGGER);

/* What a parameter says of a remote; "" if only its name is there, NULL if it is not */
static const char *param_value(const struct remote_param *param, const char *remote)
{
	size_t len = strlen(remote);

	if (strncmp(param->text, remote, len))
		return NULL;
	if (!param->text[len])
		return "";
	return param->text[len] == ':' ? param->text + len + 1 : NULL;
}

/* The next pattern of a list, into @pattern; false behind the last one */
static bool next_pattern(const char **list, char *pattern, size_t size)
{
	size_t len = strcspn(*list, ",");

	if (!**list)
		return false;
	strscpy(pattern, *list, min(len + 1, size));
	*list += len + ((*list)[len] == ',');
	return true;
}

/* An empty list has all events */
static bool list_has(const char *list, const char *event)
{
	char pattern[MAX_EVENT_NAME_LEN];

	if (!*list)
		return true;
	while (next_pattern(&list, pattern, sizeof(pattern))) {
		if (glob_match(pattern, event))
			return true;
	}
	return false;
}

bool trace_remote_boot_has(const char *remote, const char *event)
{
	const struct remote_param *param;

	for (param = remote_params; param < remote_params + nr_params; param++) {
		const char *list = param_value(param, remote);

		if (param->kind == REMOTE_PARAM_EVENTS && list && list_has(list, event))
			return true;
	}
	return false;
}

#ifdef CONFIG_TRACE_REMOTE_LAST_BOOT
const char *remote_param_mem(const char *remote)
{
	const struct remote_param *param;

	for (param = remote_params; param < remote_params + nr_params; param++) {
		const char *label = param_value(param, remote);

		if (param->kind == REMOTE_PARAM_MEM && label)
			return label;
	}
	return NULL;
}
#endif

/*
 * Applying
 */

static int apply_size(struct trace_remote *remote, char *text)
{
	unsigned long size = memparse(text, &text);

	if (*text)
		return -EINVAL;
	guard(mutex)(&remote->lock);
	return remote_set_size(remote, DIV_ROUND_UP(size, SZ_1K));
}

static int apply_clock(struct trace_remote *remote, char *text)
{
	return tracing_set_clock(&remote->tr, text);
}

static int apply_options(struct trace_remote *remote, char *text)
{
	char *option;
	int ret;

	while ((option = strsep(&text, ","))) {
		ret = trace_set_options(&remote->tr, option);
		if (ret)
			pr_warn("%s: trace_remote_options=: cannot set %s: error %d\n",
				remote->desc->name, option, ret);
	}
	return 0;
}

/* Of <event>.<what>; ends the event's name. With event_mutex */
static struct trace_event_file *named_file(struct trace_remote *remote, char *text, char **what)
{
	*what = text;
	text = strsep(what, ".");
	return *what ? find_event_file(&remote->tr, remote->desc->name, text) : NULL;
}

static int apply_filter(struct trace_remote *remote, char *text)
{
	struct trace_event_file *file;
	char *filter;

	guard(mutex)(&event_mutex);
	file = named_file(remote, text, &filter);
	return file ? trace_remote_apply_filter(file, filter) : -ENOENT;
}

static int apply_trigger(struct trace_remote *remote, char *text)
{
	struct trace_event_file *file;
	char *trigger;

	guard(mutex)(&event_mutex);
	file = named_file(remote, text, &trigger);
	if (!file)
		return -ENOENT;
	return trace_remote_has_triggers(file) ? trigger_process_regex(file, trigger) : -EOPNOTSUPP;
}

/* Those that a tracer or an option switches are not among them */
static bool is_switched(const struct trace_event_file *file)
{
	return !(file->event_call->flags & TRACE_EVENT_FL_IGNORE_ENABLE);
}

static bool any_event_matches(struct trace_remote *remote, const char *pattern)
{
	struct trace_event_file *file;

	list_for_each_entry(file, &remote->tr.events, list) {
		if (is_switched(file) &&
		    glob_match(pattern, trace_event_name(file->event_call)))
			return true;
	}
	return false;
}

static int enable_events(struct trace_remote *remote, const char *list)
{
	struct trace_event_file *file;
	int ret, first = 0;

	list_for_each_entry(file, &remote->tr.events, list) {
		if (!is_switched(file) || !list_has(list, trace_event_name(file->event_call)))
			continue;
		ret = trace_event_enable_disable(file, 1, 0);
		first = first ?: ret;
	}
	return first;
}

static int apply_events(struct trace_remote *remote, char *text)
{
	char pattern[MAX_EVENT_NAME_LEN];
	const char *list = text;

	guard(mutex)(&event_mutex);
	while (next_pattern(&list, pattern, sizeof(pattern))) {
		if (!any_event_matches(remote, pattern))
			pr_warn("%s: trace_remote=: there is no event %s\n", remote->desc->name,
				pattern);
	}
	return enable_events(remote, text);
}

static int (*const apply[NR_REMOTE_PARAMS])(struct trace_remote *remote, char *text) = {
	[REMOTE_PARAM_SIZE]	= apply_size,
	[REMOTE_PARAM_CLOCK]	= apply_clock,
	[REMOTE_PARAM_OPTIONS]	= apply_options,
	[REMOTE_PARAM_FILTER]	= apply_filter,
	[REMOTE_PARAM_TRIGGER]	= apply_trigger,
	[REMOTE_PARAM_EVENTS]	= apply_events,
};

/* Does the parameter name the remote? */
static bool apply_param(struct trace_remote *remote, const struct remote_param *param)
{
	const char *value = param_value(param, remote->desc->name);
	int ret = -ENOMEM;

	if (!value)
		return false;

	char *text __free(kfree) = kstrdup(value, GFP_KERNEL);

	if (text)
		ret = apply[param->kind](remote, text);
	if (ret)
		pr_warn("%s: %s=%s: error %d\n", remote->desc->name, param_names[param->kind],
			param->text, ret);
	return true;
}

void remote_apply_params(struct trace_remote *remote)
{
	const struct remote_param *param;
	enum remote_param_kind kind;
	bool on = false;
	int ret;

	for (kind = REMOTE_PARAM_SIZE; kind < NR_REMOTE_PARAMS; kind++) {
		for (param = remote_params; param < remote_params + nr_params; param++) {
			if (param->kind == kind && apply_param(remote, param))
				on |= kind == REMOTE_PARAM_EVENTS;
		}
	}
	if (!on)
		return;
	scoped_guard(mutex, &remote->lock)
		ret = remote_set_on(remote, true);
	if (ret)
		pr_warn("%s: cannot trace from the boot on: error %d\n", remote->desc->name, ret);
}

/* By now all remotes that are built in have been registered */
static int __init check_params(void)
{
	const struct remote_param *param;
	struct trace_remote *remote;
	bool known;

	guard(mutex)(&trace_types_lock);
	for (param = remote_params; param < remote_params + nr_params; param++) {
		known = false;
		list_for_each_entry(remote, &trace_remotes, list)
			known = known || param_value(param, remote->desc->name);
		if (!known)
			pr_info("%s=%s: there is no such remote so far\n",
				param_names[param->kind], param->text);
	}
	return 0;
}
late_initcall_sync(check_params);

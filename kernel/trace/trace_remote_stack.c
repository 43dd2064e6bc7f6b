// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks of a remote: the kernel's own event ftrace/kernel_stack, and options/stacktrace, which
 * switches it. Then the writer writes a stack after each other event.
 */
#include <linux/build_bug.h>
#include <linux/stringify.h>

#include "trace_remote_core.h"

#define STACK_FIELDS	8	/* of those that the format shows, whatever the record has */

struct trace_event_fields trace_remote_stack_fields[] = {
	{ .type = "int", .name = "size", .size = sizeof(s32), .align = sizeof(s32),
	  .is_signed = 1 },
	{ .type = "unsigned long[" __stringify(STACK_FIELDS) "]", .name = "caller",
	  .size = STACK_FIELDS * sizeof(u64), .align = sizeof(u64), .len = STACK_FIELDS },
	{}
};

/* Only if remote_stack_is_whole() */
void trace_remote_stack_print(struct trace_seq *s, const void *data)
{
	const struct remote_stack *stack = data;
	s32 i;

	trace_seq_puts(s, "<stack trace>");
	for (i = 0; i < stack->size; i++)
		trace_seq_printf(s, "\n => %ps", (void *)(unsigned long)stack->caller[i]);
}

int remote_stack_event(const struct trace_remote_event *event)
{
	BUILD_BUG_ON(REMOTE_STACK_ID != TRACE_STACK);

	return event->print == trace_remote_stack_print ? TRACE_STACK : 0;
}

bool remote_stack_is_whole(const struct remote_rec *rec, u32 size)
{
	const struct remote_stack *stack = (const struct remote_stack *)rec;

	return size >= offsetof(struct remote_stack, caller) &&
	       stack->size >= 0 && stack->size <= REMOTE_STACK_MAX &&
	       size >= offsetof(struct remote_stack, caller[stack->size]);
}

static struct trace_remote_event *find_stack_event(struct trace_remote *remote)
{
	struct trace_remote_event *events = remote->desc->events;
	unsigned int i;

	for (i = 0; i < remote->desc->nr_events; i++) {
		if (remote_stack_event(&events[i]))
			return &events[i];
	}
	return NULL;
}

bool remote_has_stacks(struct trace_remote *remote)
{
	return find_stack_event(remote);
}

int remote_set_stacks(struct trace_remote *remote, bool on)
{
	struct trace_remote_event *event = find_stack_event(remote);

	lockdep_assert_held(&remote->lock);
	return event ? remote_enable_event(event, on) : -EINVAL;
}

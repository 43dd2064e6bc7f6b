/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_TRACE_REMOTE_TRIGGER_H
#define _LINUX_TRACE_REMOTE_TRIGGER_H
/*
 * Triggers of a remote's events: what the writer does when an event happens. The host
 * translates the kernel's triggers of an event to a list, which the writer executes.
 *
 * A writer that does not trust the host calls remote_triggers_check() first. From then on
 * only the counts change.
 */
#include <linux/trace_remote_filter.h>

/** REMOTE_TRIGGERS_MAX - largest number of triggers of an event; they fit into a small page */
#define REMOTE_TRIGGERS_MAX	7

/** REMOTE_TRIGGER_UNLIMITED - the count of a trigger that has none */
#define REMOTE_TRIGGER_UNLIMITED	(~0ULL)

/**
 * enum remote_trigger_op - what a trigger does
 * @REMOTE_TRIGGER_TRACEOFF: stop all CPUs' writers, once the event has been written
 * @REMOTE_TRIGGER_TRACEON: let them go on, before it is written
 * @REMOTE_TRIGGER_ENABLE: switch another event on, before it is written
 * @REMOTE_TRIGGER_DISABLE: switch another event off, before it is written
 * @REMOTE_TRIGGER_STACK: write the call chain, once the event has been written
 * @REMOTE_TRIGGER_NR_OPS: the number of them
 */
enum remote_trigger_op {
	REMOTE_TRIGGER_TRACEOFF,
	REMOTE_TRIGGER_TRACEON,
	REMOTE_TRIGGER_ENABLE,
	REMOTE_TRIGGER_DISABLE,
#ifdef CONFIG_TRACE_REMOTE_STACKS
	REMOTE_TRIGGER_STACK,
#endif
	REMOTE_TRIGGER_NR_OPS,
};

/**
 * struct remote_trigger - a trigger
 * @count: how often it may still act, or REMOTE_TRIGGER_UNLIMITED
 * @event: index of the event to be switched on or off, else 0
 * @id: the id of that event, else 0
 * @op: enum remote_trigger_op
 * @reserved: 0
 * @filter: only for records that pass; for all if it has no comparison
 */
struct remote_trigger {
	u64			count;
	u16			event;
	u16			id;
	u8			op;
	u8			reserved[3];
	struct remote_filter	filter;
};

/**
 * struct remote_triggers - the triggers of an event
 * @nr: number of triggers
 * @list: the triggers, in the order in which they are executed
 */
struct remote_triggers {
	u32			nr;
	struct remote_trigger	list[REMOTE_TRIGGERS_MAX];
};

/**
 * remote_triggers_check - is this a valid list for an event with records of this size
 * @triggers: from the host
 * @nr_events: the number of events of the remote
 * @rec_size: bytes of the record that filters may look at
 *
 * Return: 0 or -EINVAL.
 */
static inline int remote_triggers_check(const struct remote_triggers *triggers, u32 nr_events,
					u32 rec_size)
{
	u32 i;

	if (triggers->nr > REMOTE_TRIGGERS_MAX)
		return -EINVAL;
	for (i = 0; i < triggers->nr; i++) {
		const struct remote_trigger *trigger = &triggers->list[i];

		if (trigger->op >= REMOTE_TRIGGER_NR_OPS || trigger->event >= nr_events ||
		    trigger->reserved[0] || trigger->reserved[1] || trigger->reserved[2] ||
		    remote_filter_check(&trigger->filter, rec_size))
			return -EINVAL;
	}
	return 0;
}

/* Does it act on this record? A count that is used up says no */
static inline bool remote_trigger_match(const struct remote_trigger *trigger, const void *rec,
					u32 rec_size)
{
	return READ_ONCE(trigger->count) &&
	       (!trigger->filter.nr || remote_filter_match(&trigger->filter, rec, rec_size));
}

/* With a lock: it acts now */
static inline bool remote_trigger_use(struct remote_trigger *trigger)
{
	if (!trigger->count)
		return false;
	if (trigger->count != REMOTE_TRIGGER_UNLIMITED)
		WRITE_ONCE(trigger->count, trigger->count - 1);
	return true;
}

#endif /* _LINUX_TRACE_REMOTE_TRIGGER_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing the hypervisor, host side: triggers, which EL2 executes, and the field duration.
 */
#include <linux/gfp.h>
#include <linux/slab.h>

#include "hyp_trace_core.h"

/* A field of hyp_exit that is not in the record */
const struct trace_event_fields hyp_exit_duration = {
	.type = "u64", .name = "duration", .size = sizeof(u64),
};

/*
 * Why the places of an event are on while it is off: it has triggers, or a trigger may switch it;
 * for hyp_enter, as the duration of a visit is used by a filter or trigger of hyp_exit; or EL2
 * counts at the event
 */
#define HYP_ARMED_BY_REMOTE	BIT(0)
#define HYP_ARMED_BY_FILTER	BIT(1)
#define HYP_ARMED_BY_TRIGGERS	BIT(2)
#define HYP_ARMED_BY_COUNTERS	BIT(3)

/* Under the remote's mutex, as all that follows */
static u8 hyp_armed[NR_HYP_EVENTS];
static bool hyp_on[NR_HYP_EVENTS];

static int hyp_arm(unsigned int index, u8 why, bool arm)
{
	u8 old = hyp_armed[index], new = arm ? old | why : old & ~why;
	int ret = 0;

	if (!old != !new)
		ret = hyp_call(__hyp_trace_trigger, HYP_TRIGGER_ARM, index, !!new) ?:
		      hyp_text_set_host(HYP_TEXT_EVENTS, index, new || hyp_on[index]);
	if (!ret)
		hyp_armed[index] = new;
	return ret;
}

int hyp_arm_counters(bool arm)
{
	return hyp_arm(HYP_EVENT_hyp_enter, HYP_ARMED_BY_COUNTERS, arm) ?:
	       hyp_arm(HYP_EVENT_host_hcall, HYP_ARMED_BY_COUNTERS, arm) ?:
	       hyp_arm(HYP_EVENT_hyp_exit, HYP_ARMED_BY_COUNTERS, arm);
}

/* The host has switched the event. Are its places in EL2's text to be on? */
bool hyp_places_are_on(unsigned int index, bool on)
{
	hyp_on[index] = on;
	return on || hyp_armed[index];
}

/* Before EL2 gets it if it uses the time of entries, and afterwards if it does not */
static int time_entries(unsigned int index, u8 why, bool timed, bool before)
{
	if (index != HYP_EVENT_hyp_exit || timed != before)
		return 0;
	return hyp_arm(HYP_EVENT_hyp_enter, why, timed);
}

int hyp_time_filter(unsigned int index, const struct remote_filter *filter, bool before)
{
	return time_entries(index, HYP_ARMED_BY_FILTER, hyp_filter_is_timed(filter), before);
}

static int time_triggers(unsigned int index, const struct remote_triggers *triggers, bool before)
{
	return time_entries(index, HYP_ARMED_BY_TRIGGERS, hyp_triggers_are_timed(triggers), before);
}

/**
 * struct hyp_triggers - the triggers of an event
 * @program: what they are; NULL if there are none
 * @page: the page that EL2 has for them; NULL if there is none
 */
struct hyp_triggers {
	struct remote_triggers	*program;
	void			*page;
};

static struct hyp_triggers hyp_triggers[NR_HYP_EVENTS];

static int hyp_give_triggers(unsigned int index, const struct remote_triggers *program)
{
	void *page = NULL;
	int ret = 0;

	if (program) {
		page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
		if (!page)
			return -ENOMEM;
		memcpy(page, program, sizeof(*program));
		ret = hyp_map_pages(page, 1);
	}
	if (!ret)
		ret = hyp_call(__hyp_trace_set_triggers, index, program ? program->nr : 0,
			       page ? virt_to_pfn(page) : 0);
	if (ret) {
		free_page((unsigned long)page);
		return ret;
	}
	free_page((unsigned long)hyp_triggers[index].page);
	hyp_triggers[index].page = page;
	return 0;
}

static s64 hyp_count(unsigned int index, unsigned int nr)
{
	const struct hyp_triggers *triggers = &hyp_triggers[index];

	if (!triggers->program || nr >= triggers->program->nr)
		return -EINVAL;
	if (!triggers->page)
		return triggers->program->list[nr].count;
	return hyp_is_there() ?
	       (s64)kvm_call_hyp_nvhe(__hyp_trace_trigger, HYP_TRIGGER_COUNT, index, nr) : -EIO;
}

/* Before EL2 forgets them */
static void hyp_keep_counts(unsigned int index)
{
	struct remote_triggers *program = hyp_triggers[index].program;
	unsigned int i;

	for (i = 0; i < program->nr; i++) {
		s64 count = hyp_count(index, i);

		if (count >= 0 && program->list[i].count != REMOTE_TRIGGER_UNLIMITED)
			program->list[i].count = count;
	}
}

int hyp_load_triggers(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < NR_HYP_EVENTS && !ret; i++) {
		if (hyp_triggers[i].program)
			ret = hyp_give_triggers(i, hyp_triggers[i].program);
	}
	return ret;
}

int hyp_unload_triggers(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < NR_HYP_EVENTS && !ret; i++) {
		if (!hyp_triggers[i].page)
			continue;
		if (hyp_triggers[i].program)
			hyp_keep_counts(i);
		ret = hyp_give_triggers(i, NULL);
	}
	return ret;
}

/* EL2 has triggers only while buffers are loaded */
int hyp_trace_set_triggers(unsigned int index, const struct remote_triggers *triggers, void *priv)
{
	struct remote_triggers *copy = NULL;
	int ret;

	if (triggers) {
		copy = kmemdup(triggers, sizeof(*triggers), GFP_KERNEL);
		if (!copy)
			return -ENOMEM;
	}
	ret = time_triggers(index, copy, true);
	if (!ret && hyp_tasks)
		ret = hyp_give_triggers(index, copy);
	if (ret) {
		kfree(copy);
		return ret;
	}
	time_triggers(index, copy, false);
	kfree(hyp_triggers[index].program);
	hyp_triggers[index].program = copy;
	return 0;
}

s64 hyp_trace_ask(enum trace_remote_ask what, unsigned int index, unsigned int value, void *priv)
{
	switch (what) {
	case TRACE_REMOTE_IS_STOPPED:
		return hyp_is_there() ?
		       kvm_call_hyp_nvhe(__hyp_trace_trigger, HYP_TRIGGER_IS_STOPPED, 0, 0) : 0;
	case TRACE_REMOTE_GO_ON:
		return hyp_call(__hyp_trace_trigger, HYP_TRIGGER_GO_ON, 0, 0);
	case TRACE_REMOTE_EVENT_IS_ON:
		return hyp_call(__hyp_trace_trigger, HYP_TRIGGER_EVENT_IS_ON, index, 0);
	case TRACE_REMOTE_COUNT:
		return hyp_count(index, value);
	case TRACE_REMOTE_ARM:
		return hyp_arm(index, HYP_ARMED_BY_REMOTE, value);
	}
	return -EINVAL;
}

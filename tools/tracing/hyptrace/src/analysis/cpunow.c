// SPDX-License-Identifier: GPL-2.0
/*
 * What a CPU does now. See cpunow.h.
 *
 * A stay at EL2 lasts from hyp_enter to hyp_exit. An event inside of it says what EL2
 * does, either from its entry on, as host_hcall, or until the next event, as tlb_flush.
 */
#include "analysis/cpunow.h"
#include "analysis/labels.h"

void cpunow_init(struct cpunow *c)
{
	*c = (struct cpunow) { .task = LABEL_UNKNOWN_TASK };
}

void cpunow_lose(struct cpunow *c, enum side side)
{
	if (side == HOST) {
		c->task = LABEL_UNKNOWN_TASK;
		c->switched = false;
		c->depth = 0;
		return;
	}
	c->at_el2 = false;
	c->off = false;
}

/* Interrupts */

static void push(struct cpunow *c, const struct label *label)
{
	if (c->depth < CPUNOW_DEPTH)
		c->top[c->depth++] = *label;
}

/* The innermost one ends first; the first ones of all may have begun before the recording */
static void pop(struct cpunow *c)
{
	if (c->depth)
		c->depth--;
}

static void feed_host(struct cpunow *c, const struct delay_event *ev)
{
	if (!c->switched)
		c->task = ev->pid < 0 ? LABEL_UNKNOWN_TASK : (u64)ev->pid;
	switch (ev->kind) {
	case WHY_SWITCH:
		c->task = ev->task;
		c->switched = true;
		c->depth = 0;
		break;
	case WHY_IRQ_ENTRY:
	case WHY_SOFTIRQ_ENTRY:
	case WHY_IPI_ENTRY:
		push(c, &ev->label);
		break;
	case WHY_IRQ_EXIT:
	case WHY_SOFTIRQ_EXIT:
	case WHY_IPI_EXIT:
		pop(c);
		break;
	default:	/* of another task, or of EL2 */
		break;
	}
}

/* EL2 */

static void enter(struct cpunow *c, const struct delay_event *ev)
{
	c->at_el2 = true;
	c->off = false;
	c->stay_start = ev->ts;
	c->stay = ev->label;
	c->el2 = ev->label;
}

static bool name_stay(struct cpunow *c, const struct delay_event *ev)
{
	if (!c->at_el2)
		enter(c, ev);
	c->stay = ev->label;
	c->el2 = ev->label;
	return true;
}

static bool feed_hyp(struct cpunow *c, const struct delay_event *ev)
{
	switch (ev->kind) {
	case WHY_HYP_ENTER:
		enter(c, ev);
		return false;
	case WHY_HYP_EXIT:
	case WHY_TRACE_ON:
	case WHY_TRACE_OFF:
		c->at_el2 = false;
		return false;
	case WHY_HOST_HCALL:
	case WHY_VCPU_EXIT:
		return name_stay(c, ev);
	case WHY_HOST_SMC:
		if (!ev->forwarded)
			return name_stay(c, ev);
		c->el2 = ev->label;
		return false;
	case WHY_PSCI_CPU_OFF:
		c->off = true;
		c->el2 = ev->label;
		return false;
	case WHY_TLB_FLUSH:
	case WHY_PSCI_CPU_SUSPEND:
		c->el2 = ev->label;
		return false;
	default:	/* what was done until here is over */
		c->el2 = c->stay;
		return false;
	}
}

bool cpunow_feed(struct cpunow *c, const struct delay_event *ev)
{
	c->last[ev->side] = ev->ts;
	if (ev->side == HYP)
		return feed_hyp(c, ev);
	feed_host(c, ev);
	return false;
}

/* What a task on this CPU gets */

bool cpunow_above(const struct cpunow *c, struct label *label)
{
	if (c->at_el2)
		*label = c->el2;
	else if (c->depth)
		*label = c->top[c->depth - 1];
	return c->at_el2 || c->depth;
}

struct label cpunow_instead(const struct cpunow *c)
{
	if (c->off)
		return (struct label) { .part = PART_OFF };
	if (c->at_el2 && c->el2.part == PART_FIRMWARE)
		return c->el2;
	if (c->depth)
		return c->top[c->depth - 1];
	return (struct label) { PART_RUNNABLE, c->task };
}

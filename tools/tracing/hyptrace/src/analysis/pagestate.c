// SPDX-License-Identifier: GPL-2.0
/*
 * The state of a page. See pagestate.h.
 */
#include <stdio.h>

#include "analysis/pagestate.h"

#define OF_GUEST	(BIT(PAGE_GUEST) | BIT(PAGE_GUEST_POISONED) | BIT(PAGE_GUEST_HOST))

/* before => after. A page that the host shares with guests is in share() and unshare() */
static const struct {
	const char *name;
	u32 from;
	u32 to;
} rules[NR_PAGE_OPS] = {
	[OP_HOST_SHARE_HYP] = { "host_share_hyp", BIT(PAGE_HOST), BIT(PAGE_HOST_HYP) },
	[OP_HOST_UNSHARE_HYP] = { "host_unshare_hyp", BIT(PAGE_HOST_HYP), BIT(PAGE_HOST) },
	[OP_HOST_DONATE_HYP] = { "host_donate_hyp", BIT(PAGE_HOST), BIT(PAGE_HYP) },
	[OP_HYP_DONATE_HOST] = { "hyp_donate_host", BIT(PAGE_HYP), BIT(PAGE_HOST) },
	[OP_HOST_SHARE_FFA] = { "host_share_ffa", BIT(PAGE_HOST), BIT(PAGE_HOST_FFA) },
	[OP_HOST_UNSHARE_FFA] = { "host_unshare_ffa", BIT(PAGE_HOST_FFA), BIT(PAGE_HOST) },
	[OP_HOST_DONATE_GUEST] = { "host_donate_guest", BIT(PAGE_HOST), BIT(PAGE_GUEST) },
	[OP_HOST_RECLAIM_PAGE_GUEST] = { "host_reclaim_page_guest",
		BIT(PAGE_GUEST_POISONED) | BIT(PAGE_GUEST_HOST), BIT(PAGE_HOST) },
	[OP_HOST_FORCE_RECLAIM_PAGE_GUEST] = { "host_force_reclaim_page_guest",
		BIT(PAGE_GUEST_POISONED), BIT(PAGE_HOST) },
	[OP_POISON_PAGE] = { "hyp_poison_page", BIT(PAGE_GUEST), BIT(PAGE_GUEST_POISONED) },
	[OP_HOST_SHARE_GUEST] = { "host_share_guest",
		BIT(PAGE_HOST) | BIT(PAGE_HOST_GUESTS), BIT(PAGE_HOST_GUESTS) },
	[OP_HOST_UNSHARE_GUEST] = { "host_unshare_guest", BIT(PAGE_HOST_GUESTS),
		BIT(PAGE_HOST) | BIT(PAGE_HOST_GUESTS) },
	[OP_GUEST_SHARE_HOST] = { "guest_share_host", BIT(PAGE_GUEST), BIT(PAGE_GUEST_HOST) },
	[OP_GUEST_UNSHARE_HOST] = { "guest_unshare_host", BIT(PAGE_GUEST_HOST), BIT(PAGE_GUEST) },
	[OP_OTHER] = { "other", PAGE_UNKNOWN, PAGE_UNKNOWN },
};

const char *page_op_name(enum page_op op)
{
	return rules[op].name;
}

bool page_op_of_guest(enum page_op op)
{
	return op >= OP_HOST_DONATE_GUEST;
}

void page_forget(struct page *p)
{
	*p = (struct page) { .may = PAGE_UNKNOWN };
}

bool page_known(const struct page *p)
{
	return !(p->may & (p->may - 1));
}

static bool is_of_guest(const struct page *p)
{
	return !(p->may & ~OF_GUEST);
}

static bool is_owner(const struct page *p, const struct page_change *c)
{
	return !is_of_guest(p) || (p->vm == c->vm && p->gfn == c->gfn);
}

bool page_allows(const struct page *p, const struct page_change *c)
{
	return (p->may & rules[c->op].from) && is_owner(p, c);
}

/* The host may share a page with several guests */
static void share(struct page *p)
{
	bool more = p->may == BIT(PAGE_HOST_GUESTS) && p->counted;

	p->counted = more || p->may == BIT(PAGE_HOST);
	p->shares = more ? p->shares + 1 : 1;
	p->may = BIT(PAGE_HOST_GUESTS);
}

static void unshare(struct page *p)
{
	bool counted = p->may == BIT(PAGE_HOST_GUESTS) && p->counted;

	p->counted = counted;
	if (!counted)
		p->may = rules[OP_HOST_UNSHARE_GUEST].to;
	else if (!--p->shares)
		p->may = BIT(PAGE_HOST);
}

static void move(struct page *p, const struct page_change *c)
{
	if (c->op == OP_HOST_SHARE_GUEST)
		share(p);
	else if (c->op == OP_HOST_UNSHARE_GUEST)
		unshare(p);
	else
		*p = (struct page) { .may = rules[c->op].to, .vm = c->vm, .gfn = c->gfn };
}

bool page_apply(struct page *p, const struct page_change *c, struct page *before)
{
	u32 from = rules[c->op].from;
	bool legal = page_allows(p, c);

	*before = *p;
	if (legal && before->may != (before->may & from)) {
		before->may &= from;
		before->vm = c->vm;
		before->gfn = c->gfn;
	}
	move(p, c);
	return legal;
}

/* Text */

static void state_text(const struct page *p, enum page_state state, char *text, size_t size)
{
	switch (state) {
	case PAGE_HOST:
		snprintf(text, size, "host");
		return;
	case PAGE_HOST_HYP:
		snprintf(text, size, "host, shared with hyp");
		return;
	case PAGE_HOST_FFA:
		snprintf(text, size, "host, shared with ffa");
		return;
	case PAGE_HOST_GUESTS:
		if (p->counted && page_known(p))
			snprintf(text, size, "host, shared with guests %u times", p->shares);
		else
			snprintf(text, size, "host, shared with guests");
		return;
	case PAGE_HYP:
		snprintf(text, size, "hyp");
		return;
	case PAGE_GUEST:
		snprintf(text, size, "vm 0x%x gfn 0x%llx", p->vm, p->gfn);
		return;
	case PAGE_GUEST_POISONED:
		snprintf(text, size, "vm 0x%x gfn 0x%llx, overwritten", p->vm, p->gfn);
		return;
	case PAGE_GUEST_HOST:
		snprintf(text, size, "vm 0x%x gfn 0x%llx, shared with host", p->vm, p->gfn);
		return;
	case NR_PAGE_STATES:
		break;
	}
	snprintf(text, size, "?");
}

void page_text(const struct page *p, char *text)
{
	char one[PAGE_TEXT_SIZE / 2];
	enum page_state s;
	size_t len = 0;

	if (p->may == PAGE_UNKNOWN) {
		snprintf(text, PAGE_TEXT_SIZE, "unknown");
		return;
	}
	for (s = 0; s < NR_PAGE_STATES && len < PAGE_TEXT_SIZE; s++) {
		if (!(p->may & BIT(s)))
			continue;
		state_text(p, s, one, sizeof(one));
		len += snprintf(text + len, PAGE_TEXT_SIZE - len, "%s%s", len ? " or " : "", one);
	}
}

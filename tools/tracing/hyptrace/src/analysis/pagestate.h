/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a page in protected mode: whose it is, and with whom it is shared.
 *
 * A state here combines what EL2 keeps for each side (arch/arm64/kvm/hyp/nvhe/mem_protect.c):
 *
 *	state			host		the other side
 *	PAGE_HOST		OWNED		NOPAGE
 *	PAGE_HOST_HYP		SHARED_OWNED	SHARED_BORROWED, EL2
 *	PAGE_HOST_FFA		SHARED_OWNED	the secure world's
 *	PAGE_HOST_GUESTS	SHARED_OWNED	SHARED_BORROWED, one or more guests
 *	PAGE_HYP		NOPAGE		OWNED, EL2
 *	PAGE_GUEST		NOPAGE		OWNED, a protected guest
 *	PAGE_GUEST_POISONED	the same, and EL2 has overwritten it, to give it back
 *	PAGE_GUEST_HOST		SHARED_BORROWED	SHARED_OWNED, a protected guest
 */
#ifndef HYPTRACE_PAGESTATE_H
#define HYPTRACE_PAGESTATE_H

#include <stdio.h>

#include "lib/types.h"

enum page_state {
	PAGE_HOST,
	PAGE_HOST_HYP,
	PAGE_HOST_FFA,
	PAGE_HOST_GUESTS,
	PAGE_HYP,
	PAGE_GUEST,
	PAGE_GUEST_POISONED,
	PAGE_GUEST_HOST,
	NR_PAGE_STATES
};

#define PAGE_UNKNOWN	(BIT(NR_PAGE_STATES) - 1)

/* The transitions, with the names of EL2's functions */
enum page_op {
	OP_HOST_SHARE_HYP,
	OP_HOST_UNSHARE_HYP,
	OP_HOST_DONATE_HYP,
	OP_HYP_DONATE_HOST,
	OP_HOST_SHARE_FFA,
	OP_HOST_UNSHARE_FFA,
	OP_HOST_DONATE_GUEST,
	OP_HOST_RECLAIM_PAGE_GUEST,
	OP_HOST_FORCE_RECLAIM_PAGE_GUEST,
	OP_POISON_PAGE,
	OP_HOST_SHARE_GUEST,
	OP_HOST_UNSHARE_GUEST,
	OP_GUEST_SHARE_HOST,
	OP_GUEST_UNSHARE_HOST,
	OP_OTHER,		/* of a newer kernel: the state is unknown afterwards */
	NR_PAGE_OPS
};

/** page_op_name - the name that is printed */
const char *page_op_name(enum page_op op);

/** page_op_of_guest - whether a guest's pages are concerned, by guest_mem */
bool page_op_of_guest(enum page_op op);

/**
 * struct page - what is known about a page
 * @may:	the states that it may be in, as bits
 * @shares:	PAGE_HOST_GUESTS: how often it is shared, if @counted
 * @counted:	all of these are known
 * @vm:		PAGE_GUEST*: the VM that owns it
 * @gfn:	PAGE_GUEST*: the frame number there
 */
struct page {
	u32 may;
	u32 shares;
	bool counted;
	u32 vm;
	u64 gfn;
};

/**
 * struct page_change - a transition that EL2 has made
 * @op:		which
 * @vm:		of a guest: its VM
 * @gfn:	of a guest: the frame number there
 */
struct page_change {
	enum page_op op;
	u32 vm;
	u64 gfn;
};

/** page_forget - the state is not known any more */
void page_forget(struct page *p);

/** page_known - whether the owner is known */
bool page_known(const struct page *p);

/** page_allows - whether a transition is legal, as far as is known */
bool page_allows(const struct page *p, const struct page_change *c);

/**
 * page_apply - follow a transition
 * @p:		the page; becomes what the transition makes of it, legal or not
 * @c:		the transition
 * @before:	what @p was: if it was not known, what the transition implies
 *
 * Return: whether it is legal.
 */
bool page_apply(struct page *p, const struct page_change *c, struct page *before);

#define PAGE_TEXT_SIZE	256

/** page_text - describe the state, in at most PAGE_TEXT_SIZE bytes */
void page_text(const struct page *p, char *text);

#endif

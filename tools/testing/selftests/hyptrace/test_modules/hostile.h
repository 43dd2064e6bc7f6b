/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HOSTILE_H
#define _HOSTILE_H
/*
 * A host that attacks EL2 through its hypercalls and the pages that it shares.
 *
 * An attack comes in rounds. All that a round does follows from its seed, so that
 * each can be run again alone; what CPUs do beside each other is as repeatable as
 * they are. A round leaves EL2 without a buffer, a clock, a filter and an event.
 *
 *   model   one call after the other, each result predicted
 *   storm   all CPUs call at once, while pages change hands and are scribbled upon,
 *           and CPUs come and go
 *   ring    the writer and the swaps, while everything that is shared is scribbled
 *           upon; all that EL2 says is predicted
 *   fields  every byte that reaches a shared page is a field of an event
 */
#include <linux/kvm_host.h>
#include <linux/mm.h>
#include <linux/types.h>

#include <asm/kvm_asm.h>
#include <asm/kvm_hyptrace.h>

/* Every second page of a block; those between are guards */
#define NR_PAGES	256
/* The first ones the host scribbles upon at any time, so EL2 never gets to own them */
#define NR_SCRIBBLED	96

/* Of the convention for calls: what the handler of an unknown one returns */
#define NOT_SUPPORTED	((s64)SMCCC_RET_NOT_SUPPORTED)

struct rng {
	u64	state;
};

static inline u64 rng_u64(struct rng *rng)
{
	u64 z = (rng->state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* 0 to @n - 1 */
static inline u32 rng_below(struct rng *rng, u32 n)
{
	return rng_u64(rng) % n;
}

static inline bool rng_percent(struct rng *rng, u32 percent)
{
	return rng_below(rng, 100) < percent;
}

/**
 * struct hostile - the attack
 * @block:	all pages, guards as well
 * @fill:	what the pages of this round are filled with
 * @nr_calls:	made in this round so far
 * @want:	how many it is to make
 * @text:	what was wrong first, or empty
 * @rng:	this round's
 */
struct hostile {
	struct page	*block;
	u64		fill;
	atomic_t	nr_calls;
	u32		want;
	char		text[256];
	struct rng	rng;
};

extern struct hostile hostile;

/**
 * struct hyp_layout - where EL2 is
 * @mem:	physical address of its memory
 * @mem_size:	and the size
 * @text:	physical address of its code, in the kernel's image
 * @tag:	what its addresses of memory have from bit @tag_lsb on
 * @tag_lsb:	below are those of the host's linear map
 */
struct hyp_layout {
	phys_addr_t	mem;
	phys_addr_t	mem_size;
	phys_addr_t	text;
	u64		tag;
	u8		tag_lsb;
};

extern struct hyp_layout hyp_layout;

/* Say what is wrong: the first to do so is heard. Always false */
__printf(1, 2) bool wrong(const char *fmt, ...);
static inline bool all_right(void)
{
	return !READ_ONCE(hostile.text[0]);
}

static inline struct page *pool_page(u32 i)
{
	return nth_page(hostile.block, 2 * i);
}

static inline void *pool_va(u32 i)
{
	return page_address(pool_page(i));
}

static inline u64 pool_pfn(u32 i)
{
	return page_to_pfn(pool_page(i));
}

/* Fill page @i, or all and the guards; is it, from byte @from on, or are those, as filled? */
void pool_fill(u32 i);
void pool_fill_all(void);
bool pool_is_filled(u32 i, u32 from);
bool pool_guards_ok(void);

/* A frame that is not the host's: devices, nothing, EL2's or a VM's memory, no frame at all */
u64 foreign_pfn(struct rng *rng);
/* A possible CPU, or often enough something else */
u32 any_cpu(struct rng *rng);

/**
 * hcall - call EL2
 * @func: enum __kvm_host_smccc_func, or any other number
 * @args: up to seven, the others 0
 *
 * Return: what the handler returned, or NOT_SUPPORTED.
 */
s64 __hcall(u32 func, const u64 args[7]);
#define hcall(func, ...)	__hcall(__KVM_HOST_SMCCC_FUNC_##func, (const u64[7]){ __VA_ARGS__ })

/* The same on CPU @cpu, with one argument */
s64 hcall_on(int cpu, u32 func, u64 arg);

/*
 * Give a CPU a buffer: the meta page, the table's root, one page of table and @nr sub-buffers
 * from page @first on. That has to work, as has what follows.
 */
bool load_cpu(u32 cpu, u32 first, u32 nr);
bool unload_all(void);
/* No buffer, clock, filter, event; and each page is the host's alone again */
bool leave_nothing(void);

/* A VM, of which EL2 has pages: one of them, if it exists */
bool vm_alloc(void);
void vm_free(void);
bool vm_create(void);
bool vm_exists(void);
u64 vm_pfn(struct rng *rng);
bool vm_destroy(void);

bool model_round(void);
bool storm_round(void);
bool ring_round(void);
bool fields_round(void);

#endif /* _HOSTILE_H */

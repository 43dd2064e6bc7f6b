/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HOSTILE_H
#define _HOSTILE_H
/*
 * A host that attacks EL2 through its hypercalls and the pages that it shares.
 *
 * An attack consists of rounds. Everything that a round does is derived from its seed, so
 * that it can be repeated alone; only the timing between CPUs is not repeatable. A round
 * leaves EL2 without a buffer, a clock, a filter, a trigger or an event, and with text that it
 * cannot write.
 *
 *   model   one call after the other; each result is predicted
 *   storm   all CPUs call at once, while pages change hands and are overwritten, and
 *           CPUs go offline and online
 *   ring    the writer and the swaps, while everything that is shared is overwritten;
 *           all that EL2 returns or stores is predicted
 *   fields  checks that every byte that reaches a shared page is a field of an event
 */
#include <linux/kvm_host.h>
#include <linux/mm.h>
#include <linux/types.h>

#include <asm/kvm_asm.h>
#include <asm/kvm_hyptrace.h>

/*
 * Pages of a block. Behind each of the first NR_SINGLE ones there is a guard. The others are
 * a row, in which one follows the other; behind the last one there is a guard, too.
 */
#define NR_PAGES	256
#define NR_SINGLE	128
/* The host overwrites the first ones at any time, so EL2 never gets to own them */
#define NR_SCRIBBLED	96

/* Where the host's tasks are, in a page that has the parameters of a clock at its start */
static inline struct hyp_trace_task *clock_tasks(void *page)
{
	static_assert(sizeof(struct hyp_trace_task[NR_CPUS]) <= PAGE_SIZE / 4);
	return page + PAGE_SIZE / 4 * 3;
}

/* What the handler of an unknown call returns, by the calling convention */
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
 * @block:	all pages, including the guards
 * @fill:	what the pages of this round are filled with
 * @nr_calls:	calls made in this round so far
 * @want:	how many calls to make
 * @nr_functions: EL2's functions that can be traced; 0 before the first round
 * @text:	the first error, or empty
 * @rng:	random numbers of this round
 */
struct hostile {
	struct page	*block;
	u64		fill;
	atomic_t	nr_calls;
	u32		want;
	u32		nr_functions;
	char		text[256];
	struct rng	rng;
};

extern struct hostile hostile;

/**
 * struct hyp_layout - where EL2's memory is
 * @mem:	physical address of its memory
 * @mem_size:	size of its memory
 * @text:	physical address of its code, in the kernel's image
 * @text_start:	the kernel's address of that
 * @text_end:	end of that
 * @tag:	the bits of its virtual addresses from bit @tag_lsb on
 * @tag_lsb:	bits below this are those of the host's linear map
 */
struct hyp_layout {
	phys_addr_t	mem;
	phys_addr_t	mem_size;
	phys_addr_t	text;
	u64		text_start;
	u64		text_end;
	u64		tag;
	u8		tag_lsb;
};

extern struct hyp_layout hyp_layout;

/* Report an error, of which only the first is kept. Returns false */
__printf(1, 2) bool wrong(const char *fmt, ...);
static inline bool all_right(void)
{
	return !READ_ONCE(hostile.text[0]);
}

/* Where page @i is in the block */
static inline u32 pool_nth(u32 i)
{
	return i < NR_SINGLE ? 2 * i : NR_SINGLE + i;
}

/* How many pages follow each other from page @i on, up to what EL2 takes at once */
static inline u32 pool_row(u32 i)
{
	return i < NR_SINGLE ? 1 : min(NR_PAGES - i, HYP_TRACE_PAGES_PER_ADD);
}

static inline struct page *pool_page(u32 i)
{
	return hostile.block + pool_nth(i);
}

static inline void *pool_va(u32 i)
{
	return page_address(pool_page(i));
}

static inline u64 pool_pfn(u32 i)
{
	return page_to_pfn(pool_page(i));
}

/*
 * Fill page @i, or all pages and the guards; then check that page @i from byte @from on,
 * or the guards, are still as filled.
 */
void pool_fill(u32 i);
void pool_fill_all(void);
bool pool_is_filled(u32 i, u32 from);
bool pool_guards_ok(void);

/* A frame that the host does not own: a device, nothing, EL2's or a VM's memory, or invalid */
u64 foreign_pfn(struct rng *rng);
/*
 * The first of @nr frames, at least two. The host does not own the last of them: its memory
 * ends in between, or that of EL2 or a VM begins there, or the numbers overflow.
 */
u64 foreign_range(struct rng *rng, u32 nr);
/* The number of a possible CPU, or sometimes an invalid one */
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
 * Give a CPU a buffer: the meta page, the table's root, one table page and @nr sub-buffers,
 * from page @first on. A row of sub-buffers is given in ranges. This has to succeed, as has
 * unload_all(), which also takes all filters and triggers from EL2.
 */
bool load_cpu(u32 cpu, u32 first, u32 nr);
bool unload_all(void);
/*
 * Take everything from EL2: buffers, clock, filters, events. The host owns each page again, and
 * EL2 cannot write to its text.
 */
bool leave_nothing(void);

/* Make a VM, which gives pages to EL2; get one of these, if there is a VM */
bool vm_alloc(void);
void vm_free(void);
bool vm_create(void);
bool vm_exists(void);
u64 vm_pfn(struct rng *rng);
bool vm_destroy(void);

/*
 * Let EL2 map two pages as the host's buffers for FF-A, or unmap them. These return 0 or an
 * error of FF-A.
 */
void ffa_init(void);
bool ffa_available(void);
s64 ffa_map(u64 tx_pfn, u64 rx_pfn);
s64 ffa_unmap(void);

bool model_round(void);
bool storm_round(void);
bool ring_round(void);
bool fields_round(void);

#endif /* _HOSTILE_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * A VM of the attacker, made with the base's own calls. While it exists, EL2 owns the
 * pages of its state and of its stage 2, and has the host's struct kvm pinned.
 */
#include <linux/gfp.h>
#include <linux/trace_remote_base.h>

#include "hostile.h"

#define VM_ORDER	5
/* Layout of the block: the tables, aligned to their largest size; the state; the rest */
#define STATE_FIRST	16
#define KVM_FIRST	24
#define NR_VM_PAGES	(1 << VM_ORDER)

static struct page *block;
static s64 handle;

static u64 vm_page_pfn(u32 i)
{
	return page_to_pfn(block) + i;
}

static struct kvm *host_kvm(void)
{
	return page_address(block + KVM_FIRST);
}

bool vm_alloc(void)
{
	BUILD_BUG_ON(sizeof(struct kvm) > (NR_VM_PAGES - KVM_FIRST) * PAGE_SIZE);
	block = alloc_pages(GFP_KERNEL | __GFP_ZERO, VM_ORDER);
	return block;
}

void vm_free(void)
{
	__free_pages(block, VM_ORDER);
}

static s64 give_vm(void)
{
	return hcall(__pkvm_init_vm, (u64)host_kvm(), (u64)page_address(block + STATE_FIRST),
		     (u64)page_address(block));
}

#ifdef TRACE_REMOTE_LINUX_7
/* The VM has its handle first, and is a protected one; its end has two phases */
static s64 init_vm(void)
{
	s64 reserved = hcall(__pkvm_reserve_vm), ret;

	if (reserved < 0)
		return reserved;
	host_kvm()->arch.pkvm.handle = reserved;
	host_kvm()->arch.pkvm.is_protected = true;
	ret = give_vm();
	if (!ret)
		return reserved;
	hcall(__pkvm_unreserve_vm, reserved);
	return ret;
}

static s64 end_vm(void)
{
	return hcall(__pkvm_start_teardown_vm, handle) ?:
	       hcall(__pkvm_finalize_teardown_vm, handle);
}
#else
static s64 init_vm(void)
{
	return give_vm();
}

static s64 end_vm(void)
{
	return hcall(__pkvm_teardown_vm, handle);
}
#endif

bool vm_create(void)
{
	u32 i;
	s64 ret = 0;

	memset(host_kvm(), 0, sizeof(struct kvm));
	host_kvm()->created_vcpus = 1;
	for (i = KVM_FIRST; i < NR_VM_PAGES && !ret; i++)
		ret = hcall(__pkvm_host_share_hyp, vm_page_pfn(i));
	if (ret)
		return wrong("sharing a VM: %lld", ret);

	handle = init_vm();
	return handle > 0 || wrong("making a VM: %lld", handle);
}

u64 vm_pfn(struct rng *rng)
{
	static const u32 firsts[] = { 0, STATE_FIRST, KVM_FIRST };

	return vm_page_pfn(firsts[rng_below(rng, ARRAY_SIZE(firsts))]);
}

bool vm_exists(void)
{
	return handle > 0;
}

bool vm_destroy(void)
{
	u32 i;
	s64 ret;

	if (!vm_exists())
		return true;
	ret = end_vm();
	handle = 0;
	for (i = KVM_FIRST; i < NR_VM_PAGES && !ret; i++)
		ret = hcall(__pkvm_host_unshare_hyp, vm_page_pfn(i));
	for (i = 0; i < NR_VM_PAGES && !ret; i++)
		ret = hcall(__pkvm_host_share_hyp, vm_page_pfn(i)) ?:
		      hcall(__pkvm_host_unshare_hyp, vm_page_pfn(i));
	return !ret || wrong("the VM's pages have not come back: %lld", ret);
}

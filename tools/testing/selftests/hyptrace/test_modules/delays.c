// SPDX-License-Identifier: GPL-2.0
/*
 * delays - keep the CPU on which it is loaded from what it does, once, a moment later: by a
 * storm of interrupts, or by hypercalls that a timer makes. The tests of "hyptrace why" load
 * it where a vCPU runs.
 */
#include <linux/arm-smccc.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/timer.h>

#include <asm/kvm_asm.h>

#define NR_INTERRUPTS	5000
#define NR_HYPERCALLS	20000

static bool hypercalls;
module_param(hypercalls, bool, 0);
MODULE_PARM_DESC(hypercalls, "make hypercalls instead of a storm of interrupts");

static unsigned int left;

/* An interrupt that has itself as its successor */
static void interrupt(struct irq_work *work)
{
	if (--left)
		irq_work_queue(work);
}

static struct irq_work storm = IRQ_WORK_INIT_HARD(interrupt);

/* What a load of the vCPU sets again before it is used */
static void make_hypercalls(void)
{
	struct arm_smccc_res res;

	for (left = NR_HYPERCALLS; left; left--)
		arm_smccc_1_1_hvc(KVM_HOST_SMCCC_FUNC(__kvm_timer_set_cntvoff), 0, &res);
}

static void begin(struct timer_list *timer)
{
	if (hypercalls) {
		make_hypercalls();
	} else {
		left = NR_INTERRUPTS;
		irq_work_queue(&storm);
	}
}

static DEFINE_TIMER(timer, begin);

static int __init delays_init(void)
{
	timer.expires = jiffies + 2;
	add_timer_on(&timer, raw_smp_processor_id());
	return 0;
}
module_init(delays_init);

static void __exit delays_exit(void)
{
	timer_delete_sync(&timer);
	irq_work_sync(&storm);
}
module_exit(delays_exit);

MODULE_DESCRIPTION("Delays, for the tests of hyptrace why");
MODULE_LICENSE("GPL");

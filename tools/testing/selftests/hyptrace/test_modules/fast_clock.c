// SPDX-License-Identifier: GPL-2.0
/*
 * fast_clock - while it is loaded, sched_clock() does not read the architected counter, but
 * another clocksource with twice its rate, as on a board that registers a faster one. The
 * time stays the same: the new counter is twice the architected one.
 */
#include <linux/module.h>
#include <linux/sched_clock.h>
#include <linux/seqlock.h>

#include <clocksource/arm_arch_timer.h>

static unsigned long latch_func;
module_param(latch_func, ulong, 0);
MODULE_PARM_DESC(latch_func, "address of sched_clock_latch(), which is not exported");

static seqcount_latch_t *latch;
static struct clock_read_data *banks;
static struct clock_read_data before;

static u64 notrace read_twice(void)
{
	return 2 * arch_timer_read_counter();
}

/* As sched_clock_register() does it, which is gone after the boot */
static void use(const struct clock_read_data *rd)
{
	unsigned long flags;

	local_irq_save(flags);
	banks[1] = *rd;
	raw_write_seqcount_latch(latch);
	banks[0] = *rd;
	raw_write_seqcount_latch(latch);
	local_irq_restore(flags);
}

static int __init fast_clock_init(void)
{
	const unsigned int *(*get_latch)(const struct clock_read_data **banks);
	const struct clock_read_data *found;
	struct clock_read_data fast;

	if (!latch_func)
		return -EINVAL;

	get_latch = (void *)latch_func;
	latch = container_of((unsigned int *)get_latch(&found), seqcount_latch_t,
			     seqcount.sequence);
	banks = (struct clock_read_data *)found;
	before = banks[0];
	fast = (struct clock_read_data){
		.epoch_ns		= before.epoch_ns,
		.epoch_cyc		= 2 * before.epoch_cyc,
		.sched_clock_mask	= U64_MAX,
		.read_sched_clock	= read_twice,
		.mult			= before.mult,
		.shift			= before.shift + 1,
	};
	use(&fast);
	return 0;
}
module_init(fast_clock_init);

/* No CPU is in read_twice() when its code goes: sched_clock() disables preemption */
static void __exit fast_clock_exit(void)
{
	use(&before);
	synchronize_rcu();
}
module_exit(fast_clock_exit);

MODULE_DESCRIPTION("A faster sched_clock(), for the tests of clocks");
MODULE_LICENSE("GPL");

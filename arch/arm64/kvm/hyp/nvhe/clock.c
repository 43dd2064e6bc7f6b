// SPDX-License-Identifier: GPL-2.0
/*
 * Taking over the host's clock parameters; see nvhe/clock.h.
 */
#include <nvhe/clock.h>
#include <asm/barrier.h>

/* The host updates the parameters once an hour; a torn copy only gives bad times */
#define CLOCK_COPY_ATTEMPTS	4

static void copy_bank(struct hyp_clock *clk, const struct clock_read_data *bank)
{
	clk->epoch_ns = READ_ONCE(bank->epoch_ns);
	clk->epoch_cyc = READ_ONCE(bank->epoch_cyc);
	clk->mult = READ_ONCE(bank->mult);
	clk->shift = READ_ONCE(bank->shift) & 63;
}

void hyp_clock_refresh(struct hyp_clock *clk)
{
	int i;

	for (i = 0; i < CLOCK_COPY_ATTEMPTS; i++) {
		clk->seq = smp_load_acquire(clk->latch);
		copy_bank(clk, &clk->banks[clk->seq & 1]);
		smp_rmb(); /* pairs with the barriers of the latch's writer */
		if (READ_ONCE(*clk->latch) == clk->seq)
			return;
	}
}

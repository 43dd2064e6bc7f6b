// SPDX-License-Identifier: GPL-2.0
/*
 * The host's RX and TX buffers for FF-A: pages that EL2 shares and pins by itself, when the
 * host asks the firmware for it. Only where the firmware has FF-A; see ../firmware.
 */
#include <linux/arm-smccc.h>
#include <linux/arm_ffa.h>

#include "hostile.h"

#define HOST_ID		0

static bool available;

static s64 ffa_call(u64 id, u64 a1, u64 a2, u64 a3)
{
	struct arm_smccc_res res;

	atomic_inc(&hostile.nr_calls);
	arm_smccc_1_1_smc(id, a1, a2, a3, 0, 0, 0, 0, &res);
	return res.a0 == FFA_SUCCESS ? 0 : (s32)res.a2 ?: -1;
}

void ffa_init(void)
{
	struct arm_smccc_res res;

	arm_smccc_1_1_smc(FFA_VERSION, FFA_VERSION_1_0, 0, 0, 0, 0, 0, 0, &res);
	available = (s32)res.a0 >= (s32)FFA_VERSION_1_0;	/* not an error */
	pr_info("hostile: FF-A is %savailable\n", available ? "" : "not ");
}

bool ffa_available(void)
{
	return available;
}

s64 ffa_map(u64 tx_pfn, u64 rx_pfn)
{
	return ffa_call(FFA_FN64_RXTX_MAP, PFN_PHYS(tx_pfn), PFN_PHYS(rx_pfn),
			PAGE_SIZE / SZ_4K);
}

s64 ffa_unmap(void)
{
	return ffa_call(FFA_RXTX_UNMAP, HOST_ID, 0, 0);
}

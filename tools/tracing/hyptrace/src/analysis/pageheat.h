/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where in memory stage-2 faults are, and how long they take, in blocks of 2 MiB of the host
 * and of each VM.
 *
 * A fault of the host lasts from the entry to EL2 to the exit. One of a guest lasts from the
 * exit of the guest until its vCPU is entered again, on whatever CPU.
 */
#ifndef HYPTRACE_PAGEHEAT_H
#define HYPTRACE_PAGEHEAT_H

#include "analysis/dist.h"
#include "lib/types.h"
#include "lib/util.h"
#include "trace/corrupt.h"
#include "trace/datr.h"

#define PAGEHEAT_BLOCK	(2ULL << 20)

/**
 * struct pageheat - the faults of a file
 * @blocks:	their durations in ns, the largest total first
 * @unmeasured:	faults whose begin or end is not in the file
 * @corrupt:	corrupt sub-buffers
 */
struct pageheat {
	struct dists *blocks;
	u64 unmeasured;
	struct corrupt corrupt;
};

/**
 * struct pageheat_block - a block of memory
 * @guest:	it is of a VM, else of the host
 * @vm:		the handle of the VM; 0 outside of protected mode, where VMs have none
 * @address:	intermediate physical address
 */
struct pageheat_block {
	bool guest;
	u32 vm;
	u64 address;
};

/**
 * pageheat_read - read a file
 * @h:		the result
 * @d:		the file
 * @cpus:	only faults on these CPUs; NULL for all
 *
 * Return: 0, or -1 with a message, also if faults were not recorded.
 */
int pageheat_read(struct pageheat *h, struct datr *d, const struct cpulist *cpus);

/** pageheat_block - what a distribution in @blocks is about */
struct pageheat_block pageheat_block(const struct dist *d);

/** pageheat_free - free it, also after an error */
void pageheat_free(struct pageheat *h);

#endif

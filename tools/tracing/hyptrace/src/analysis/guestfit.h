/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fits the recording of a guest to that of its host.
 *
 * Both say what their clock was at some values of the counter (counterpair.h), and the host's
 * says by how much the counter of each VM is behind that of the machine (vcpuclock.h). So the
 * difference of the two clocks follows, for each VM. The guest is the VM in whose runs its
 * events lie then (guestcheck.h).
 */
#ifndef HYPTRACE_GUESTFIT_H
#define HYPTRACE_GUESTFIT_H

#include "analysis/guestcheck.h"
#include "lib/types.h"
#include "trace/datr.h"

/**
 * guestfit_find - find the VM of a guest, and relate the clocks
 * @host:	recording of the host
 * @g:		the guest: @name and @d are set, all else but @offset is filled in
 * @clock:	recording of the same boot of the guest that relates its clock to the counter,
 *		usually @g->d
 * @task:	a task that runs one of its vCPUs, or 0: any VM
 * @result:	where the guest's events lie
 *
 * Return: 0, or -1 with a message.
 */
int guestfit_find(struct datr *host, struct datr_guest *g, const struct datr *clock, s32 task,
		  struct guestcheck_result *result);

#endif

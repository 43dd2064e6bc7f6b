/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks the times of guests' events: each happened while its vCPU ran, between a vcpu_enter
 * and the vcpu_exit after it. The vCPU has the number of the guest's CPU.
 */
#ifndef HYPTRACE_GUESTCHECK_H
#define HYPTRACE_GUESTCHECK_H

#include "analysis/violations.h"
#include "lib/types.h"
#include "trace/datr.h"
#include "trace/evdb.h"
#include "trace/merge.h"

struct guestcheck;

/**
 * struct guestcheck_result - of one guest
 * @events:	that were checked
 * @violations:	of these, those that are outside by more than the error of the clock
 * @skipped:	events that were not checked: events of the hypervisor were lost there
 * @cut:	the same, before or after what was recorded of their vCPU
 * @max_skew:	how far an event is outside at most, ns
 */
struct guestcheck_result {
	u64 events;
	u64 violations;
	u64 skipped;
	u64 cut;
	u64 max_skew;
};

/**
 * guestcheck_new - begin
 * @d:		the file, with its guests; must outlive what is returned
 * @v:		gets the violations, or NULL
 *
 * Return: NULL with a message.
 */
struct guestcheck *guestcheck_new(const struct datr *d, struct violations *v);

/**
 * guestcheck_feed - take the next event of the host, the hypervisor or a guest
 * @k:		the check
 * @db:		the file's events
 * @ev:		as merge_each_world() gives them
 *
 * Return: 0, or -1 with a message.
 */
int guestcheck_feed(struct guestcheck *k, struct evdb *db, const struct merged *ev);

/** guestcheck_finish - the result of the i-th guest, after the last event */
void guestcheck_finish(struct guestcheck *k, unsigned int i, struct guestcheck_result *result);

/** guestcheck_free - @k may be NULL */
void guestcheck_free(struct guestcheck *k);

#endif

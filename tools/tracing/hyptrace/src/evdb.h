/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the events of a file mean.
 */
#ifndef HYPTRACE_EVDB_H
#define HYPTRACE_EVDB_H

#include <stdio.h>

#include "datr.h"
#include "rbpage.h"
#include "types.h"

struct evdb;

/* What the checker must tell apart */
enum ev_kind {
	EV_OTHER,
	EV_KVM_ENTRY,
	EV_KVM_EXIT,
	EV_HYP_ENTER,
	EV_HYP_EXIT,
	EV_TRACE_ON,
};

/* Why EL2 was entered or left */
enum ev_reason {
	REASON_OTHER,
	REASON_HVC,
	REASON_GUEST_EXIT,
	REASON_ERET_HOST,
	REASON_ERET_GUEST,
};

/** evdb_load - learn the events of a file. Return: NULL with a message. */
struct evdb *evdb_load(const struct datr *d);
void evdb_free(struct evdb *db);

/** evdb_print - "COMM-PID EVENT: FIELDS", without line end */
void evdb_print(struct evdb *db, FILE *out, const struct rbevent *ev,
		unsigned int cpu);

/** evdb_kind - which event it is, and for EL2 entries and exits, why */
enum ev_kind evdb_kind(struct evdb *db, const struct rbevent *ev,
		       enum ev_reason *reason);

/** evdb_name - the name of the event, "event 123" if it is not known */
const char *evdb_name(struct evdb *db, const struct rbevent *ev);

#endif

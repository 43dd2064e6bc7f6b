/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the events of a file mean.
 */
#ifndef HYPTRACE_EVDB_H
#define HYPTRACE_EVDB_H

#include <stdio.h>

#include "lib/types.h"
#include "trace/datr.h"
#include "trace/evcall.h"
#include "trace/evfield.h"
#include "trace/rbpage.h"

struct evdb;

/* The kinds that the checker and the statistics distinguish */
enum ev_kind {
	EV_OTHER,
	EV_KVM_ENTRY,
	EV_KVM_EXIT,
	EV_HYP_ENTER,
	EV_HYP_EXIT,
	EV_TRACE_ON,
	EV_TRACE_OFF,
	EV_HOST_HCALL,
	EV_VCPU_ENTER,
	EV_VCPU_EXIT,
	EV_HOST_MEM_ABORT,
	EV_MEM_TRANSITION,
	EV_GUEST_MEM,
	EV_HYP_BOOT,
	EV_SCHED_SWITCH,
	EV_IRQ_ENTRY,		/* or of an IPI */
	EV_IRQ_EXIT,
	EV_SOFTIRQ_ENTRY,
	EV_SOFTIRQ_EXIT,
	EV_FUNC_ENTRY,
	EV_FUNC_EXIT,
	EV_FUNCTION,
	EV_STACK,
};

/*
 * ev_kind_is_stateless - whether it says nothing about a CPU's state: it is of a function tracer,
 * the stack of the event before it, or a step of EL2's start, which may have no hyp_enter before it
 */
static inline bool ev_kind_is_stateless(enum ev_kind kind)
{
	return kind == EV_FUNC_ENTRY || kind == EV_FUNC_EXIT || kind == EV_FUNCTION ||
	       kind == EV_STACK || kind == EV_HYP_BOOT;
}

/* Why EL2 was entered or left */
enum ev_reason {
	REASON_OTHER,
	REASON_SMC,
	REASON_HOST_ABORT,
	REASON_HVC,
	REASON_GUEST_EXIT,
	REASON_ERET_HOST,
	REASON_ERET_GUEST,
};

/** evdb_load - load the events of a file, and of its guests. Return: NULL with a message. */
struct evdb *evdb_load(const struct datr *d);
void evdb_free(struct evdb *db);

/** evdb_of - the events of a guest by its number (see struct merged), or @db itself for 0 */
struct evdb *evdb_of(struct evdb *db, unsigned int guest);

/** evdb_has_guests - whether there are events of guests */
bool evdb_has_guests(const struct evdb *db);

/** evdb_print - print "COMM-PID EVENT: FIELDS", without a newline */
void evdb_print(struct evdb *db, FILE *out, const struct rbevent *ev,
		unsigned int cpu);

/** evdb_kind - which event it is, and for EL2 entries and exits, why */
enum ev_kind evdb_kind(struct evdb *db, const struct rbevent *ev,
		       enum ev_reason *reason);

/** evdb_call - read an event of a function tracer. Return: false if it is none. */
bool evdb_call(struct evdb *db, const struct rbevent *ev, struct call *out);

/** evdb_function - the function at an address, see evcall_function() */
const char *evdb_function(struct evdb *db, u64 addr, u64 *start);

/** evdb_name - the name of the event, "event 123" if it is not known */
const char *evdb_name(struct evdb *db, const struct rbevent *ev);

/** evdb_pid - the task on whose behalf it was written, -1 if it has none */
s32 evdb_pid(const struct rbevent *ev);

/** evdb_comm - the name of a task, "<...>" if it is not known */
const char *evdb_comm(struct evdb *db, s32 pid);

/** evdb_set_comm - set the name of a task */
void evdb_set_comm(struct evdb *db, s32 pid, const char *comm);

/**
 * evdb_number - read a field of one integer
 *
 * Return: false if the event has no such field.
 */
bool evdb_number(struct evdb *db, const struct rbevent *ev, const char *field,
		 u64 *value);

/** evdb_field - the number in a field of one integer; 0 if the event has no such field */
u64 evdb_field(struct evdb *db, const struct rbevent *ev, const char *field);

/**
 * evdb_word - the word behind "KEY=" in the event's text
 *
 * Return: the word, until the next call; NULL if there is none.
 */
const char *evdb_word(struct evdb *db, const struct rbevent *ev,
		      const char *key);

/**
 * struct evdb_head - which event it is
 * @system:	its system
 * @name:	its name
 * @pid:	its task
 */
struct evdb_head {
	const char *system;
	const char *name;
	s32 pid;
};

/** evdb_head - Return: false if it is not known, or too short to have a task */
bool evdb_head(struct evdb *db, const struct rbevent *ev, struct evdb_head *h);

/** evdb_fits - whether it is known, and its fields are in the record */
bool evdb_fits(struct evdb *db, const struct rbevent *ev);

/**
 * evdb_tell - print a message if events could not be printed as their formats say
 * @db:		the events, which evdb_print() or evdb_text() printed once each
 * @name:	of the file
 */
void evdb_tell(const struct evdb *db, const char *name);

/** typedef evdb_head_fn - takes one event; its pid is not valid */
typedef void (*evdb_head_fn)(void *ctx, const struct evdb_head *h);

/** evdb_each - call @fn for each event that the file describes */
void evdb_each(struct evdb *db, evdb_head_fn fn, void *ctx);

/**
 * struct evdb_field_kind - a field of an event's format
 * @name:	its name
 * @string:	whether its values are texts, of strings and arrays, else integers
 */
struct evdb_field_kind {
	const char *name;
	bool string;
};

/**
 * evdb_field_at - a field of an event, by its place
 * @db:		the events
 * @system:	of the event
 * @event:	its name
 * @i:		the place, from 0; the common fields do not count
 * @out:	gets the field
 *
 * Return: false behind the last one, or if there is no such event.
 */
bool evdb_field_at(struct evdb *db, const char *system, const char *event, unsigned int i,
		   struct evdb_field_kind *out);

/** evdb_id - the number of an event by which its records begin; -1 if there is no such event */
int evdb_id(struct evdb *db, const char *system, const char *event);

/** evdb_has_id - whether a record is of the event with this number */
bool evdb_has_id(const struct rbevent *ev, int id);

/**
 * evdb_value_at - read the i-th field; its text is valid until the next call
 *
 * Return: false if the event has no value there.
 */
bool evdb_value_at(struct evdb *db, const struct rbevent *ev, unsigned int i,
		   struct evdb_value *v);

/** typedef evdb_value_fn - takes one field */
typedef void (*evdb_value_fn)(void *ctx, const struct evdb_value *v);

/** evdb_values - call @fn for each field but the common ones */
void evdb_values(struct evdb *db, const struct rbevent *ev, evdb_value_fn fn,
		 void *ctx);

/** evdb_text - what evdb_print() prints behind the name, until the next call */
const char *evdb_text(struct evdb *db, const struct rbevent *ev,
		      unsigned int cpu);

#endif

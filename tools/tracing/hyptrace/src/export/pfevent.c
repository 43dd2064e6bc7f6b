// SPDX-License-Identifier: GPL-2.0
/*
 * Events as Perfetto has them. See pfevent.h.
 *
 * The numbers are those of protos/perfetto/trace/ftrace/ in Perfetto. What has
 * no message there is sent as "generic", which has the names with the values.
 */
#include <stdlib.h>
#include <string.h>

#include "export/pfevent.h"
#include "lib/log.h"

#define NR_IDS		65536
#define MAX_FIELDS	8

/* FtraceEvent */
#define EVENT_TIMESTAMP	1
#define EVENT_PID	2
#define EVENT_GENERIC	327

/* In place of a message */
#define GENERIC		255

/* GenericFtraceEvent, and its Field */
#define GENERIC_NAME	1
#define GENERIC_FIELD	2
#define FIELD_NAME	1
#define FIELD_STRING	3
#define FIELD_INT	4
#define FIELD_UINT	5

/**
 * struct message - an event that Perfetto knows
 * @system:	of the kernel's event
 * @name:	of the kernel's event, and Perfetto's
 * @id:		number of the field in FtraceEvent
 * @reason:	it says why EL2 was entered
 * @field:	names of its fields; their numbers count from 1
 */
struct message {
	const char *system, *name;
	unsigned int id;
	bool reason;
	const char *field[MAX_FIELDS];
};

/* Old kernels have "success" */
#define WAKEUP_FIELDS	"comm", "pid", "prio", "success", "target_cpu"

static const struct message messages[] = {
	{ "hypervisor", "hyp_enter", 588, false, { NULL } },
	{ "hypervisor", "hyp_exit", PF_HYP_EXIT, false, { NULL } },
	{ "hypervisor", "host_hcall", PF_HOST_HCALL, true, { "id", "invalid" } },
	{ "hypervisor", "host_smc", PF_HOST_SMC, true, { "id", "forwarded" } },
	{ "hypervisor", "host_mem_abort", PF_HOST_MEM_ABORT, true,
	  { "esr", "addr" } },
	{ "hypervisor", "vcpu_illegal_trap", 590, true, { "esr" } },
	{ "hypervisor", "psci_mem_protect", 586, true, { "count", "was" } },
	{ "kvm", "kvm_entry", 376, false, { "vcpu_pc" } },
	{ "kvm", "kvm_exit", 377, false, { "esr_ec", "ret", "vcpu_pc" } },
	{ "sched", "sched_switch", 4, false,
	  { "prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm",
	    "next_pid", "next_prio" } },
	{ "sched", "sched_waking", 20, false, { WAKEUP_FIELDS } },
	{ "sched", "sched_wakeup", 17, false, { WAKEUP_FIELDS } },
	{ "sched", "sched_wakeup_new", 114, false, { WAKEUP_FIELDS } },
	{ "irq", "irq_handler_entry", 36, false, { "irq", "name" } },
	{ "irq", "irq_handler_exit", 37, false, { "irq", "ret" } },
	{ "irq", "softirq_entry", 24, false, { "vec" } },
	{ "irq", "softirq_exit", 25, false, { "vec" } },
	{ "irq", "softirq_raise", 26, false, { "vec" } },
};

/**
 * struct pfevent - the translator
 * @db:		what events mean
 * @known:	by the id of an event: 0 if it is not known yet, GENERIC, or the number of
 *		its message plus 1
 * @event:	the FtraceEvent
 * @body:	the message in it
 * @field:	a field of a generic event
 * @message:	what is being translated; NULL if it is generic
 */
struct pfevent {
	struct evdb *db;
	u8 known[NR_IDS];
	struct proto *event;
	struct proto *body;
	struct proto *field;
	const struct message *message;
};

struct pfevent *pfevent_new(struct evdb *db)
{
	struct pfevent *e = calloc(1, sizeof(*e));

	if (!e) {
		log_oom();
		return NULL;
	}
	e->db = db;
	e->event = proto_new();
	e->body = proto_new();
	e->field = proto_new();
	if (!e->event || !e->body || !e->field) {
		pfevent_free(e);
		return NULL;
	}
	return e;
}

void pfevent_free(struct pfevent *e)
{
	if (!e)
		return;
	proto_free(e->event);
	proto_free(e->body);
	proto_free(e->field);
	free(e);
}

static u8 find_message(const struct evdb_head *h)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(messages); i++) {
		if (!strcmp(messages[i].name, h->name) &&
		    !strcmp(messages[i].system, h->system))
			return i + 1;
	}
	return GENERIC;
}

static const struct message *message_of(struct pfevent *e, const struct rbevent *ev,
					const struct evdb_head *h)
{
	u8 *known;
	u16 id;

	memcpy(&id, ev->data, sizeof(id));
	known = &e->known[id];
	if (!*known)
		*known = find_message(h);
	return *known == GENERIC ? NULL : &messages[*known - 1];
}

/* Perfetto's messages have a string only for the name of a task or an interrupt */
static bool wants_string(const char *name)
{
	return strstr(name, "comm") || !strcmp(name, "name");
}

static void put_known(void *ctx, const struct evdb_value *v)
{
	const char *const *field, *name;
	struct pfevent *e = ctx;
	unsigned int i;

	field = e->message->field;
	for (i = 0; i < MAX_FIELDS && field[i]; i++) {
		name = field[i];
		if (strcmp(name, v->name) || wants_string(name) != !!v->string)
			continue;
		if (v->string)
			proto_bytes(e->body, i + 1, v->string, v->length);
		else
			proto_int(e->body, i + 1, v->integer);
	}
}

static void put_generic(void *ctx, const struct evdb_value *v)
{
	struct pfevent *e = ctx;

	proto_reset(e->field);
	proto_string(e->field, FIELD_NAME, v->name);
	if (v->string)
		proto_bytes(e->field, FIELD_STRING, v->string, v->length);
	else
		proto_int(e->field, v->is_signed ? FIELD_INT : FIELD_UINT,
			  v->integer);
	proto_message(e->body, GENERIC_FIELD, e->field);
}

/* For ftrace's own events, such as bprint, whose fields do not have it; and for short records */
static void put_text(struct pfevent *e, const struct rbevent *ev,
		     unsigned int cpu)
{
	struct evdb_value v = { .name = "text" };

	v.string = evdb_text(e->db, ev, cpu);
	v.length = strlen(v.string);
	put_generic(e, &v);
}

static void put_body(struct pfevent *e, const struct rbevent *ev,
		     unsigned int cpu, const struct evdb_head *h)
{
	bool fits = evdb_fits(e->db, ev);

	proto_reset(e->body);
	e->message = fits ? message_of(e, ev, h) : NULL;
	if (e->message) {
		evdb_values(e->db, ev, put_known, e);
		return;
	}
	proto_string(e->body, GENERIC_NAME, h->name);
	evdb_values(e->db, ev, put_generic, e);
	if (!fits || !strcmp(h->system, "ftrace"))
		put_text(e, ev, cpu);
}

/* Put @e->body into an event */
static const struct proto *wrap(struct pfevent *e, unsigned int id, u64 ts,
				s32 pid)
{
	proto_reset(e->event);
	proto_int(e->event, EVENT_TIMESTAMP, ts);
	proto_int(e->event, EVENT_PID, (u64)pid);
	proto_message(e->event, id, e->body);
	return e->event;
}

enum pf_kind pfevent_translate(struct pfevent *e, const struct rbevent *ev,
			       unsigned int cpu, u64 ts,
			       const struct proto **out)
{
	struct evdb_head h;

	if (!evdb_head(e->db, ev, &h))
		return PF_UNKNOWN;
	put_body(e, ev, cpu, &h);
	*out = wrap(e, e->message ? e->message->id : EVENT_GENERIC, ts, h.pid);
	if (!e->message)
		return PF_GENERIC;
	return e->message->reason ? PF_REASON : PF_MESSAGE;
}

const struct proto *pfevent_bare(struct pfevent *e, enum pf_bare id, u64 ts,
				 s32 pid)
{
	proto_reset(e->body);
	return wrap(e, id, ts, pid);
}

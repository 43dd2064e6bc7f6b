// SPDX-License-Identifier: GPL-2.0
/*
 * Translates events. See eventlabel.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eventlabel.h"
#include "analysis/exitname.h"
#include "lib/log.h"

#define NR_IDS		65536

/* The ids of PART_EL2: a reason, or one of these and more */
#define EL2_EXIT	(1ULL << 32)
#define EL2_HCALL	(2ULL << 32)
#define EL2_SMC		(3ULL << 32)

/* Ids of PART_FIRMWARE that are no SMC's */
#define FW_SUSPEND	(1ULL << 32)
#define FW_OFF		(2ULL << 32)

/* The flags of lock/contention_begin */
#define LOCK_SPIN	1
#define LOCK_MUTEX	32

/**
 * struct eventlabel - a translator
 * @db:		the events
 * @labels:	the names
 * @kind:	by the id of an event, what it is; NR_WHY_EVENTS if that is not known yet
 * @exit:	by exit_index(), the same of exits that have a name
 */
struct eventlabel {
	struct evdb *db;
	struct labels *labels;
	u8 kind[NR_IDS];
	u8 exit[NR_EXITS];
};

struct eventlabel *eventlabel_new(struct evdb *db, struct labels *labels)
{
	struct eventlabel *e = calloc(1, sizeof(*e));

	if (!e) {
		log_oom();
		return NULL;
	}
	e->db = db;
	e->labels = labels;
	memset(e->kind, NR_WHY_EVENTS, sizeof(e->kind));
	return e;
}

void eventlabel_free(struct eventlabel *e)
{
	free(e);
}

/* A record that does not fit its format is none of those that matter */
static enum why_event kind_of(struct eventlabel *e, const struct rbevent *ev)
{
	struct evdb_head h;
	u16 id;

	if (!evdb_fits(e->db, ev) || !evdb_head(e->db, ev, &h))
		return WHY_OTHER;
	memcpy(&id, ev->data, sizeof(id));
	if (e->kind[id] == NR_WHY_EVENTS)
		e->kind[id] = whyevents_find(h.system, h.name);
	return e->kind[id];
}

/* Names */

static int set_name(struct eventlabel *e, const struct label *l, const char *prefix,
		    const char *name)
{
	char text[128];

	snprintf(text, sizeof(text), "%s%s", prefix, name);
	return labels_set_name(e->labels, l, text);
}

/* By the word behind KEY=, or the number */
static int name_by_word(struct eventlabel *e, const struct rbevent *ev, const struct label *l,
			const char *prefix, const char *key)
{
	char digits[32];
	const char *word;

	if (labels_name(e->labels, l))
		return 0;
	word = evdb_word(e->db, ev, key);
	if (!word)
		snprintf(digits, sizeof(digits), "0x%llx", evdb_field(e->db, ev, key));
	return set_name(e, l, prefix, word ? word : digits);
}

static int label_by_word(struct eventlabel *e, const struct rbevent *ev,
			 struct delay_event *out, struct label l, const char *prefix,
			 const char *key)
{
	out->label = l;
	return name_by_word(e, ev, &l, prefix, key);
}

static int label_by_text(struct eventlabel *e, struct delay_event *out, struct label l,
			 const char *text)
{
	out->label = l;
	return labels_name(e->labels, &l) ? 0 : set_name(e, &l, "", text);
}

/* Events of the hypervisor */

static enum exit_kind exit_kind_of(const char *name)
{
	static const struct {
		const char *begin;
		enum exit_kind kind;
	} kinds[] = {
		{ "IRQ", EXIT_KIND_IRQ }, { "WF", EXIT_KIND_WAIT }, { "HVC", EXIT_KIND_CALL },
		{ "SMC", EXIT_KIND_CALL }, { "IABT_LOW", EXIT_KIND_ABORT },
		{ "DABT_LOW", EXIT_KIND_ABORT },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strncmp(name, kinds[i].begin, strlen(kinds[i].begin)))
			return kinds[i].kind;
	}
	return EXIT_KIND_OTHER;
}

static int label_exit(struct eventlabel *e, const struct rbevent *ev, struct delay_event *out)
{
	u32 index = exit_index(e->db, ev);
	const char *name;

	out->label = (struct label) { PART_EL2, EL2_EXIT + index };
	/* HPFAR_EL2 has bits 12 and up of the address from its bit 4 on */
	out->ipa = (evdb_field(e->db, ev, "hpfar") & ~0xfULL) << 8;
	if (!labels_name(e->labels, &out->label)) {
		name = exit_name(e->db, ev);
		e->exit[index] = exit_kind_of(name);
		if (set_name(e, &out->label, "exit ", name))
			return -1;
	}
	out->exit = e->exit[index];
	return 0;
}

static int label_smc(struct eventlabel *e, const struct rbevent *ev, struct delay_event *out)
{
	u64 id = (u32)evdb_field(e->db, ev, "id");

	out->forwarded = evdb_field(e->db, ev, "forwarded");
	if (out->forwarded)
		return label_by_word(e, ev, out, (struct label) { PART_FIRMWARE, id }, "", "id");
	return label_by_word(e, ev, out, (struct label) { PART_EL2, EL2_SMC + id }, "smc ", "id");
}

static s32 vcpu_task(struct eventlabel *e, const struct rbevent *ev)
{
	s32 task = evdb_field(e->db, ev, "vcpu");

	return task ? task : evdb_pid(ev);
}

static int read_hyp(struct eventlabel *e, const struct rbevent *ev, struct delay_event *out)
{
	switch (out->kind) {
	case WHY_HYP_ENTER:
	case WHY_HYP_EXIT:
		evdb_kind(e->db, ev, &out->reason);
		out->task = vcpu_task(e, ev);
		return label_by_word(e, ev, out, (struct label) {
				PART_EL2, (u8)evdb_field(e->db, ev, "reason") }, "", "reason");
	case WHY_HOST_HCALL:
		return label_by_word(e, ev, out, (struct label) {
				PART_EL2, EL2_HCALL + (u32)evdb_field(e->db, ev, "id") },
				"hypercall ", "id");
	case WHY_HOST_SMC:
		return label_smc(e, ev, out);
	case WHY_TLB_FLUSH:
		return label_by_word(e, ev, out, (struct label) {
				PART_TLB, evdb_field(e->db, ev, "kind") }, "", "kind");
	case WHY_PSCI_CPU_OFF:
		return label_by_text(e, out, (struct label) { PART_FIRMWARE, FW_OFF }, "CPU_OFF");
	case WHY_PSCI_CPU_SUSPEND:
		return label_by_text(e, out, (struct label) { PART_FIRMWARE, FW_SUSPEND },
				     "CPU_SUSPEND");
	case WHY_VCPU_ENTER:
		out->vm = evdb_field(e->db, ev, "vm");
		out->vcpu = evdb_field(e->db, ev, "vcpu");
		return 0;
	case WHY_VM_TEARDOWN:
		out->vm = evdb_field(e->db, ev, "vm");
		if (evdb_field(e->db, ev, "ret"))	/* it was refused */
			out->kind = WHY_OTHER;
		return 0;
	case WHY_VCPU_EXIT:
		return label_exit(e, ev, out);
	default:	/* without fields that matter */
		return 0;
	}
}

/* Events of the host */

static int label_irq(struct eventlabel *e, const struct rbevent *ev, struct delay_event *out)
{
	char prefix[32];

	out->label = (struct label) { PART_IRQ, (u32)evdb_field(e->db, ev, "irq") };
	snprintf(prefix, sizeof(prefix), "%llu ", out->label.id);
	return name_by_word(e, ev, &out->label, prefix, "name");
}

/* The text is "vec=1 [action=TIMER]" */
static int label_softirq(struct eventlabel *e, const struct rbevent *ev,
			 struct delay_event *out)
{
	char name[32] = "";

	out->label = (struct label) { PART_SOFTIRQ, (u32)evdb_field(e->db, ev, "vec") };
	if (labels_name(e->labels, &out->label))
		return 0;
	if (sscanf(evdb_text(e->db, ev, 0), "%*[^[][action=%31[^]]", name) != 1)
		snprintf(name, sizeof(name), "%llu", out->label.id);
	return set_name(e, &out->label, "", name);
}

static int label_lock(struct eventlabel *e, const struct rbevent *ev, struct delay_event *out)
{
	u64 flags = evdb_field(e->db, ev, "flags") & (LOCK_MUTEX | LOCK_SPIN);

	return label_by_text(e, out, (struct label) { PART_LOCK, flags },
			     flags & LOCK_MUTEX ? "mutex" :
			     flags & LOCK_SPIN ? "spinlock" : "semaphore");
}

static int read_host(struct eventlabel *e, const struct rbevent *ev, struct delay_event *out)
{
	switch (out->kind) {
	case WHY_SWITCH:
		out->task = evdb_field(e->db, ev, "next_pid");
		out->prev = evdb_field(e->db, ev, "prev_pid");
		out->state = evdb_field(e->db, ev, "prev_state");
		return 0;
	case WHY_WAKING:
	case WHY_WAKEUP:
		out->task = evdb_field(e->db, ev, "pid");
		out->target = evdb_field(e->db, ev, "target_cpu");
		return 0;
	case WHY_MIGRATE:
		out->task = evdb_field(e->db, ev, "pid");
		out->target = evdb_field(e->db, ev, "dest_cpu");
		return 0;
	case WHY_IRQ_ENTRY:
		return label_irq(e, ev, out);
	case WHY_SOFTIRQ_ENTRY:
		return label_softirq(e, ev, out);
	case WHY_IPI_ENTRY:
		out->label = (struct label) { .part = PART_IPI };
		return 0;
	case WHY_SYS_ENTER:
		out->label = (struct label) { PART_KERNEL, (u32)evdb_field(e->db, ev, "id") };
		return 0;
	case WHY_LOCK_BEGIN:
		return label_lock(e, ev, out);
	default:	/* without fields that matter */
		return 0;
	}
}

int eventlabel_read(struct eventlabel *e, const struct merged *ev, struct delay_event *out,
		    enum side side)
{
	*out = (struct delay_event) {
		.side = side, .cpu = ev->cpu, .ts = ev->ev.ts, .lost = ev->lost,
		.pid = evdb_pid(&ev->ev), .kind = kind_of(e, &ev->ev),
	};
	if (out->kind == WHY_OTHER)
		return 0;
	if (whyevents_source(out->kind)->side != side) {
		out->kind = WHY_OTHER;
		return 0;
	}
	return side == HYP ? read_hyp(e, &ev->ev, out) : read_host(e, &ev->ev, out);
}

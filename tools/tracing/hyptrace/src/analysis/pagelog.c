// SPDX-License-Identifier: GPL-2.0
/*
 * The transitions of pages in a recording. See pagelog.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/pagelog.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/util.h"

/* So many names are kept; more of them make this slower */
#define MAX_NAMES	256

/* Not a transition */
#define NO_OP		NR_PAGE_OPS

static const char unknown_caller[] = "?";

/**
 * struct log_cpu - a CPU
 * @last:	how many transitions of all CPUs came before its last event
 * @lost:	there is a corrupt place before its next event
 * @off:	tracing was switched off there
 * @caller:	why EL2 runs
 */
struct log_cpu {
	size_t last;
	bool lost;
	bool off;
	const char *caller;
};

/**
 * struct op_name - what the numbers in an event mean
 * @guest:	it is guest_mem, else mem_transition
 * @key:	the numbers
 * @op:		the meaning
 */
struct op_name {
	bool guest;
	u64 key;
	enum page_op op;
};

/* The name of a hypercall */
struct call_name {
	u64 id;
	char *name;
};

struct pagelog {
	const struct datr *d;
	struct evdb *db;
	struct page_event *event;
	size_t nr;
	size_t room;
	bool doubt;
	struct op_name ops[MAX_NAMES];
	unsigned int nr_ops;
	struct call_name calls[MAX_NAMES];
	unsigned int nr_calls;
	struct log_cpu cpu[MAX_CPUS];
};

struct pagelog *pagelog_new(const struct datr *d, struct evdb *db)
{
	struct pagelog *l = calloc(1, sizeof(*l));
	unsigned int i;

	if (!l) {
		log_oom();
		return NULL;
	}
	l->d = d;
	l->db = db;
	for (i = 0; i < MAX_CPUS; i++)
		l->cpu[i].caller = unknown_caller;
	return l;
}

static void look_for_guests(void *ctx, const struct evdb_head *h)
{
	bool *there = ctx;

	if (!strcmp(h->system, "hypervisor") && !strcmp(h->name, "guest_mem"))
		*there = true;
}

bool pagelog_complete(const struct datr *d, struct evdb *db)
{
	bool guests = false;

	evdb_each(db, look_for_guests, &guests);
	return datr_enabled(d, "hypervisor/mem_transition") &&
	       (!guests || datr_enabled(d, "hypervisor/guest_mem"));
}

/* Names */

static bool is_word(struct pagelog *l, const struct rbevent *ev, const char *key,
		    const char *want)
{
	const char *word = evdb_word(l->db, ev, key);

	return word && !strcmp(word, want);
}

static enum page_op read_transition(struct pagelog *l, const struct rbevent *ev)
{
	static const struct {
		const char *op, *from, *to;
		enum page_op is;
	} names[] = {
		{ "share", "host", "hyp", OP_HOST_SHARE_HYP },
		{ "unshare", "host", "hyp", OP_HOST_UNSHARE_HYP },
		{ "donate", "host", "hyp", OP_HOST_DONATE_HYP },
		{ "donate", "hyp", "host", OP_HYP_DONATE_HOST },
		{ "share", "host", "ffa", OP_HOST_SHARE_FFA },
		{ "unshare", "host", "ffa", OP_HOST_UNSHARE_FFA },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (is_word(l, ev, "op", names[i].op) &&
		    is_word(l, ev, "from", names[i].from) &&
		    is_word(l, ev, "to", names[i].to))
			return names[i].is;
	}
	return OP_OTHER;
}

static enum page_op read_guest_op(struct pagelog *l, const struct rbevent *ev)
{
	static const struct {
		const char *op;
		enum page_op is;
	} names[] = {
		{ "donate", OP_HOST_DONATE_GUEST },
		{ "reclaim", OP_HOST_RECLAIM_PAGE_GUEST },
		{ "force_reclaim", OP_HOST_FORCE_RECLAIM_PAGE_GUEST },
		{ "poison", OP_POISON_PAGE },
		{ "share", OP_HOST_SHARE_GUEST },
		{ "unshare", OP_HOST_UNSHARE_GUEST },
		{ "share_host", OP_GUEST_SHARE_HOST },
		{ "unshare_host", OP_GUEST_UNSHARE_HOST },
		{ "relax_perms", NO_OP },
		{ "wrprotect", NO_OP },
		{ "test_young", NO_OP },
		{ "clear_young", NO_OP },
		{ "mkyoung", NO_OP },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (is_word(l, ev, "op", names[i].op))
			return names[i].is;
	}
	return OP_OTHER;
}

/* By the words that the event prints, since the kernel may change the numbers */
static enum page_op op_of(struct pagelog *l, const struct rbevent *ev, bool guest)
{
	u64 key = evdb_field(l->db, ev, "op");
	enum page_op op;
	unsigned int i;

	if (!guest)
		key |= evdb_field(l->db, ev, "from") << 8 | evdb_field(l->db, ev, "to") << 16;
	for (i = 0; i < l->nr_ops; i++) {
		if (l->ops[i].guest == guest && l->ops[i].key == key)
			return l->ops[i].op;
	}
	op = guest ? read_guest_op(l, ev) : read_transition(l, ev);
	if (l->nr_ops < MAX_NAMES)
		l->ops[l->nr_ops++] = (struct op_name) { guest, key, op };
	return op;
}

static const char *call_of(struct pagelog *l, const struct rbevent *ev)
{
	u64 id = evdb_field(l->db, ev, "id");
	const char *word;
	unsigned int i;
	char *name;

	for (i = 0; i < l->nr_calls; i++) {
		if (l->calls[i].id == id)
			return l->calls[i].name;
	}
	word = evdb_word(l->db, ev, "id");
	name = word && i < MAX_NAMES ? strdup(word) : NULL;
	if (!name)
		return unknown_caller;
	l->calls[l->nr_calls++] = (struct call_name) { id, name };
	return name;
}

static const char *entry_of(enum ev_reason reason)
{
	switch (reason) {
	case REASON_SMC:
		return "smc";
	case REASON_HOST_ABORT:
		return "host_abort";
	case REASON_HVC:
		return "hvc";
	case REASON_GUEST_EXIT:
		return "guest";
	case REASON_OTHER:
	case REASON_ERET_HOST:
	case REASON_ERET_GUEST:
		break;
	}
	return unknown_caller;
}

/* Events */

/* Transitions may be missing between the last event of a CPU and now */
static void doubt(struct pagelog *l, const struct log_cpu *c)
{
	size_t i;

	for (i = c->last; i < l->nr; i++)
		l->event[i].doubtful = true;
	l->doubt = true;
}

static int add(struct pagelog *l, const struct merged *ev, bool guest)
{
	enum page_op op = op_of(l, &ev->ev, guest);
	struct page_event *e;

	if (op == NO_OP)
		return 0;
	if (array_room(&l->event, &l->room, l->nr + 1, sizeof(*l->event)))
		return log_oom();
	e = &l->event[l->nr++];
	*e = (struct page_event) {
		.change = {
			.op = op,
			.vm = guest ? evdb_field(l->db, &ev->ev, "vm") : 0,
			.gfn = guest ? evdb_field(l->db, &ev->ev, "gfn") : 0,
		},
		.pfn = evdb_field(l->db, &ev->ev, "pfn"),
		.nr = evdb_field(l->db, &ev->ev, "nr_pages"),
		.ret = evdb_field(l->db, &ev->ev, "ret"),
		.ts = ev->ev.ts,
		.cpu = ev->cpu,
		.pid = evdb_pid(&ev->ev),
		.caller = l->cpu[ev->cpu].caller,
		.doubtful = l->doubt,
	};
	l->doubt = false;
	return 0;
}

static int take(struct pagelog *l, struct log_cpu *c, const struct merged *ev)
{
	enum ev_reason reason;

	switch (evdb_kind(l->db, &ev->ev, &reason)) {
	case EV_MEM_TRANSITION:
		return add(l, ev, false);
	case EV_GUEST_MEM:
		return add(l, ev, true);
	case EV_HYP_ENTER:
		c->caller = entry_of(reason);
		break;
	case EV_HOST_HCALL:
		c->caller = call_of(l, &ev->ev);
		break;
	case EV_TRACE_ON:
		doubt(l, c);
		c->off = false;
		break;
	case EV_TRACE_OFF:
		c->off = true;
		break;
	case EV_HYP_EXIT:
	case EV_KVM_ENTRY:
	case EV_KVM_EXIT:
	case EV_VCPU_ENTER:
	case EV_VCPU_EXIT:
	case EV_HOST_MEM_ABORT:
	case EV_HYP_BOOT:
	case EV_SCHED_SWITCH:
	case EV_IRQ_ENTRY:
	case EV_IRQ_EXIT:
	case EV_SOFTIRQ_ENTRY:
	case EV_SOFTIRQ_EXIT:
	case EV_FUNC_ENTRY:
	case EV_FUNC_EXIT:
	case EV_FUNCTION:
	case EV_STACK:
	case EV_OTHER:
		break;
	}
	return 0;
}

int pagelog_feed(struct pagelog *l, const struct merged *ev)
{
	struct log_cpu *c = &l->cpu[ev->cpu];
	int ret;

	if (datr_side(l->d, ev->buffer) != HYP)
		return 0;
	if (ev->lost || c->lost) {
		doubt(l, c);
		c->caller = unknown_caller;
	}
	c->lost = !ev->ev.data;
	ret = c->lost ? 0 : take(l, c, ev);
	c->last = l->nr;
	return ret;
}

void pagelog_finish(struct pagelog *l, const struct account *a)
{
	const struct datr_buffer *b;
	unsigned int i, j, cpu;

	for (i = 0; i < datr_nr_buffers(l->d); i++) {
		if (datr_side(l->d, i) != HYP)
			continue;
		b = datr_buffer(l->d, i);
		for (j = 0; j < b->nr_cpus; j++) {
			cpu = b->cpu[j].cpu;
			if (l->cpu[cpu].off || l->cpu[cpu].lost || account_cut(a, i, cpu))
				doubt(l, &l->cpu[cpu]);
		}
	}
}

const struct page_event *pagelog_event(const struct pagelog *l, size_t i)
{
	return i < l->nr ? &l->event[i] : NULL;
}

void pagelog_free(struct pagelog *l)
{
	if (!l)
		return;
	while (l->nr_calls)
		free(l->calls[--l->nr_calls].name);
	free(l->event);
	free(l);
}

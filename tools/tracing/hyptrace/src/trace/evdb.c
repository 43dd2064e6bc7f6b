// SPDX-License-Identifier: GPL-2.0
/*
 * What the events of a file mean. See evdb.h.
 *
 * libtraceevent does not always know where a record ends when it prints it. So a record
 * is checked against its format first, and printed from a copy that is padded with zeros.
 */
#include <event-parse.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>

#include "lib/digits.h"
#include "lib/log.h"
#include "lib/util.h"
#include "lib/visible.h"
#include "trace/evdb.h"
#include "trace/evload.h"
#include "trace/evplan.h"
#include "trace/evstack.h"
#include "trace/evstrings.h"
#include "trace/printcheck.h"

#define NR_IDS		65536
#define NR_REASONS	256
#define SLACK		64
/* Names in a message */
#define MAX_TOLD	8
#define PID_OFFSET	4
/* Of the fields that all events have */
#define COMMON_SIZE	(PID_OFFSET + sizeof(s32))

/**
 * struct known - an event that occurs in the file
 * @next:	the one before it in the file
 * @event:	its format
 * @label:	its name and ": ", as they are printed
 * @size:	the smallest size of a record
 * @dynamic:	it has fields that point behind the fixed part
 * @safety:	which records can be printed with its "print fmt"
 * @plan:	prints all records, or NULL
 * @call:	reads and prints the records of a function tracer, or NULL
 * @callers:	where the addresses of a stack are, or NULL
 * @string:	where the address of a text of trace_printk() or trace_puts() is, or NULL
 * @puts:	for trace_puts(), where the address of its caller is, or NULL
 * @kind:	its kind for the checker
 * @reason:	the field "reason", or NULL
 * @reasons:	what its values mean
 * @nr_others:	records that were not printed as the format says
 */
struct known {
	struct known *next;
	struct tep_event *event;
	char *label;
	u32 size;
	bool dynamic;
	enum print_safety safety;
	struct evplan *plan;
	struct evcall *call;
	const struct tep_format_field *callers;
	const struct tep_format_field *string;
	const struct tep_format_field *puts;
	enum ev_kind kind;
	struct tep_format_field *reason;
	u8 reasons[NR_REASONS];
	u64 nr_others;
};

struct evdb {
	struct tep_handle *tep;
	struct trace_seq seq;
	struct trace_seq array;
	struct evstrings strings;
	struct known *known[NR_IDS];
	struct known *last;
	u64 nr_unknown;
	u8 *copy;
	size_t copy_size;
	char name[32];
	struct evdb **guest;
	unsigned int nr_guests;
};

/* Beginning and end */

static int load_guests(struct evdb *db, const struct datr *d)
{
	unsigned int nr = datr_nr_guests(d);

	db->guest = calloc(nr + 1, sizeof(*db->guest));
	if (!db->guest)
		return log_oom();
	for (; db->nr_guests < nr; db->nr_guests++) {
		db->guest[db->nr_guests] = evdb_load(datr_guest(d, db->nr_guests)->d);
		if (!db->guest[db->nr_guests])
			return -1;
	}
	return 0;
}

struct evdb *evdb_load(const struct datr *d)
{
	struct evdb *db = calloc(1, sizeof(*db));

	if (!db) {
		log_oom();
		return NULL;
	}
	trace_seq_init(&db->seq);
	trace_seq_init(&db->array);
	db->tep = tep_alloc();
	if (!db->tep)
		log_oom();
	if (!db->tep || evload(db->tep, &db->strings, d) || load_guests(db, d)) {
		evdb_free(db);
		return NULL;
	}
	return db;
}

static void free_known(struct known *k)
{
	evcall_free(k->call);
	evplan_free(k->plan);
	free(k->label);
	free(k);
}

void evdb_free(struct evdb *db)
{
	struct known *k;

	if (!db)
		return;
	while ((k = db->last)) {
		db->last = k->next;
		free_known(k);
	}
	while (db->nr_guests)
		evdb_free(db->guest[--db->nr_guests]);
	free(db->guest);
	trace_seq_destroy(&db->seq);
	trace_seq_destroy(&db->array);
	evstrings_free(&db->strings);
	tep_free(db->tep);
	free(db->copy);
	free(db);
}

struct evdb *evdb_of(struct evdb *db, unsigned int guest)
{
	return guest ? db->guest[guest - 1] : db;
}

bool evdb_has_guests(const struct evdb *db)
{
	return db->nr_guests;
}

/* Reasons: by name, since the kernel may change the numbers */

static enum ev_reason reason_named(const char *text)
{
	static const struct {
		const char *name;
		enum ev_reason reason;
	} names[] = {
		{ "smc", REASON_SMC },
		{ "hvc", REASON_HVC },
		{ "host_abort", REASON_HOST_ABORT },
		{ "guest_exit", REASON_GUEST_EXIT },
		{ "eret_host", REASON_ERET_HOST },
		{ "eret_guest", REASON_ERET_GUEST },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcasecmp(text, names[i].name))
			return names[i].reason;
	}
	return REASON_OTHER;
}

/* The first word behind "reason=", or of the whole text */
static enum ev_reason reason_printed(char *text)
{
	char *at = strstr(text, "reason=");

	at = at ? at + strlen("reason=") : text;
	at[strcspn(at, " \t\n,")] = '\0';
	return reason_named(at);
}

/* The address of the text of a record of ftrace/bprint or bputs */
static u64 string_of(const struct known *k, const struct rbevent *ev)
{
	u64 address = 0;

	if (k->string->size == sizeof(address))
		memcpy(&address, ev->data + k->string->offset, sizeof(address));
	return address;
}

static bool can_print(struct evdb *db, const struct known *k, const struct rbevent *ev)
{
	if (k->string)
		return !k->puts && evstrings_has_format(&db->strings, string_of(k, ev));
	return k->safety == PRINT_ALL ||
	       (k->safety == PRINT_SOME && printcheck_record(k->event, ev->data, ev->size));
}

/* Return: false if libtraceevent failed. It would not print the event again after that. */
static bool print_event(struct evdb *db, const struct known *k, struct tep_record *rec)
{
	bool failed;

	tep_print_event(db->tep, &db->seq, rec, "%s", TEP_PRINT_INFO);
	failed = k->event->flags & TEP_EVENT_FL_FAILED;
	k->event->flags &= ~TEP_EVENT_FL_FAILED;
	return !failed;
}

/* "FUNCTION: TEXT" of trace_puts(). Return: false if the file does not have it */
static bool print_puts(struct evdb *db, const struct known *k, const struct rbevent *ev)
{
	const char *text = evstrings_text(&db->strings, string_of(k, ev));
	const char *name;
	u64 ip = 0;

	if (!text)
		return false;
	if (k->puts->size == sizeof(ip))
		memcpy(&ip, ev->data + k->puts->offset, sizeof(ip));
	name = evcall_function(db->tep, ip, NULL);
	if (name)
		trace_seq_printf(&db->seq, "%s: %s", name, text);
	else
		trace_seq_printf(&db->seq, "0x%llx: %s", ip, text);
	return true;
}

/* The event's own text, in db->seq */
static void print_record(struct evdb *db, struct known *k, struct tep_record *rec)
{
	struct rbevent ev = { .data = rec->data, .size = rec->size };

	trace_seq_reset(&db->seq);
	if (!(k->puts && print_puts(db, k, &ev)) &&
	    (!can_print(db, k, &ev) || !print_event(db, k, rec))) {
		trace_seq_reset(&db->seq);
		evfield_print(k->event, &ev, &db->array, &db->seq);
		k->nr_others++;
	}
	trace_seq_terminate(&db->seq);
}

/* To get the name of each value, print a made-up record with it */
static void learn_reasons(struct evdb *db, struct known *k)
{
	u8 *data = calloc(1, k->size + SLACK);
	struct tep_record rec = { .data = data, .size = k->size };
	u16 id = k->event->id;
	unsigned int v;

	if (data)
		memcpy(data, &id, sizeof(id));
	for (v = 0; data && v < NR_REASONS; v++) {
		data[k->reason->offset] = v;
		print_record(db, k, &rec);
		k->reasons[v] = reason_printed(db->seq.buffer);
	}
	k->nr_others = 0;
	free(data);
}

/* The first occurrence of an event */

static enum ev_kind kind_of_call(const struct evcall *call)
{
	switch (evcall_kind(call)) {
	case CALL_ENTRY:
		return EV_FUNC_ENTRY;
	case CALL_EXIT:
		return EV_FUNC_EXIT;
	case CALL_PLAIN:
		break;
	}
	return EV_FUNCTION;
}

static enum ev_kind kind_of(const struct tep_event *e)
{
	static const struct {
		const char *system, *name;
		enum ev_kind kind;
	} kinds[] = {
		{ "kvm", "kvm_entry", EV_KVM_ENTRY },
		{ "kvm", "kvm_exit", EV_KVM_EXIT },
		{ "hypervisor", "hyp_enter", EV_HYP_ENTER },
		{ "hypervisor", "hyp_exit", EV_HYP_EXIT },
		{ "hypervisor", "trace_on", EV_TRACE_ON },
		{ "hypervisor", "trace_off", EV_TRACE_OFF },
		{ "hypervisor", "host_hcall", EV_HOST_HCALL },
		{ "hypervisor", "vcpu_enter", EV_VCPU_ENTER },
		{ "hypervisor", "vcpu_exit", EV_VCPU_EXIT },
		{ "hypervisor", "host_mem_abort", EV_HOST_MEM_ABORT },
		{ "hypervisor", "mem_transition", EV_MEM_TRANSITION },
		{ "hypervisor", "guest_mem", EV_GUEST_MEM },
		{ "hypervisor", "hyp_boot", EV_HYP_BOOT },
		{ "sched", "sched_switch", EV_SCHED_SWITCH },
		{ "irq", "irq_handler_entry", EV_IRQ_ENTRY },
		{ "irq", "irq_handler_exit", EV_IRQ_EXIT },
		{ "ipi", "ipi_entry", EV_IRQ_ENTRY },
		{ "ipi", "ipi_exit", EV_IRQ_EXIT },
		{ "irq", "softirq_entry", EV_SOFTIRQ_ENTRY },
		{ "irq", "softirq_exit", EV_SOFTIRQ_EXIT },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(e->system, kinds[i].system) &&
		    !strcmp(e->name, kinds[i].name))
			return kinds[i].kind;
	}
	return EV_OTHER;
}

/* Return: false if a field is not valid */
static bool measure(struct known *k, const struct tep_format_field *f)
{
	for (; f; f = f->next) {
		if (f->offset < 0 || f->size < 0 || f->offset > NR_IDS ||
		    f->size > NR_IDS)
			return false;
		if ((u32)(f->offset + f->size) > k->size)
			k->size = f->offset + f->size;
		if (f->flags & TEP_FIELD_IS_DYNAMIC)
			k->dynamic = true;
	}
	return true;
}

/* Return: to be freed; NULL if memory ran out */
static char *label_of(const struct tep_event *e)
{
	size_t size = VISIBLE_SIZE(strlen(e->name));
	char *label = malloc(size + strlen(": "));

	if (label) {
		visible_copy(label, size, e->name);
		strcat(label, ": ");
	}
	return label;
}

static void find_string(struct known *k)
{
	struct tep_event *e = k->event;
	bool puts = !strcmp(e->system, "ftrace") && !strcmp(e->name, "bputs");

	if (puts || e->flags & TEP_EVENT_FL_ISBPRINT)
		k->string = tep_find_field(e, puts ? "str" : "fmt");
	if (puts && k->string)
		k->puts = tep_find_field(e, "ip");
}

static struct known *get_to_know(struct evdb *db, struct tep_event *e)
{
	struct known *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->event = e;
	k->label = label_of(e);
	k->size = COMMON_SIZE;
	if (!k->label || !measure(k, e->format.common_fields) ||
	    !measure(k, e->format.fields) || evcall_new(e, &k->call)) {
		free_known(k);
		return NULL;
	}
	k->callers = evstack_callers(e);
	if (k->callers)
		k->size = k->callers->offset;
	find_string(k);
	k->safety = printcheck_event(e);
	if (k->safety != PRINT_NONE && !k->call && !k->callers)
		k->plan = evplan_new(e, k->size);
	k->kind = k->call ? kind_of_call(k->call) : k->callers ? EV_STACK : kind_of(e);
	if (k->kind == EV_HYP_ENTER || k->kind == EV_HYP_EXIT)
		k->reason = tep_find_field(e, "reason");
	if (k->reason && k->reason->size < 1)
		k->reason = NULL;
	if (k->reason)
		learn_reasons(db, k);
	k->next = db->last;
	db->last = k;
	return k;
}

static u16 id_of(const struct rbevent *ev)
{
	u16 id = 0;

	if (ev->size >= sizeof(id))
		memcpy(&id, ev->data, sizeof(id));
	return id;
}

static struct known *find(struct evdb *db, const struct rbevent *ev)
{
	u16 id = id_of(ev);
	struct tep_event *e;

	if (db->known[id])
		return db->known[id];
	e = tep_find_event(db->tep, id);
	if (e)
		db->known[id] = get_to_know(db, e);
	return db->known[id];
}

/* Printing */

/* Does the dynamic field point into the record? Its word is offset, length. */
static bool dynamic_fits(const struct tep_format_field *f,
			 const struct rbevent *ev)
{
	u32 word, offset;

	if (f->size < (int)sizeof(word))
		return false;
	memcpy(&word, ev->data + f->offset, sizeof(word));
	offset = word & 0xffff;
	if (f->flags & TEP_FIELD_IS_RELATIVE)
		offset += f->offset + f->size;
	return offset + (word >> 16) <= ev->size;
}

static bool fits_format(const struct known *k, const struct rbevent *ev)
{
	const struct tep_format_field *f;

	if (ev->size < k->size)
		return false;
	if (!k->dynamic)
		return true;
	for (f = k->event->format.fields; f; f = f->next) {
		if ((f->flags & TEP_FIELD_IS_DYNAMIC) && !dynamic_fits(f, ev))
			return false;
	}
	return true;
}

/* Return: the record, padded with SLACK zeros, or NULL */
static u8 *copy_of(struct evdb *db, const struct rbevent *ev)
{
	u8 *bigger;

	if (db->copy_size < ev->size + SLACK) {
		bigger = realloc(db->copy, ev->size + SLACK);
		if (!bigger)
			return NULL;
		db->copy = bigger;
		db->copy_size = ev->size + SLACK;
	}
	memcpy(db->copy, ev->data, ev->size);
	memset(db->copy + ev->size, 0, SLACK);
	return db->copy;
}

static s32 pid_of(const struct rbevent *ev)
{
	s32 pid;

	memcpy(&pid, ev->data + PID_OFFSET, sizeof(pid));
	return pid;
}

static char *print_stack(struct evdb *db, const struct known *k, const struct rbevent *ev)
{
	trace_seq_reset(&db->seq);
	evstack_print(k->callers, db->tep, ev->data, ev->size, &db->seq);
	trace_seq_terminate(&db->seq);
	return db->seq.buffer;
}

static char *print_call(struct evdb *db, const struct known *k, const struct rbevent *ev)
{
	trace_seq_reset(&db->seq);
	evcall_print(k->call, db->tep, ev->data, &db->seq);
	trace_seq_terminate(&db->seq);
	return db->seq.buffer;
}

/* Some texts end with one, such as those of trace_printk() */
static void drop_newline(char *text)
{
	size_t len = strlen(text);

	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
}

/* The event's own text, until the next call; NULL if memory ran out */
static char *print_fields(struct evdb *db, struct known *k,
			  const struct rbevent *ev, unsigned int cpu)
{
	struct tep_record rec = { .ts = ev->ts, .size = ev->size, .cpu = cpu };

	if (k->plan)
		return evplan_print(k->plan, ev->data);
	if (k->call)
		return print_call(db, k, ev);
	if (k->callers)
		return print_stack(db, k, ev);
	rec.data = copy_of(db, ev);
	if (!rec.data)
		return NULL;
	print_record(db, k, &rec);
	drop_newline(db->seq.buffer);
	return db->seq.buffer;
}

/* As "-%-7d " */
static void print_pid(FILE *out, s32 pid)
{
	char text[2 * DIGITS_SIZE] = "--", *to = text + 1 + (pid < 0);

	to = digits_decimal(to, pid < 0 ? -(u64)pid : (u64)pid, 0, ' ');
	while (to < text + strlen("-1234567"))
		*to++ = ' ';
	*to++ = ' ';
	fwrite(text, 1, to - text, out);
}

/* One of the few texts that have more than one line, each with a symbol of the file */
static void put_lines(FILE *out, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		visible_put(out, line);
		if (text)
			putc('\n', out);
	}
}

static void print_known(struct evdb *db, FILE *out, struct known *k,
			const struct rbevent *ev, unsigned int cpu)
{
	char *text = print_fields(db, k, ev, cpu);

	if (!text)
		return;
	fputs(k->label, out);
	if (k->callers)
		put_lines(out, text);
	else
		visible_put(out, text);
}

/* The text of an event that is not known, or does not fit its format: its bytes */
static const char *no_text(struct evdb *db, struct known *k,
			   const struct rbevent *ev)
{
	const char *what = !k ? "unknown event" : ev->size < k->size ? "short record" :
			   "corrupt record";

	trace_seq_reset(&db->seq);
	trace_seq_printf(&db->seq, "[%s] of %u bytes: ", what, ev->size);
	if (ev->size > COMMON_SIZE)
		evfield_print_bytes(&db->seq, ev->data + COMMON_SIZE, ev->size - COMMON_SIZE);
	trace_seq_terminate(&db->seq);
	*(k ? &k->nr_others : &db->nr_unknown) += 1;
	return db->seq.buffer;
}

static void print_task(struct evdb *db, FILE *out, const struct rbevent *ev)
{
	if (ev->size < COMMON_SIZE) {
		fprintf(out, "%16s-%-7s ", "?", "?");
		return;
	}
	visible_cell(out, tep_data_comm_from_pid(db->tep, pid_of(ev)), 16, INT_MAX);
	print_pid(out, pid_of(ev));
}

void evdb_print(struct evdb *db, FILE *out, const struct rbevent *ev,
		unsigned int cpu)
{
	struct known *k = find(db, ev);

	print_task(db, out, ev);
	if (k && fits_format(k, ev)) {
		print_known(db, out, k, ev, cpu);
		return;
	}
	visible_put(out, evdb_name(db, ev));
	fprintf(out, ": %s", no_text(db, k, ev));
}

/* For the checker */

enum ev_kind evdb_kind(struct evdb *db, const struct rbevent *ev,
		       enum ev_reason *reason)
{
	struct known *k = find(db, ev);

	*reason = REASON_OTHER;
	if (!k || ev->size < k->size)
		return EV_OTHER;
	if (k->reason)
		*reason = k->reasons[ev->data[k->reason->offset]];
	return k->kind;
}

bool evdb_call(struct evdb *db, const struct rbevent *ev, struct call *out)
{
	struct known *k = find(db, ev);

	if (!k || !k->call || ev->size < k->size)
		return false;
	evcall_read(k->call, ev->data, out);
	return true;
}

const char *evdb_function(struct evdb *db, u64 addr, u64 *start)
{
	return evcall_function(db->tep, addr, start);
}

const char *evdb_name(struct evdb *db, const struct rbevent *ev)
{
	struct known *k = find(db, ev);

	if (k)
		return k->event->name;
	snprintf(db->name, sizeof(db->name), "event %u", id_of(ev));
	return db->name;
}

/* For the statistics */

s32 evdb_pid(const struct rbevent *ev)
{
	return ev->size < COMMON_SIZE ? -1 : pid_of(ev);
}

const char *evdb_comm(struct evdb *db, s32 pid)
{
	return tep_data_comm_from_pid(db->tep, pid);
}

void evdb_set_comm(struct evdb *db, s32 pid, const char *comm)
{
	if (!tep_is_pid_registered(db->tep, pid) || strcmp(evdb_comm(db, pid), comm))
		tep_override_comm(db->tep, comm, pid);
}

bool evdb_number(struct evdb *db, const struct rbevent *ev, const char *field,
		 u64 *value)
{
	struct known *k = find(db, ev);
	struct tep_format_field *f;

	if (!k || ev->size < k->size)
		return false;
	f = tep_find_field(k->event, field);
	if (!f || f->size < 1 || f->size > (int)sizeof(*value))
		return false;
	*value = 0;
	memcpy(value, ev->data + f->offset, f->size);
	return true;
}

u64 evdb_field(struct evdb *db, const struct rbevent *ev, const char *field)
{
	u64 value;

	return evdb_number(db, ev, field, &value) ? value : 0;
}

/* Is @at where a word begins in @text? */
static bool at_word(const char *text, const char *at)
{
	return at == text || at[-1] == ' ';
}

const char *evdb_word(struct evdb *db, const struct rbevent *ev,
		      const char *key)
{
	struct known *k = find(db, ev);
	size_t len = strlen(key);
	char *text, *at;

	if (!k || !fits_format(k, ev))
		return NULL;
	text = print_fields(db, k, ev, 0);
	for (at = text; at && (at = strstr(at, key)); at += len) {
		if (!at_word(text, at) || at[len] != '=')
			continue;
		at += len + 1;
		at[strcspn(at, " \t\n,")] = '\0';
		return at;
	}
	return NULL;
}

/* Values of fields */

bool evdb_head(struct evdb *db, const struct rbevent *ev, struct evdb_head *h)
{
	struct known *k = find(db, ev);

	if (!k || ev->size < COMMON_SIZE)
		return false;
	h->system = k->event->system;
	h->name = k->event->name;
	h->pid = pid_of(ev);
	return true;
}

bool evdb_fits(struct evdb *db, const struct rbevent *ev)
{
	const struct known *k = find(db, ev);

	return k && fits_format(k, ev);
}

void evdb_each(struct evdb *db, evdb_head_fn fn, void *ctx)
{
	struct tep_event *e;
	struct evdb_head h;
	int i;

	for (i = 0; (e = tep_get_event(db->tep, i)); i++) {
		h = (struct evdb_head) { .system = e->system, .name = e->name };
		fn(ctx, &h);
	}
}

static const struct tep_format_field *field_at(const struct tep_event *e, unsigned int i)
{
	const struct tep_format_field *f = e->format.fields;

	while (f && i--)
		f = f->next;
	return f;
}

bool evdb_field_at(struct evdb *db, const char *system, const char *event, unsigned int i,
		   struct evdb_field_kind *out)
{
	const struct tep_event *e = tep_find_event_by_name(db->tep, system, event);
	const struct tep_format_field *f = e ? field_at(e, i) : NULL;

	if (!f)
		return false;
	out->name = f->name;
	out->string = evfield_is_text(f);
	return true;
}

int evdb_id(struct evdb *db, const char *system, const char *event)
{
	const struct tep_event *e = tep_find_event_by_name(db->tep, system, event);

	return e ? e->id : -1;
}

bool evdb_has_id(const struct rbevent *ev, int id)
{
	return ev->size >= sizeof(u16) && id_of(ev) == id;
}

bool evdb_value_at(struct evdb *db, const struct rbevent *ev, unsigned int i,
		   struct evdb_value *v)
{
	const struct known *k = find(db, ev);
	const struct tep_format_field *f;

	if (!k || !fits_format(k, ev))
		return false;
	f = field_at(k->event, i);
	if (f)
		evfield_read(f, ev, &db->array, v);
	return f;
}

void evdb_values(struct evdb *db, const struct rbevent *ev, evdb_value_fn fn,
		 void *ctx)
{
	const struct known *k = find(db, ev);
	const struct tep_format_field *f;
	struct evdb_value v;

	if (!k || !fits_format(k, ev))
		return;
	for (f = k->event->format.fields; f; f = f->next) {
		evfield_read(f, ev, &db->array, &v);
		fn(ctx, &v);
	}
}

const char *evdb_text(struct evdb *db, const struct rbevent *ev,
		      unsigned int cpu)
{
	struct known *k = find(db, ev);

	if (!k || !fits_format(k, ev))
		return no_text(db, k, ev);
	return print_fields(db, k, ev, cpu) ?: "";
}

/* Messages */

/* Their names and numbers, and the sum of these */
static u64 put_others(const struct evdb *db, struct trace_seq *s)
{
	const struct known *k;
	unsigned int i, kinds = 0;
	u64 sum = db->nr_unknown;

	for (k = db->last; k; k = k->next) {
		sum += k->nr_others;
		if (k->nr_others && kinds++ < MAX_TOLD)
			trace_seq_printf(s, "%s%s:%s (%llu)", s->len ? ", " : "",
					 k->event->system, k->event->name, k->nr_others);
	}
	if (kinds > MAX_TOLD)
		trace_seq_printf(s, ", %u other events", kinds - MAX_TOLD);
	if (db->nr_unknown)
		trace_seq_printf(s, "%s%llu without a format", s->len ? ", " : "", db->nr_unknown);
	for (i = 0; i < db->nr_guests; i++)
		sum += put_others(db->guest[i], s);
	return sum;
}

void evdb_tell(const struct evdb *db, const char *name)
{
	struct trace_seq s;
	u64 sum;

	trace_seq_init(&s);
	sum = put_others(db, &s);
	trace_seq_terminate(&s);
	if (sum)
		log_note("%s: %llu events printed by fields or bytes, not as their formats say: %s",
			 name, sum, s.buffer);
	trace_seq_destroy(&s);
}

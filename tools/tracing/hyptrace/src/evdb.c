// SPDX-License-Identifier: GPL-2.0
/*
 * What the events of a file mean. See evdb.h.
 *
 * libtraceevent prints a record without knowing where it ends, so a record is
 * checked against its format first, and printed from a copy with zeros behind.
 */
#include <event-parse.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>

#include "evdb.h"
#include "log.h"
#include "util.h"

#define NR_IDS		65536
#define NR_REASONS	256
#define SLACK		64
#define PID_OFFSET	4

/**
 * struct known - an event that occurs in the file
 * @event:	its format
 * @size:	the least that a record of it has
 * @dynamic:	it has fields that point behind the fixed part
 * @kind:	what the checker calls it
 * @reason:	the field "reason", or NULL
 * @reasons:	what its values mean
 */
struct known {
	struct tep_event *event;
	uint32_t size;
	bool dynamic;
	enum ev_kind kind;
	struct tep_format_field *reason;
	uint8_t reasons[NR_REASONS];
};

struct evdb {
	struct tep_handle *tep;
	struct trace_seq seq;
	struct known *known[NR_IDS];
	uint8_t *copy;
	size_t copy_size;
	char name[32];
};

/* Loading */

static void add_format(void *ctx, const char *system, const char *text,
		       size_t size)
{
	struct evdb *db = ctx;

	tep_parse_event(db->tep, text, size, system);
}

/* One line of saved_cmdlines, "PID COMM", ends at @end */
static void add_comm(struct evdb *db, const char *line, const char *end)
{
	char text[64], *comm;
	long pid;

	if (end - line >= (long)sizeof(text))
		return;
	memcpy(text, line, end - line);
	text[end - line] = '\0';
	pid = strtol(text, &comm, 10);
	if (comm != text && *comm == ' ' && pid >= 0)
		tep_register_comm(db->tep, comm + 1, pid);
}

static void add_comms(struct evdb *db, const char *text, size_t size)
{
	const char *end = text + size, *eol;

	while (text < end) {
		eol = memchr(text, '\n', end - text);
		if (!eol)
			eol = end;
		add_comm(db, text, eol);
		text = eol + 1;
	}
}

static int load(struct evdb *db, const struct datr *d)
{
	const char *text;
	size_t size;

	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(db->tep, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(db->tep, TEP_LITTLE_ENDIAN);
	tep_set_long_size(db->tep, 8);
	if (datr_formats(d, add_format, db))
		return -1;
	text = datr_blob(d, DAT_CMDLINES, &size);
	if (text)
		add_comms(db, text, size);
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
	db->tep = tep_alloc();
	if (!db->tep)
		log_oom();
	if (!db->tep || load(db, d)) {
		evdb_free(db);
		return NULL;
	}
	return db;
}

void evdb_free(struct evdb *db)
{
	unsigned int i;

	if (!db)
		return;
	for (i = 0; i < NR_IDS; i++)
		free(db->known[i]);
	trace_seq_destroy(&db->seq);
	tep_free(db->tep);
	free(db->copy);
	free(db);
}

/* Reasons: by name, since the numbers are the kernel's business */

static enum ev_reason reason_named(const char *text)
{
	static const struct {
		const char *name;
		enum ev_reason reason;
	} names[] = {
		{ "hvc", REASON_HVC },
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

/* Print a made-up record for each value, and look what it is called */
static void learn_reasons(struct evdb *db, struct known *k)
{
	uint8_t *data = calloc(1, k->size + SLACK);
	struct tep_record rec = { .data = data, .size = k->size };
	unsigned int v;

	for (v = 0; data && v < NR_REASONS; v++) {
		data[k->reason->offset] = v;
		trace_seq_reset(&db->seq);
		tep_print_event(db->tep, &db->seq, &rec, "%s", TEP_PRINT_INFO);
		trace_seq_terminate(&db->seq);
		k->reasons[v] = reason_printed(db->seq.buffer);
	}
	free(data);
}

/* Getting to know an event */

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
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(e->system, kinds[i].system) &&
		    !strcmp(e->name, kinds[i].name))
			return kinds[i].kind;
	}
	return EV_OTHER;
}

/* Return: false if a field makes no sense */
static bool measure(struct known *k, const struct tep_format_field *f)
{
	for (; f; f = f->next) {
		if (f->offset < 0 || f->size < 0 || f->offset > NR_IDS ||
		    f->size > NR_IDS)
			return false;
		if ((uint32_t)(f->offset + f->size) > k->size)
			k->size = f->offset + f->size;
		if (f->flags & TEP_FIELD_IS_DYNAMIC)
			k->dynamic = true;
	}
	return true;
}

static struct known *get_to_know(struct evdb *db, struct tep_event *e)
{
	struct known *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->event = e;
	k->size = PID_OFFSET + sizeof(int32_t);
	if (!measure(k, e->format.common_fields) ||
	    !measure(k, e->format.fields)) {
		free(k);
		return NULL;
	}
	k->kind = kind_of(e);
	if (k->kind == EV_HYP_ENTER || k->kind == EV_HYP_EXIT)
		k->reason = tep_find_field(e, "reason");
	if (k->reason && k->reason->size < 1)
		k->reason = NULL;
	if (k->reason)
		learn_reasons(db, k);
	return k;
}

static uint16_t id_of(const struct rbevent *ev)
{
	uint16_t id = 0;

	if (ev->size >= sizeof(id))
		memcpy(&id, ev->data, sizeof(id));
	return id;
}

static struct known *find(struct evdb *db, const struct rbevent *ev)
{
	uint16_t id = id_of(ev);
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
	uint32_t word, offset;

	if (f->size < (int)sizeof(word))
		return false;
	memcpy(&word, ev->data + f->offset, sizeof(word));
	offset = word & 0xffff;
	if (f->flags & TEP_FIELD_IS_RELATIVE)
		offset += f->offset + f->size;
	return offset + (word >> 16) <= ev->size;
}

static bool fits(const struct known *k, const struct rbevent *ev)
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

/* Return: the record with SLACK zeros behind, or NULL */
static uint8_t *copy_of(struct evdb *db, const struct rbevent *ev)
{
	uint8_t *bigger;

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

static int32_t pid_of(const struct rbevent *ev)
{
	int32_t pid;

	memcpy(&pid, ev->data + PID_OFFSET, sizeof(pid));
	return pid;
}

static void print_known(struct evdb *db, FILE *out, const struct known *k,
			const struct rbevent *ev, unsigned int cpu)
{
	struct tep_record rec = {
		.ts = ev->ts, .size = ev->size, .cpu = cpu,
		.data = copy_of(db, ev),
	};

	if (!rec.data)
		return;
	trace_seq_reset(&db->seq);
	tep_print_event(db->tep, &db->seq, &rec, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&db->seq);
	fprintf(out, "%16s-%-7d %s: %s",
		tep_data_comm_from_pid(db->tep, pid_of(ev)), pid_of(ev),
		k->event->name, db->seq.buffer);
}

void evdb_print(struct evdb *db, FILE *out, const struct rbevent *ev,
		unsigned int cpu)
{
	struct known *k = find(db, ev);

	if (k && fits(k, ev))
		print_known(db, out, k, ev, cpu);
	else
		fprintf(out, "%16s-%-7s %s: %s of %u bytes", "?", "?",
			evdb_name(db, ev),
			k ? "[corrupt record]" : "[unknown event]", ev->size);
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

const char *evdb_name(struct evdb *db, const struct rbevent *ev)
{
	struct known *k = find(db, ev);

	if (k)
		return k->event->name;
	snprintf(db->name, sizeof(db->name), "event %u", id_of(ev));
	return db->name;
}

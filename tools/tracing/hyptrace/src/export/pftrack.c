// SPDX-License-Identifier: GPL-2.0
/*
 * Tracks. See pftrack.h.
 *
 * The numbers are those of protos/perfetto/trace/ in Perfetto: trace_packet.proto,
 * interned_data/ and track_event/.
 */
#include <stdlib.h>
#include <string.h>

#include "export/intern.h"
#include "export/pftrack.h"
#include "lib/bytes.h"
#include "lib/log.h"

/* TracePacket */
#define PACKET_TIMESTAMP	8
#define PACKET_SEQUENCE		10
#define PACKET_EVENT		11
#define PACKET_INTERNED		12
#define PACKET_FLAGS		13
#define PACKET_TRACK		60

/* Names are valid in the packets of one sequence, from the first one on */
#define SEQUENCE		1
#define FLAGS_FIRST		1
#define FLAGS_NAMES		2

/* TrackDescriptor */
#define TRACK_UUID		1
#define TRACK_NAME		2
#define TRACK_THREAD		4
#define TRACK_PARENT		5

/* ThreadDescriptor */
#define THREAD_PID		1
#define THREAD_TID		2
#define THREAD_NAME		5

/* TrackEvent */
#define EVENT_CATEGORY		3
#define EVENT_ARGUMENT		4
#define EVENT_TYPE		9
#define EVENT_NAME		10
#define EVENT_TRACK		11

/* InternedData, and what is in it; also what is in the table, before the name */
enum interned {
	INTERNED_CATEGORY	= 1,
	INTERNED_NAME		= 2,
	INTERNED_ARGUMENT	= 3,
	TRACK_OF_VM,
	TRACK_OF_VCPU,
	TRACK_OF_THREAD,
	TRACK_OF_CPU,
};

#define NR_RECENT		64

#define INTERNED_ID		1
#define INTERNED_TEXT		2

/* DebugAnnotation */
#define ARGUMENT_NAME		1
#define ARGUMENT_UINT		3
#define ARGUMENT_INT		4
#define ARGUMENT_STRING		6

/**
 * struct recent_name - a name that was looked up
 * @what:	what has it
 * @name:	its address
 * @number:	its number
 */
struct recent_name {
	enum interned what;
	const char *name;
	u64 number;
};

/**
 * struct pftrack - the tracks
 * @out:	gets the packets
 * @table:	names and tracks; their numbers are those in it plus 1
 * @key:	what is looked up there
 * @recent:	names, to find them by their address
 * @flows:	how many there are
 * @begun:	a packet was written
 * @failed:	memory ran out
 * @ts:		of the event
 * @event:	the TrackEvent
 * @names:	the names in it that are new
 * @packet:	the packet
 * @part:	a message in another one
 */
struct pftrack {
	struct pfout *out;
	struct intern *table;
	struct bytes key;
	struct recent_name recent[NR_RECENT];
	u64 flows;
	bool begun;
	bool failed;
	u64 ts;
	struct proto *event;
	struct proto *names;
	struct proto *packet;
	struct proto *part;
};

struct pftrack *pftrack_new(struct pfout *out)
{
	struct pftrack *t = calloc(1, sizeof(*t));

	if (!t) {
		log_oom();
		return NULL;
	}
	t->out = out;
	t->table = intern_new();
	t->event = proto_new();
	t->names = proto_new();
	t->packet = proto_new();
	t->part = proto_new();
	if (!t->table || !t->event || !t->names || !t->packet || !t->part) {
		pftrack_free(t);
		return NULL;
	}
	return t;
}

void pftrack_free(struct pftrack *t)
{
	if (!t)
		return;
	intern_free(t->table);
	bytes_free(&t->key);
	proto_free(t->event);
	proto_free(t->names);
	proto_free(t->packet);
	proto_free(t->part);
	free(t);
}

int pftrack_finish(const struct pftrack *t)
{
	return t->failed || intern_failed(t->table) ? -1 : 0;
}

/* The table */

static void begin_key(struct pftrack *t, enum interned what)
{
	t->key.size = 0;
	bytes_varint(&t->key, what);
}

/* Return: the number, not 0; in @is_new whether it had none */
static u64 number_of_key(struct pftrack *t, bool *is_new)
{
	u32 nr = intern_nr(t->table);
	u64 number = intern_get(t->table, &t->key) + 1ULL;

	*is_new = intern_nr(t->table) > nr;
	return number;
}

static u64 look_up(struct pftrack *t, enum interned what, const char *name)
{
	bool is_new;
	u64 number;

	begin_key(t, what);
	bytes_add(&t->key, name, strlen(name));
	number = number_of_key(t, &is_new);
	if (!is_new)
		return number;
	proto_reset(t->part);
	proto_int(t->part, INTERNED_ID, number);
	proto_string(t->part, INTERNED_TEXT, name);
	proto_message(t->names, what, t->part);
	return number;
}

static u64 name_number(struct pftrack *t, enum interned what, const char *name)
{
	struct recent_name *r = &t->recent[((uintptr_t)name / 4 + what) % NR_RECENT];

	if (r->name != name || r->what != what)
		*r = (struct recent_name) { what, name, look_up(t, what, name) };
	return r->number;
}

/* Packets */

static void send(struct pftrack *t, unsigned int field, const struct proto *content)
{
	proto_int(t->packet, PACKET_SEQUENCE, SEQUENCE);
	proto_int(t->packet, PACKET_FLAGS, t->begun ? FLAGS_NAMES : FLAGS_FIRST | FLAGS_NAMES);
	proto_message(t->packet, field, content);
	t->begun = true;
	t->failed |= pfout_packet(t->out, t->packet);
	proto_reset(t->packet);
}

static u64 begin_track(struct pftrack *t, bool *is_new)
{
	u64 uuid = number_of_key(t, is_new);

	proto_reset(t->part);
	proto_int(t->part, TRACK_UUID, uuid);
	return uuid;
}

/* Describe the track of the key if it is new */
static u64 track(struct pftrack *t, u64 parent, const char *name)
{
	bool is_new;
	u64 uuid = begin_track(t, &is_new);

	if (!is_new)
		return uuid;
	if (parent)
		proto_int(t->part, TRACK_PARENT, parent);
	proto_string(t->part, TRACK_NAME, name);
	send(t, PACKET_TRACK, t->part);
	return uuid;
}

u64 pftrack_vm(struct pftrack *t, u32 vm)
{
	char name[32];

	snprintf(name, sizeof(name), "VM 0x%x", vm);
	begin_key(t, TRACK_OF_VM);
	bytes_varint(&t->key, vm);
	return track(t, 0, name);
}

u64 pftrack_vcpu(struct pftrack *t, u64 vm, s32 task, const char *name)
{
	begin_key(t, TRACK_OF_VCPU);
	bytes_varint(&t->key, vm);
	bytes_varint(&t->key, (u32)task);
	bytes_add(&t->key, name, strlen(name));
	return track(t, vm, name);
}

/* Perfetto wants a process; a task whose process is not known gets one of its own */
u64 pftrack_thread(struct pftrack *t, s32 task, const char *name)
{
	bool is_new;
	u64 uuid;

	begin_key(t, TRACK_OF_THREAD);
	bytes_varint(&t->key, (u32)task);
	uuid = begin_track(t, &is_new);
	if (!is_new)
		return uuid;
	proto_reset(t->event);
	proto_int(t->event, THREAD_PID, (u64)task);
	proto_int(t->event, THREAD_TID, (u64)task);
	if (name)
		proto_string(t->event, THREAD_NAME, name);
	proto_message(t->part, TRACK_THREAD, t->event);
	send(t, PACKET_TRACK, t->part);
	return uuid;
}

u64 pftrack_cpu(struct pftrack *t, unsigned int cpu)
{
	char name[32];

	snprintf(name, sizeof(name), "EL2 functions CPU %u", cpu);
	begin_key(t, TRACK_OF_CPU);
	bytes_varint(&t->key, cpu);
	return track(t, 0, name);
}

/* Events */

const char *pftrack_el2_name(enum ev_reason reason)
{
	switch (reason) {
	case REASON_SMC:
		return "EL2 smc";
	case REASON_HVC:
		return "EL2 hvc";
	case REASON_HOST_ABORT:
		return "EL2 host_abort";
	case REASON_GUEST_EXIT:
		return "EL2 guest_exit";
	case REASON_ERET_HOST:
	case REASON_ERET_GUEST:
	case REASON_OTHER:
		break;
	}
	return "EL2";
}

void pftrack_event(struct pftrack *t, enum pf_type type, u64 track, u64 ts)
{
	t->ts = ts;
	proto_reset(t->event);
	proto_int(t->event, EVENT_TYPE, type);
	proto_int(t->event, EVENT_TRACK, track);
}

void pftrack_name(struct pftrack *t, const char *name, const char *category)
{
	proto_int(t->event, EVENT_CATEGORY, name_number(t, INTERNED_CATEGORY, category));
	proto_int(t->event, EVENT_NAME, name_number(t, INTERNED_NAME, name));
}

void pftrack_argument(void *ctx, const struct evdb_value *v)
{
	struct pftrack *t = ctx;
	u64 name = name_number(t, INTERNED_ARGUMENT, v->name);

	proto_reset(t->part);
	proto_int(t->part, ARGUMENT_NAME, name);
	if (v->string)
		proto_bytes(t->part, ARGUMENT_STRING, v->string, v->length);
	else
		proto_int(t->part, v->is_signed ? ARGUMENT_INT : ARGUMENT_UINT, v->integer);
	proto_message(t->event, EVENT_ARGUMENT, t->part);
}

u64 pftrack_new_flow(struct pftrack *t)
{
	return ++t->flows;
}

void pftrack_flow(struct pftrack *t, enum pf_flow step, u64 flow)
{
	proto_fixed64(t->event, step, flow);
}

void pftrack_send(struct pftrack *t)
{
	size_t new_names;

	proto_int(t->packet, PACKET_TIMESTAMP, t->ts);
	proto_data(t->names, &new_names);
	if (new_names)
		proto_message(t->packet, PACKET_INTERNED, t->names);
	proto_reset(t->names);
	send(t, PACKET_EVENT, t->event);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Bundles of events. See pfbundle.h.
 *
 * The numbers are those of protos/perfetto/trace/ in Perfetto.
 */
#include <stdlib.h>

#include "export/pfbundle.h"
#include "lib/log.h"
#include "lib/util.h"

#define PACKET_FTRACE	1
#define BUNDLE_CPU	1
#define BUNDLE_EVENT	2
#define BUNDLE_LOST	3

/* Events of a bundle */
#define MAX_EVENTS	512

/**
 * struct bundle - the bundle of a CPU that is being filled
 * @events:	its events; NULL as long as the CPU had none
 * @nr:		how many
 * @lost:	events are missing before it
 */
struct bundle {
	struct proto *events;
	unsigned int nr;
	bool lost;
};

struct pfbundle {
	struct pfout *out;
	struct bundle cpu[MAX_CPUS];
	struct proto *bundle;
	struct proto *packet;
};

struct pfbundle *pfbundle_new(struct pfout *out)
{
	struct pfbundle *b = calloc(1, sizeof(*b));

	if (!b) {
		log_oom();
		return NULL;
	}
	b->out = out;
	b->bundle = proto_new();
	b->packet = proto_new();
	if (!b->bundle || !b->packet) {
		pfbundle_free(b);
		return NULL;
	}
	return b;
}

void pfbundle_free(struct pfbundle *b)
{
	unsigned int i;

	if (!b)
		return;
	for (i = 0; i < MAX_CPUS; i++)
		proto_free(b->cpu[i].events);
	proto_free(b->bundle);
	proto_free(b->packet);
	free(b);
}

/* Write the bundle of a CPU, and begin the next one */
static int write_bundle(struct pfbundle *b, unsigned int cpu)
{
	struct bundle *c = &b->cpu[cpu];

	proto_reset(b->bundle);
	proto_int(b->bundle, BUNDLE_CPU, cpu);
	if (c->lost)
		proto_int(b->bundle, BUNDLE_LOST, 1);
	proto_append(b->bundle, c->events);
	proto_reset(b->packet);
	proto_message(b->packet, PACKET_FTRACE, b->bundle);
	proto_reset(c->events);
	c->nr = 0;
	c->lost = false;
	return pfout_packet(b->out, b->packet);
}

static int begin_bundle(struct bundle *c)
{
	if (!c->events)
		c->events = proto_new();
	return c->events ? 0 : -1;
}

int pfbundle_add(struct pfbundle *b, unsigned int cpu,
		 const struct proto *event)
{
	struct bundle *c = &b->cpu[cpu];

	if (begin_bundle(c))
		return -1;
	proto_message(c->events, BUNDLE_EVENT, event);
	return ++c->nr < MAX_EVENTS ? 0 : write_bundle(b, cpu);
}

int pfbundle_lost(struct pfbundle *b, unsigned int cpu)
{
	struct bundle *c = &b->cpu[cpu];
	int ret = begin_bundle(c);

	if (!ret && c->nr)
		ret = write_bundle(b, cpu);
	c->lost = true;
	return ret;
}

int pfbundle_finish(struct pfbundle *b)
{
	unsigned int i;

	for (i = 0; i < MAX_CPUS; i++) {
		if ((b->cpu[i].nr || b->cpu[i].lost) && write_bundle(b, i))
			return -1;
	}
	return 0;
}

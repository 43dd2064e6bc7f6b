// SPDX-License-Identifier: GPL-2.0
/*
 * The packets of a trace. See pfout.h.
 *
 * The number is that of protos/perfetto/trace/trace.proto in Perfetto.
 */
#include <stdlib.h>

#include "export/pfout.h"
#include "lib/log.h"

#define TRACE_PACKET	1

/* The packets of a write */
#define MAX_SIZE	65536

struct pfout {
	FILE *file;
	struct proto *trace;
};

struct pfout *pfout_new(FILE *file)
{
	struct pfout *o = calloc(1, sizeof(*o));

	if (!o) {
		log_oom();
		return NULL;
	}
	o->file = file;
	o->trace = proto_new();
	if (!o->trace) {
		pfout_free(o);
		return NULL;
	}
	return o;
}

void pfout_free(struct pfout *o)
{
	if (!o)
		return;
	proto_free(o->trace);
	free(o);
}

int pfout_packet(struct pfout *o, const struct proto *packet)
{
	size_t size;

	proto_message(o->trace, TRACE_PACKET, packet);
	proto_data(o->trace, &size);
	return size < MAX_SIZE ? 0 : pfout_finish(o);
}

int pfout_finish(struct pfout *o)
{
	const void *data;
	size_t size;

	if (proto_failed(o->trace))
		return -1;
	data = proto_data(o->trace, &size);
	fwrite(data, 1, size, o->file);
	proto_reset(o->trace);
	return 0;
}

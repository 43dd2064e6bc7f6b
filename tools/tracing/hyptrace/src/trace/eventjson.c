// SPDX-License-Identifier: GPL-2.0
/*
 * An event as a line of JSON. See eventjson.h.
 */
#include "lib/json.h"
#include "trace/eventjson.h"

static void put_place(FILE *out, const struct merged *ev, enum side side)
{
	fprintf(out, "{\"ts\": %llu, \"cpu\": %u, \"side\": \"%s\"",
		ev->ev.ts, ev->cpu, side_name(side));
}

void eventjson_loss(FILE *out, const struct merged *ev, enum side side)
{
	put_place(out, ev, side);
	if (ev->lost == RBPAGE_LOST_UNKNOWN)
		fputs(", \"lost\": null}\n", out);
	else
		fprintf(out, ", \"lost\": %llu}\n", ev->lost);
}

struct fields {
	FILE *out;
	unsigned int nr;
};

static void put_field(void *ctx, const struct evdb_value *v)
{
	struct fields *f = ctx;

	fputs(f->nr++ ? ", " : "", f->out);
	json_string(f->out, v->name);
	fputs(": ", f->out);
	if (v->string)
		json_bytes(f->out, v->string, v->length);
	else if (v->is_signed)
		fprintf(f->out, "%lld", (long long)v->integer);
	else
		fprintf(f->out, "%llu", v->integer);
}

void eventjson_fields(FILE *out, struct evdb *db, const struct rbevent *ev)
{
	struct fields f = { .out = out };

	fputc('{', out);
	evdb_values(db, ev, put_field, &f);
	fputc('}', out);
}

/* @h: NULL if the file does not describe the event */
static void put_event(FILE *out, struct evdb *db, const struct merged *ev,
		      const struct evdb_head *h)
{
	s32 pid = evdb_pid(&ev->ev);

	if (h) {
		fputs(", \"system\": ", out);
		json_string(out, h->system);
	} else {
		fprintf(out, ", \"unknown_bytes\": %u", ev->ev.size);
	}
	fputs(", \"event\": ", out);
	json_string(out, evdb_name(db, &ev->ev));
	fprintf(out, ", \"pid\": %d, \"comm\": ", pid);
	json_string(out, evdb_comm(db, pid));
	fputs(", \"fields\": ", out);
	eventjson_fields(out, db, &ev->ev);
	fputs(", \"text\": ", out);
	json_string(out, evdb_text(db, &ev->ev, ev->cpu));
	fputs("}\n", out);
}

void eventjson_event(FILE *out, struct evdb *db, const struct merged *ev, enum side side)
{
	struct evdb_head h;

	db = evdb_of(db, ev->guest);
	put_place(out, ev, side);
	if (!ev->ev.data)
		fprintf(out, ", \"corrupt_at\": %llu}\n", ev->offset);
	else
		put_event(out, db, ev, evdb_head(db, &ev->ev, &h) ? &h : NULL);
}

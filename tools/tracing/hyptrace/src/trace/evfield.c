// SPDX-License-Identifier: GPL-2.0
/*
 * The values of an event's fields. See evfield.h.
 */
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <trace-seq.h>

#include "trace/evfield.h"

#define COMMON_SIZE	8	/* of the fields that all events have */

/* libtraceevent takes bytes for a string as well */
static bool is_string(const struct tep_format_field *f)
{
	return f->flags & TEP_FIELD_IS_STRING && strstr(f->type, "char") &&
	       !strstr(f->type, "signed char");
}

static bool is_integer(const struct tep_format_field *f)
{
	return !(f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC)) &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

bool evfield_is_text(const struct tep_format_field *f)
{
	return !is_integer(f);
}

/* Its number, of at most 8 bytes; 0 if the record ends before */
static u64 number_of(const struct tep_format_field *f, const struct rbevent *ev)
{
	u64 v = 0;

	if ((u64)f->offset + f->size <= ev->size)
		memcpy(&v, ev->data + f->offset, f->size);
	return v;
}

static u64 integer_of(const struct tep_format_field *f, const struct rbevent *ev)
{
	unsigned int unused = 64 - 8 * f->size;
	u64 v = number_of(f, ev);

	if (f->flags & TEP_FIELD_IS_SIGNED)
		v = (u64)((long long)(v << unused) >> unused);
	return v;
}

/* Where the data of a field that is no integer begins, and the room for it */
static const u8 *data_of(const struct tep_format_field *f, const struct rbevent *ev, size_t *room)
{
	u32 word, offset = f->offset;

	*room = f->size;
	if (f->flags & TEP_FIELD_IS_DYNAMIC && f->size == sizeof(word)) {
		word = number_of(f, ev);
		offset = word & 0xffff;
		if (f->flags & TEP_FIELD_IS_RELATIVE)
			offset += f->offset + f->size;
		*room = word >> 16;
	} else if (!f->size) {
		/* "u32 buf[]" of ftrace is the rest of the record */
		*room = SIZE_MAX;
	}
	if (offset > ev->size)
		offset = ev->size;
	*room = MIN(*room, ev->size - offset);
	return ev->data + offset;
}

void evfield_print_bytes(struct trace_seq *s, const u8 *data, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		trace_seq_printf(s, "%s%02x", i ? " " : "", data[i]);
}

static void print_elements(struct trace_seq *s, const u8 *data, size_t size, size_t one)
{
	size_t at;
	u64 v = 0;

	for (at = 0; at < size; at += one) {
		memcpy(&v, data + at, one);
		trace_seq_printf(s, "%s0x%llx", at ? "," : "{", v);
	}
	trace_seq_puts(s, size ? "}" : "{}");
}

static void print_array(struct trace_seq *s, const struct tep_format_field *f, const u8 *data,
			size_t size)
{
	size_t one = f->elementsize;

	trace_seq_reset(s);
	if (f->flags & TEP_FIELD_IS_ARRAY && (one == 2 || one == 4 || one == 8) && !(size % one))
		print_elements(s, data, size, one);
	else
		evfield_print_bytes(s, data, size);
	trace_seq_terminate(s);
}

static void read_text(const struct tep_format_field *f, const struct rbevent *ev,
		      struct trace_seq *s, struct evdb_value *v)
{
	const u8 *data = data_of(f, ev, &v->length);

	if (is_string(f)) {
		v->string = (const char *)data;
		v->length = strnlen(v->string, v->length);
		return;
	}
	print_array(s, f, data, v->length);
	v->string = s->buffer;
	v->length = strlen(s->buffer);
}

void evfield_read(const struct tep_format_field *f, const struct rbevent *ev,
		  struct trace_seq *s, struct evdb_value *v)
{
	*v = (struct evdb_value) { .name = f->name };
	if (!is_integer(f)) {
		read_text(f, ev, s, v);
		return;
	}
	v->is_signed = f->flags & TEP_FIELD_IS_SIGNED;
	v->integer = integer_of(f, ev);
}

/* An unsigned long is mostly an address */
static bool is_hex(const struct tep_format_field *f)
{
	return f->flags & TEP_FIELD_IS_POINTER ||
	       (f->flags & TEP_FIELD_IS_LONG && !(f->flags & TEP_FIELD_IS_SIGNED));
}

void evfield_print(const struct tep_event *e, const struct rbevent *ev,
		   struct trace_seq *array, struct trace_seq *out)
{
	const struct tep_format_field *f;
	struct evdb_value v;

	/* Its format was not valid */
	if (!e->format.fields && ev->size > COMMON_SIZE)
		evfield_print_bytes(out, ev->data + COMMON_SIZE, ev->size - COMMON_SIZE);
	for (f = e->format.fields; f; f = f->next) {
		evfield_read(f, ev, array, &v);
		trace_seq_printf(out, "%s%s=", f == e->format.fields ? "" : " ", v.name);
		if (v.string)
			trace_seq_printf(out, "%.*s", (int)v.length, v.string);
		else if (is_hex(f))
			trace_seq_printf(out, "0x%llx", v.integer);
		else
			trace_seq_printf(out, v.is_signed ? "%lld" : "%llu", v.integer);
	}
}

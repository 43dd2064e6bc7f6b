/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values of an event's fields, without its "print fmt".
 */
#ifndef HYPTRACE_EVFIELD_H
#define HYPTRACE_EVFIELD_H

#include "lib/types.h"
#include "trace/rbpage.h"

struct tep_event;
struct tep_format_field;
struct trace_seq;

/**
 * struct evdb_value - a field of an event
 * @name:	its name
 * @string:	the text, not terminated; NULL for an integer
 * @length:	of @string
 * @integer:	the value, extended to 64 bits
 * @is_signed:	whether @integer has a sign
 */
struct evdb_value {
	const char *name;
	const char *string;
	size_t length;
	u64 integer;
	bool is_signed;
};

/** evfield_is_text - whether the values of a field are texts: of a string or an array */
bool evfield_is_text(const struct tep_format_field *f);

/**
 * evfield_read - the value of a field
 * @f:		the field
 * @ev:		a record in which the field is
 * @s:		gets the text of an array: "00 ff" of bytes, else "{0x1,0xff}" as __print_array()
 * @v:		gets the value, until @s or the record changes
 */
void evfield_read(const struct tep_format_field *f, const struct rbevent *ev,
		  struct trace_seq *s, struct evdb_value *v);

/**
 * evfield_print - print "NAME=VALUE" of each field but the common ones
 * @e:		the event
 * @ev:		a record that fits its format
 * @array:	for evfield_read()
 * @out:	gets the text
 */
void evfield_print(const struct tep_event *e, const struct rbevent *ev,
		   struct trace_seq *array, struct trace_seq *out);

/** evfield_print_bytes - print "00 01 ff" */
void evfield_print_bytes(struct trace_seq *s, const u8 *data, size_t size);

#endif

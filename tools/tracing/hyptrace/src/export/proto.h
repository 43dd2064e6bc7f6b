/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes the wire format of Protocol Buffers.
 *
 * A message is a growing piece of memory, to which fields are appended. A
 * message in a message is made by itself first and then added.
 *
 * Errors stick: after memory ran out, all calls do nothing and proto_failed() is
 * true.
 */
#ifndef HYPTRACE_PROTO_H
#define HYPTRACE_PROTO_H

#include "lib/types.h"

struct proto;

/** proto_new - an empty message. Return: NULL with a message. */
struct proto *proto_new(void);
void proto_free(struct proto *p);

/** proto_reset - make it empty again; an error sticks */
void proto_reset(struct proto *p);

/**
 * proto_int - add an integer, as a varint
 * @p:		the message
 * @nr:		number of the field
 * @value:	its value; negative ones are extended to 64 bits
 */
void proto_int(struct proto *p, unsigned int nr, u64 value);

/** proto_fixed64 - add an integer, as 8 bytes */
void proto_fixed64(struct proto *p, unsigned int nr, u64 value);

/** proto_bytes - add bytes, or a string without its end */
void proto_bytes(struct proto *p, unsigned int nr, const void *data,
		 size_t size);
void proto_string(struct proto *p, unsigned int nr, const char *text);

/** proto_message - add a message; if it has failed, so has @p */
void proto_message(struct proto *p, unsigned int nr, const struct proto *child);

/** proto_append - add all fields of @from, as if they were added one by one */
void proto_append(struct proto *p, const struct proto *from);

/** proto_data - what was written. Return: the bytes, their number in @size. */
const void *proto_data(const struct proto *p, size_t *size);

bool proto_failed(const struct proto *p);

#endif

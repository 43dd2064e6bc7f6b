// SPDX-License-Identifier: GPL-2.0
/*
 * The wire format of Protocol Buffers. See proto.h.
 *
 *	field:	varint(number << 3 | type) value
 *	value:	varint				type 0
 *		varint(size) bytes		type 2
 *	varint:	seven bits a byte, lowest first; bit 7 says that more follow
 */
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "proto.h"

#define TYPE_VARINT	0
#define TYPE_BYTES	2
#define MAX_VARINT	10

struct proto {
	u8 *data;
	size_t size;
	size_t room;
	bool failed;
};

struct proto *proto_new(void)
{
	struct proto *p = calloc(1, sizeof(*p));

	if (!p)
		log_oom();
	return p;
}

void proto_free(struct proto *p)
{
	if (!p)
		return;
	free(p->data);
	free(p);
}

void proto_reset(struct proto *p)
{
	p->size = 0;
}

/* Return: false if there is no room for @more bytes */
static bool make_room(struct proto *p, size_t more)
{
	size_t room = p->room ? p->room : 256;
	u8 *bigger;

	if (p->failed)
		return false;
	while (room - p->size < more)
		room *= 2;
	if (room == p->room)
		return true;
	bigger = realloc(p->data, room);
	if (!bigger) {
		p->failed = true;
		log_oom();
		return false;
	}
	p->data = bigger;
	p->room = room;
	return true;
}

static void put_varint(struct proto *p, u64 v)
{
	if (!make_room(p, MAX_VARINT))
		return;
	while (v > 0x7f) {
		p->data[p->size++] = v | 0x80;
		v >>= 7;
	}
	p->data[p->size++] = v;
}

static void put_bytes(struct proto *p, const void *data, size_t size)
{
	if (!size || !make_room(p, size))
		return;
	memcpy(p->data + p->size, data, size);
	p->size += size;
}

void proto_int(struct proto *p, unsigned int nr, u64 value)
{
	put_varint(p, (u64)nr << 3 | TYPE_VARINT);
	put_varint(p, value);
}

void proto_bytes(struct proto *p, unsigned int nr, const void *data,
		 size_t size)
{
	put_varint(p, (u64)nr << 3 | TYPE_BYTES);
	put_varint(p, size);
	put_bytes(p, data, size);
}

void proto_string(struct proto *p, unsigned int nr, const char *text)
{
	proto_bytes(p, nr, text, strlen(text));
}

void proto_message(struct proto *p, unsigned int nr, const struct proto *child)
{
	p->failed |= child->failed;
	proto_bytes(p, nr, child->data, child->size);
}

void proto_append(struct proto *p, const struct proto *from)
{
	p->failed |= from->failed;
	put_bytes(p, from->data, from->size);
}

const void *proto_data(const struct proto *p, size_t *size)
{
	*size = p->size;
	return p->data;
}

bool proto_failed(const struct proto *p)
{
	return p->failed;
}

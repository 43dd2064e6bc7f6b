// SPDX-License-Identifier: GPL-2.0
/*
 * The wire format of Protocol Buffers. See proto.h.
 *
 *	field:	varint(number << 3 | type) value
 *	value:	varint				type 0
 *		8 bytes				type 1
 *		varint(size) bytes		type 2
 *	varint:	see bytes_varint()
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "export/proto.h"
#include "lib/bytes.h"
#include "lib/log.h"

#define TYPE_VARINT	0
#define TYPE_FIXED64	1
#define TYPE_BYTES	2

struct proto {
	struct bytes bytes;
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
	bytes_free(&p->bytes);
	free(p);
}

void proto_reset(struct proto *p)
{
	p->bytes.size = 0;
}

void proto_int(struct proto *p, unsigned int nr, u64 value)
{
	bytes_varint(&p->bytes, (u64)nr << 3 | TYPE_VARINT);
	bytes_varint(&p->bytes, value);
}

void proto_fixed64(struct proto *p, unsigned int nr, u64 value)
{
	u64 little = htole64(value);

	bytes_varint(&p->bytes, (u64)nr << 3 | TYPE_FIXED64);
	bytes_add(&p->bytes, &little, sizeof(little));
}

void proto_bytes(struct proto *p, unsigned int nr, const void *data,
		 size_t size)
{
	bytes_varint(&p->bytes, (u64)nr << 3 | TYPE_BYTES);
	bytes_text(&p->bytes, data, size);
}

void proto_string(struct proto *p, unsigned int nr, const char *text)
{
	proto_bytes(p, nr, text, strlen(text));
}

void proto_message(struct proto *p, unsigned int nr, const struct proto *child)
{
	p->bytes.failed |= child->bytes.failed;
	proto_bytes(p, nr, child->bytes.data, child->bytes.size);
}

void proto_append(struct proto *p, const struct proto *from)
{
	p->bytes.failed |= from->bytes.failed;
	bytes_add(&p->bytes, from->bytes.data, from->bytes.size);
}

const void *proto_data(const struct proto *p, size_t *size)
{
	*size = p->bytes.size;
	return p->bytes.data;
}

bool proto_failed(const struct proto *p)
{
	return p->bytes.failed;
}

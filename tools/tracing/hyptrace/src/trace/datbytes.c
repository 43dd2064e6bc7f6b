// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes of a trace.dat file. See datbytes.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/log.h"
#include "lib/scratch.h"
#include "lib/util.h"
#include "trace/datbytes.h"
#include "trace/datfile.h"

/*
 * A file is not decompressed to more than this many times its size. Recordings reach about
 * 10; zstd makes 30,000 times as much of its smallest input
 */
#define MAX_RATIO	1000ULL

/* Of all sections. kallsyms, the largest, has up to about 20 MiB. Also of one chunk */
#define MAX_MEMORY	BIT(26)

int datbytes_init(struct datbytes *b, const void *data, size_t size, const char *name)
{
	b->data = data;
	b->size = size;
	b->unclaimed = size;
	b->left = MAX_RATIO * size;
	b->left_memory = MAX_MEMORY;
	b->name = xasprintf("%s", name);
	return b->name ? 0 : -1;
}

void datbytes_free(struct datbytes *b)
{
	while (b->nr_memory)
		free(b->memory[--b->nr_memory]);
	free(b->memory);
	scratch_free(b->scratch);
	free(b->chunk);
	free(b->buf);
	free(b->name);
}

struct cursor datbytes_at(const struct datbytes *b, u64 offset)
{
	struct cursor c = { .at = b->data, .offset = offset };

	if (offset > b->size) {
		cursor_set_bad(&c, 1);
		return c;
	}
	c.at += offset;
	c.left = b->size - offset;
	return c;
}

struct datplace datbytes_place(const struct cursor *c, u64 offset)
{
	struct datplace place;

	if (c->section)
		snprintf(place.text, sizeof(place.text),
			 "byte %llu of the section at byte %llu, decompressed", offset, c->section);
	else
		snprintf(place.text, sizeof(place.text), "byte %llu", offset);
	return place;
}

int datbytes_does_not_fit(const struct datbytes *b, const char *what,
			  const struct cursor *c)
{
	return log_error("%s: truncated or corrupt: %s needs %llu bytes at %s, there are %llu",
			 b->name, what, c->wanted, datbytes_place(c, c->offset).text, c->left);
}

/* Decompression */

/**
 * struct packed - compressed data
 * @offset:	of its sizes
 * @data:	the data
 * @data_size:	its size
 * @size:	of the result
 */
struct packed {
	u64 offset;
	const u8 *data;
	u64 data_size;
	u64 size;
};

static int too_large(const struct datbytes *b, const struct packed *p, u64 limit)
{
	return log_error("%s: corrupt: decompressed to %llu bytes at byte %llu, expected at most %llu",
			 b->name, p->size, p->offset, limit);
}

/* The next one, which may have @limit bytes when it is decompressed */
static int take_packed(struct datbytes *b, struct cursor *c, u64 limit, struct packed *p)
{
	p->offset = c->offset;
	p->data_size = cursor_int(c, 4);
	p->size = cursor_int(c, 4);
	p->data = cursor_bytes(c, p->data_size);
	if (!p->data)
		return datbytes_does_not_fit(b, "compressed data", c);
	if (p->size > limit)
		return too_large(b, p, limit);
	if (p->size > b->left)
		return too_large(b, p, b->left);
	b->left -= p->size;
	return 0;
}

static int unpack(const struct datbytes *b, const struct packed *p, void *out)
{
	if (!b->packing)
		return log_error("%s: corrupt: compressed data at byte %llu, expected none: the header says 'none'",
				 b->name, p->offset);
	if (!b->packing->unpack(p->data, p->data_size, out, p->size))
		return 0;
	return log_error("%s: corrupt: the %llu bytes at byte %llu cannot be decompressed to %llu bytes",
			 b->name, p->data_size, p->offset + DAT_CHUNK_HEADER, p->size);
}

/* Return: memory that is freed with @b; NULL with a message */
static u8 *new_memory(struct datbytes *b, size_t size)
{
	u8 *data = NULL;

	if (!array_room(&b->memory, &b->memory_room, b->nr_memory + 1, sizeof(data)))
		data = malloc(size ? size : 1);
	if (data)
		b->memory[b->nr_memory++] = data;
	else
		log_oom();
	return data;
}

int datbytes_section(struct datbytes *b, u64 offset, struct cursor *raw,
		     struct cursor *body)
{
	struct packed p;
	u8 *data;

	if (take_packed(b, raw, b->left_memory, &p))
		return -1;
	b->left_memory -= p.size;
	data = new_memory(b, p.size);
	if (!data || unpack(b, &p, data))
		return -1;
	*body = (struct cursor) { .at = data, .left = p.size, .section = offset };
	return 0;
}

const char *datbytes_copy(struct datbytes *b, const char *text, size_t size)
{
	u8 *copy = new_memory(b, size + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, size);
	copy[size] = '\0';
	return (const char *)copy;
}

/* Data of CPUs */

/* Data that several CPUs share could be read many times over */
static int claim(struct datbytes *b, const struct datspan *s, u64 size,
		 const struct datplace *place)
{
	if (size > b->unclaimed)
		return log_error("%s: corrupt: %llu bytes for CPU %u at %s, expected at most %llu: other CPUs have the rest",
				 b->name, size, s->cpu, place->text, b->unclaimed);
	b->unclaimed -= size;
	return 0;
}

static int add_chunk(struct datbytes *b, struct cursor *c)
{
	struct packed p;

	if (take_packed(b, c, MAX_MEMORY, &p))
		return -1;
	if (array_room(&b->chunk, &b->chunk_room, b->nr_chunks + 1, sizeof(*b->chunk)) ||
	    array_room(&b->buf, &b->buf_room, p.size, 1))
		return log_oom();
	b->chunk[b->nr_chunks++] = (struct datchunk) { scratch_size(b->scratch), p.offset };
	if (unpack(b, &p, b->buf))
		return -1;
	return scratch_add(b->scratch, b->buf, p.size);
}

/* The size in the option is without the number of chunks in front of them */
static int add_chunks(struct datbytes *b, struct datspan *s, const struct datplace *place)
{
	struct cursor c = datbytes_at(b, s->offset), chunks;
	u32 nr = cursor_int(&c, 4);

	chunks = cursor_part(&c, s->size);
	if (chunks.bad)
		return datbytes_does_not_fit(b, "the data of a CPU", &chunks);
	if (claim(b, s, s->size, place))
		return -1;
	if (!b->scratch)
		b->scratch = scratch_new(b->name);
	if (!b->scratch)
		return -1;
	s->at = scratch_size(b->scratch);
	while (nr--) {
		if (add_chunk(b, &chunks))
			return -1;
	}
	if (chunks.left)
		return log_error("%s: corrupt: %llu bytes behind the last chunk at byte %llu, expected none",
				 b->name, chunks.left, chunks.offset);
	s->size = scratch_size(b->scratch) - s->at;
	s->data = s->size ? NULL : b->data;
	return 0;
}

int datbytes_cpu(struct datbytes *b, struct datspan *s, const struct datplace *place)
{
	struct cursor c = datbytes_at(b, s->size ? s->offset : 0);

	if (s->size && s->compressed)
		return add_chunks(b, s, place);
	s->compressed = false;
	s->data = cursor_bytes(&c, s->size);
	if (!s->data)
		return datbytes_does_not_fit(b, "the data of a CPU", &c);
	return claim(b, s, s->size, place);
}

int datbytes_finish(struct datbytes *b)
{
	if (!b->scratch || !scratch_size(b->scratch))
		return 0;
	b->mapped = scratch_map(b->scratch);
	return b->mapped ? 0 : -1;
}

/* Of the chunk that has a byte of the temporary file */
static u64 chunk_offset(const struct datbytes *b, u64 at)
{
	size_t low = 0, high = b->nr_chunks, middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (b->chunk[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return b->chunk[low].offset;
}

u64 datbytes_offset(const struct datbytes *b, const void *p)
{
	const u8 *at = p;

	if (b->mapped && at >= b->mapped && at < b->mapped + scratch_size(b->scratch))
		return chunk_offset(b, at - b->mapped);
	return at - b->data;
}

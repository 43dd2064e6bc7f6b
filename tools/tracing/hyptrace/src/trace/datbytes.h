/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of a trace.dat file: of a section, or of a CPU, decompressed if they are
 * compressed.
 *
 * A section is decompressed in memory. The data of CPUs, which may be large, goes chunk by
 * chunk into a temporary file. A small file must not fill memory or disk: what is
 * decompressed is limited, in all and each time.
 */
#ifndef HYPTRACE_DATBYTES_H
#define HYPTRACE_DATBYTES_H

#include "lib/types.h"
#include "lib/packing.h"
#include "trace/cursor.h"

struct scratch;

/**
 * struct datchunk - where a decompressed chunk is from
 * @at:		its first byte, in the temporary file
 * @offset:	of its sizes, in the trace.dat file
 */
struct datchunk {
	u64 at;
	u64 offset;
};

/**
 * struct datbytes - the file
 * @name:	its name in messages
 * @data:	its content
 * @size:	its size
 * @unclaimed:	bytes that are not yet a CPU's data, or a guest's
 * @packing:	how it is compressed; NULL if nothing is
 * @left:	bytes that may still be decompressed
 * @left_memory: those of them that may be in memory
 * @memory:	decompressed sections and other copies
 * @nr_memory:	entries of @memory
 * @memory_room: and how many fit
 * @scratch:	the data of CPUs, or NULL
 * @mapped:	its content, from datbytes_finish() on
 * @chunk:	what is in @scratch, in order
 * @nr_chunks:	entries of @chunk
 * @chunk_room:	and how many fit
 * @buf:	for one chunk
 * @buf_room:	its size
 */
struct datbytes {
	char *name;
	const u8 *data;
	size_t size;
	u64 unclaimed;
	const struct packing *packing;
	u64 left;
	u64 left_memory;
	u8 **memory;
	size_t nr_memory;
	size_t memory_room;
	struct scratch *scratch;
	const u8 *mapped;
	struct datchunk *chunk;
	size_t nr_chunks;
	size_t chunk_room;
	u8 *buf;
	size_t buf_room;
};

/** datbytes_init - begin. Return: 0, or -1 with a message. */
int datbytes_init(struct datbytes *b, const void *data, size_t size, const char *name);

void datbytes_free(struct datbytes *b);

/** datbytes_at - the bytes of the file from @offset on; bad if it is behind the end */
struct cursor datbytes_at(const struct datbytes *b, u64 offset);

/**
 * struct datplace - a place in a message
 * @text:	"byte 12", or "byte 12 of the section at byte 345, decompressed"
 */
struct datplace {
	char text[80];
};

/** datbytes_place - describe a place; @c is in the same section */
struct datplace datbytes_place(const struct cursor *c, u64 offset);

/** datbytes_does_not_fit - report that @c is bad while @what was read. Return: -1. */
int datbytes_does_not_fit(const struct datbytes *b, const char *what,
			  const struct cursor *c);

/**
 * datbytes_section - decompress a section
 * @b:		the file
 * @offset:	of the section
 * @raw:	what is in it
 * @body:	the result, valid until datbytes_free()
 *
 * Return: 0, or -1 with a message.
 */
int datbytes_section(struct datbytes *b, u64 offset, struct cursor *raw,
		     struct cursor *body);

/** datbytes_copy - a text, terminated; valid until datbytes_free(). NULL with a message. */
const char *datbytes_copy(struct datbytes *b, const char *text, size_t size);

/**
 * struct datspan - the data of a CPU
 * @cpu:	its number, for messages
 * @compressed:	whether it is compressed
 * @offset:	where it is in the file
 * @size:	how much there is
 * @data:	the data; NULL if it is compressed, it is @at in @mapped of struct datbytes then
 * @at:		see @data
 */
struct datspan {
	u32 cpu;
	bool compressed;
	u64 offset;
	u64 size;
	const u8 *data;
	u64 at;
};

/**
 * datbytes_cpu - get the data of a CPU
 *
 * @s->cpu, @s->compressed, @s->offset and @s->size are what the file says at @place. @s->size
 * becomes that of the decompressed data.
 *
 * Return: 0, or -1 with a message.
 */
int datbytes_cpu(struct datbytes *b, struct datspan *s, const struct datplace *place);

/**
 * datbytes_finish - after the last datbytes_cpu()
 *
 * Return: 0 with @b->mapped set if anything was decompressed, or -1 with a message.
 */
int datbytes_finish(struct datbytes *b);

/** datbytes_offset - where in the file @p is, or the compressed chunk that it is from */
u64 datbytes_offset(const struct datbytes *b, const void *p);

#endif

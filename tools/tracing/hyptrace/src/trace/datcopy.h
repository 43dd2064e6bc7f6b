/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies data into a trace.dat file, as it is or compressed.
 */
#ifndef HYPTRACE_DATCOPY_H
#define HYPTRACE_DATCOPY_H

#include "lib/packing.h"
#include "lib/types.h"

/**
 * struct datwatch - is told how far the copying is
 * @fn:		takes the number of bytes that were copied since the last call
 * @ctx:	handed to it
 */
struct datwatch {
	void (*fn)(void *ctx, u64 bytes);
	void *ctx;
};

/**
 * struct datcopy - what is copied
 * @from:	a file; its first bytes
 * @size:	how many
 * @page_size:	@size is a multiple of it, and so are the chunks
 * @watch:	is told meanwhile; may be NULL
 */
struct datcopy {
	int from;
	u64 size;
	u32 page_size;
	const struct datwatch *watch;
};

/**
 * datcopy_plain - copy as it is
 * @c:		what
 * @to:		the file; goes to its position
 *
 * Return: 0, or an errno.
 */
int datcopy_plain(const struct datcopy *c, int to);

/**
 * datcopy_packed - the same, compressed in chunks
 * @c:		what
 * @to:		the file
 * @packing:	how
 * @size:	gets the size of all chunks, which is without the number in front of them
 *
 * Return: 0, or an errno.
 */
int datcopy_packed(const struct datcopy *c, int to, const struct packing *packing, u64 *size);

/** datchunk_room - how large a chunk may be for @size bytes of data */
size_t datchunk_room(const struct packing *packing, u32 size);

/**
 * datchunk_pack - make a chunk, with its sizes in front
 * @packing:	how
 * @data:	from this
 * @size:	bytes of it
 * @out:	gets the chunk; has datchunk_room()
 *
 * Return: the size of all, or 0 if memory ran out.
 */
size_t datchunk_pack(const struct packing *packing, const void *data, u32 size, void *out);

#endif

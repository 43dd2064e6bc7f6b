/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compression and decompression of data in memory.
 */
#ifndef HYPTRACE_PACKING_H
#define HYPTRACE_PACKING_H

#include "lib/types.h"

/* For messages and help */
#define PACKING_NAMES	"zstd or zlib"

/**
 * struct packing - an algorithm
 * @name:	in trace.dat files
 * @version:	of the library
 * @room:	how large the result of @pack may be, for @size bytes of data
 * @pack:	compress; fast rather than well. @room is that of @out. Return: the size of the
 *		result, 0 after an error.
 * @unpack:	decompress; needs no memory in proportion to any size. Not more than @size
 *		bytes are written. Return: 0; -1 if the data does not have exactly @size bytes
 *		of result.
 */
struct packing {
	const char *name;
	const char *(*version)(void);
	size_t (*room)(size_t size);
	size_t (*pack)(const void *in, size_t in_size, void *out, size_t room);
	int (*unpack)(const void *in, size_t in_size, void *out, size_t size);
};

/** packing_best - the one to use if there is a choice */
const struct packing *packing_best(void);

/** packing_find - an algorithm, by its name. Return: NULL if not known. */
const struct packing *packing_find(const char *name);

#endif

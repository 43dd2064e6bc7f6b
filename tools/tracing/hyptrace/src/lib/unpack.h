/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decompression of data in memory.
 */
#ifndef HYPTRACE_UNPACK_H
#define HYPTRACE_UNPACK_H

#include "lib/types.h"

/* For messages */
#define UNPACK_NAMES	"zstd or zlib"

/**
 * typedef unpack_fn - decompress
 * @in:		compressed data
 * @in_size:	its size
 * @out:	where the result goes
 * @size:	of the result
 *
 * Needs no memory in proportion to any size. Not more than @size bytes are written.
 *
 * Return: 0; -1 without a message if the data does not have exactly @size bytes of result.
 */
typedef int (*unpack_fn)(const void *in, size_t in_size, void *out, size_t size);

/** unpack_find - an algorithm, by its name in trace.dat files. Return: NULL if not known. */
unpack_fn unpack_find(const char *name);

#endif

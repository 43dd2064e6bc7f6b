// SPDX-License-Identifier: GPL-2.0
/*
 * Decompression. See unpack.h.
 */
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/unpack.h"

static int unpack_zstd(const void *in, size_t in_size, void *out, size_t size)
{
	return ZSTD_decompress(out, size, in, in_size) == size ? 0 : -1;
}

static int unpack_zlib(const void *in, size_t in_size, void *out, size_t size)
{
	unsigned long made = size;

	return uncompress(out, &made, in, in_size) == Z_OK && made == size ? 0 : -1;
}

unpack_fn unpack_find(const char *name)
{
	if (!strcmp(name, "zstd"))
		return unpack_zstd;
	return strcmp(name, "zlib") ? NULL : unpack_zlib;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Compression and decompression. See packing.h.
 */
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/packing.h"
#include "lib/util.h"

/* Of both. A higher one takes several times as long, and gains nothing with zstd */
#define LEVEL		1

static size_t pack_zstd(const void *in, size_t in_size, void *out, size_t room)
{
	size_t made = ZSTD_compress(out, room, in, in_size, LEVEL);

	return ZSTD_isError(made) ? 0 : made;
}

static int unpack_zstd(const void *in, size_t in_size, void *out, size_t size)
{
	return ZSTD_decompress(out, size, in, in_size) == size ? 0 : -1;
}

static size_t room_zlib(size_t size)
{
	return compressBound(size);
}

static size_t pack_zlib(const void *in, size_t in_size, void *out, size_t room)
{
	unsigned long made = room;

	return compress2(out, &made, in, in_size, LEVEL) == Z_OK ? made : 0;
}

static int unpack_zlib(const void *in, size_t in_size, void *out, size_t size)
{
	unsigned long made = size;

	return uncompress(out, &made, in, in_size) == Z_OK && made == size ? 0 : -1;
}

static const struct packing packings[] = {
	{ "zstd", ZSTD_versionString, ZSTD_compressBound, pack_zstd, unpack_zstd },
	{ "zlib", zlibVersion, room_zlib, pack_zlib, unpack_zlib },
};

const struct packing *packing_best(void)
{
	return &packings[0];
}

const struct packing *packing_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(packings); i++) {
		if (!strcmp(packings[i].name, name))
			return &packings[i];
	}
	return NULL;
}

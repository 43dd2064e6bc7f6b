// SPDX-License-Identifier: GPL-2.0
/*
 * What a file is. See filekind.h.
 */
#include <stddef.h>
#include <string.h>
#include <sys/param.h>

#include "lib/util.h"
#include "trace/filekind.h"

#define MAX_TEXT	512	/* bytes that are looked at */

static bool is_text(const u8 *data, u64 size)
{
	u64 i;

	for (i = 0; i < MIN(size, MAX_TEXT); i++) {
		if (data[i] == 0x7f ||
		    (data[i] < ' ' && !memchr("\t\n\r\f\033", data[i], 5)))
			return false;
	}
	return size;
}

const char *filekind(const u8 *data, u64 size)
{
	static const struct {
		const char *magic, *kind;
	} kinds[] = {
		{ "\x1f\x8b", "a gzip file, which 'gzip -d' unpacks" },
		{ "\x28\xb5\x2f\xfd", "a zstd file, which 'zstd -d' unpacks" },
		{ "\xfd\x37zXZ", "an xz file, which 'xz -d' unpacks" },
		{ "BZh", "a bzip2 file, which 'bzip2 -d' unpacks" },
		{ "PK\3\4", "a zip file, which 'unzip' unpacks" },
		{ "\x7f\x45LF", "a program (ELF)" },
		{ "PERFILE2", "a file of perf" },
		{ "SQLite format 3", "an SQLite database" },
		{ "<!DOCTYPE html", "a page (HTML)" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (size >= strlen(kinds[i].magic) &&
		    !memcmp(data, kinds[i].magic, strlen(kinds[i].magic)))
			return kinds[i].kind;
	}
	return is_text(data, size) ? "a text" : NULL;
}

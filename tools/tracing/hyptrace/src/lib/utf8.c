// SPDX-License-Identifier: GPL-2.0
/*
 * Characters of UTF-8. See utf8.h.
 */
#include "lib/utf8.h"

size_t utf8_char(const char *text, size_t left, u32 *c)
{
	static const u32 least[] = { [2] = 0x80, [3] = 0x800, [4] = 0x10000 };
	const u8 *p = (const u8 *)text;
	size_t size, i;

	*c = *p;
	if (*p < 0x80)
		return 1;
	/* as many as there are ones at the front of the first */
	size = __builtin_clz(~((u32)*p << 24));
	if (size < 2 || size > 4 || size > left)
		return 0;
	*c &= 0x7f >> size;
	for (i = 1; i < size; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	/* neither overlong, nor a surrogate of UTF-16 */
	return *c >= least[size] && *c < 0x110000 && *c >> 11 != 0x1b ? size : 0;
}

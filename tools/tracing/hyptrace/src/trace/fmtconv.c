// SPDX-License-Identifier: GPL-2.0
/*
 * The conversions of a format string. See fmtconv.h.
 */
#include <ctype.h>
#include <string.h>

#include "trace/fmtconv.h"

#define MAX_WIDTH	3	/* digits */

/* What is between '%' and the type. Return: where the type is */
static const char *modifiers(const char *at, struct fmt_conv *c)
{
	unsigned int digits = 0;
	bool is_long = false, dot = false;

	c->safe = true;
	for (; *at && strchr("#-.0123456789*hlLzZ", *at); at++) {
		digits = isdigit((unsigned char)*at) ? digits + 1 : 0;
		if (digits > MAX_WIDTH)
			c->safe = false;
		dot |= *at == '.';
		c->stars += *at == '*';
		c->precision |= *at == '*' && dot;
		is_long |= *at == 'l' || *at == 'L';
	}
	if (is_long && (*at == 's' || *at == 'c'))
		c->safe = false;
	if (!*at || c->stars > 1)
		c->safe = false;
	return at;
}

bool fmt_next_conv(const char **at, struct fmt_conv *c)
{
	const char *p = *at;

	for (; *p && (*p != '%' || p[1] == '%'); p++) {
		if ((*p == '%' || *p == '\\') && p[1])
			p++;
	}
	if (!*p)
		return false;
	*c = (struct fmt_conv) { 0 };
	p = modifiers(p + 1, c);
	c->type = *p;
	c->takes_arg = *p && strchr("diuxXosp", *p);
	*at = *p ? p + 1 : p;
	return true;
}

bool fmt_check_printk(const char *string)
{
	const char *at = string;
	struct fmt_conv c;

	/* Behind a '\' at the end it does not see the end of the string */
	for (; *at; at++) {
		if (*at == '\\' && !*++at)
			return false;
	}
	for (at = string; fmt_next_conv(&at, &c); ) {
		if (!c.safe || c.stars)
			return false;
	}
	return true;
}

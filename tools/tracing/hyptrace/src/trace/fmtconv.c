// SPDX-License-Identifier: GPL-2.0
/*
 * The conversions of a format string. See fmtconv.h.
 */
#include <ctype.h>
#include <string.h>

#include "lib/util.h"
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

/* Of others, libtraceevent prints the address, and the letters behind it */
static bool knows_extension(const struct fmt_conv *c)
{
	static const char * const known[] = {
		"S", "s", "F", "f", "M", "MF", "MR", "m", "I4", "i4", "I6", "I6c", "i6",
		"IS", "ISc", "ISp", "ISpc", "ISpfc", "ISpfsc", "ISpsfc", "iS", "iSp",
		"U", "Ub", "UB", "Ul", "UL",
	};
	static const char * const known_sized[] = { "h", "hC", "hD", "hN" };
	const char * const *name = c->stars ? known_sized : known;
	size_t nr = c->stars ? ARRAY_SIZE(known_sized) : ARRAY_SIZE(known);

	for (; nr--; name++) {
		if (strlen(*name) == c->nr_extension &&
		    !strncmp(*name, c->extension, c->nr_extension))
			return true;
	}
	return !c->nr_extension && !c->stars;
}

static void take_extension(const char *at, struct fmt_conv *c)
{
	c->extension = at;
	while (isalnum((unsigned char)*at++))
		c->nr_extension++;
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
	c->modifiers = p + 1;
	p = modifiers(p + 1, c);
	c->nr_modifiers = p - c->modifiers;
	c->type = *p;
	c->takes_arg = *p && strchr("diuxXosp", *p);
	*at = *p ? p + 1 : p;
	if (c->type == 'p')
		take_extension(*at, c);
	c->exact = c->takes_arg && (c->type != 'p' || knows_extension(c));
	return true;
}

/* It counts "%-5d" and "%hd" wrongly if the arguments are in a record */
static bool is_exact_in_record(const struct fmt_conv *c)
{
	return c->exact && !c->stars && !memchr(c->modifiers, '-', c->nr_modifiers) &&
	       !memchr(c->modifiers, 'h', c->nr_modifiers);
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
		if (!c.safe || !is_exact_in_record(&c))
			return false;
	}
	return true;
}

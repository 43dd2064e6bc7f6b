// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of other machines. See address.h.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/address.h"
#include "lib/log.h"
#include "lib/util.h"

static int set_address(struct address *a, const char *text, const char *host, size_t size,
		       const char *port)
{
	u64 number;

	a->text = xasprintf("%s", text);
	a->host = xasprintf("%.*s", (int)size, host);
	a->port = xasprintf("%s", port);
	if (!a->text || !a->host || !a->port)
		return -1;
	if (!size)
		return log_error("bad address '%s': expected HOST or HOST:PORT", text);
	if (parse_number(port, ADDRESS_MAX_PORT, &number))
		return log_error("bad port '%s': expected a number from 1 to %u", port,
				 ADDRESS_MAX_PORT);
	return 0;
}

static int parse_brackets(struct address *a, const char *text, const char *port)
{
	const char *end = strchr(text, ']');

	if (!end || (end[1] && end[1] != ':'))
		return log_error("bad address '%s': expected [HOST]:PORT", text);
	return set_address(a, text, text + 1, end - text - 1, end[1] ? end + 2 : port);
}

int address_parse(struct address *a, const char *text, const char *port)
{
	const char *colon = strchr(text, ':');

	address_free(a);
	if (*text == '[')
		return parse_brackets(a, text, port);
	/* More than one are of a number of IPv6 */
	if (!colon || strchr(colon + 1, ':'))
		return set_address(a, text, text, strlen(text), port);
	return set_address(a, text, text, colon - text, colon + 1);
}

void address_free(struct address *a)
{
	free(a->text);
	free(a->host);
	free(a->port);
	*a = (struct address) { 0 };
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Addresses of other machines.
 */
#ifndef HYPTRACE_ADDRESS_H
#define HYPTRACE_ADDRESS_H

#define ADDRESS_MAX_PORT	65535

/**
 * struct address - where to connect to
 * @text:	as in messages
 * @host:	name or number
 * @port:	number
 */
struct address {
	char *text;
	char *host;
	char *port;
};

/**
 * address_parse - read HOST[:PORT] or [HOST]:PORT
 * @a:		gets it; what it had is freed
 * @text:	the text
 * @port:	the port if there is none in it
 *
 * Return: 0, or -1 with a message.
 */
int address_parse(struct address *a, const char *text, const char *port);
void address_free(struct address *a);

#endif

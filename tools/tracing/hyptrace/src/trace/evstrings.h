/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts of trace_printk() and trace_puts(), by their addresses in the kernel.
 */
#ifndef HYPTRACE_EVSTRINGS_H
#define HYPTRACE_EVSTRINGS_H

#include "lib/u64map.h"

struct evstring;

/**
 * struct evstrings - the texts; all 0 at first
 * @at:		their numbers, by address
 * @string:	the texts
 * @room:	how many fit
 */
struct evstrings {
	struct u64map at;
	struct evstring *string;
	size_t room;
};

/**
 * evstrings_add - add a text, unless the address has one
 * @s:		the texts
 * @address:	in the kernel
 * @text:	as in printk_formats, without the quotes
 * @format:	libtraceevent prints it as the kernel does if it is a format
 *
 * Return: 0, or -1 without a message if memory ran out.
 */
int evstrings_add(struct evstrings *s, u64 address, const char *text, bool format);

/** evstrings_has_format - whether there is a format that libtraceevent can print */
bool evstrings_has_format(const struct evstrings *s, u64 address);

/** evstrings_text - the text, with a newline for "\n"; NULL if there is none */
const char *evstrings_text(const struct evstrings *s, u64 address);

void evstrings_free(struct evstrings *s);

#endif

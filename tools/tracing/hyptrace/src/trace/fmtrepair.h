/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Repairs format texts that fmt_check() refuses.
 */
#ifndef HYPTRACE_FMTREPAIR_H
#define HYPTRACE_FMTREPAIR_H

#include "lib/types.h"

/**
 * fmt_repair - write a format whose fields have simple declarations
 * @text:	the text, not terminated
 * @size:	its size
 *
 * A declaration such as "u8 a[sizeof(struct x)]" becomes one of the same name, place and
 * size, "u8 a[28]". If a line cannot be understood at all, only the event's name and the
 * common fields are left. fmt_check() has to check the result as well.
 *
 * Return: the text, to be freed; NULL without a message if the event has no name or number,
 * or memory ran out.
 */
char *fmt_repair(const char *text, size_t size);

#endif

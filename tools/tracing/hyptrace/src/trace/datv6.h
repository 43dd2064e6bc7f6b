/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.dat files of version 6. See trace-cmd.dat.v6(5).
 */
#ifndef HYPTRACE_DATV6_H
#define HYPTRACE_DATV6_H

#include "trace/datcontent.h"

/**
 * datv6_take - read a file
 * @c:		what is in it; freed by the caller, also after an error
 * @head:	what follows the page size in the header
 * @page_size:	the page size: sub-buffers have it too
 *
 * Return: 0, or -1 with a message.
 */
int datv6_take(struct datcontent *c, struct cursor *head, u32 page_size);

#endif

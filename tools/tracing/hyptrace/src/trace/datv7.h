/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.dat files of version 7. See trace-cmd.dat.v7(5).
 */
#ifndef HYPTRACE_DATV7_H
#define HYPTRACE_DATV7_H

#include "trace/datcontent.h"

/**
 * datv7_take - read a file
 * @c:		what is in it; freed by the caller, also after an error
 * @head:	what follows the page size in the header
 *
 * Return: 0, or -1 with a message.
 */
int datv7_take(struct datcontent *c, struct cursor *head);

#endif

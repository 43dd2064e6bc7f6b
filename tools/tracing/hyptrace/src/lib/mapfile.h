/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that is mapped for reading.
 *
 * A file can become shorter meanwhile. Reading behind its end then ends
 * the program with a message instead of SIGBUS.
 */
#ifndef HYPTRACE_MAPFILE_H
#define HYPTRACE_MAPFILE_H

#include <stddef.h>

struct mapfile;

/**
 * mapfile_new - map a file
 * @fd:		the file; may be closed
 * @size:	its size, not 0
 * @name:	its name in messages
 *
 * Return: NULL with a message.
 */
struct mapfile *mapfile_new(int fd, size_t size, const char *name);

/** mapfile_data - its content */
const void *mapfile_data(const struct mapfile *m);

/** mapfile_free - unmap it; @m may be NULL */
void mapfile_free(struct mapfile *m);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that appears when it is complete.
 *
 * Until then it has a random name in the same directory. It is removed if the program
 * fails or is ended by a signal, but not if it is killed.
 */
#ifndef HYPTRACE_OUTFILE_H
#define HYPTRACE_OUTFILE_H

#include <stdio.h>

struct outfile;

/**
 * output_path - the file that is to be written or replaced
 * @path:	the name that the user gave; a symbolic link is followed, if the kernel
 *		allows that
 *
 * Return: its path, to be freed; NULL with a message, if @path exists and is not a
 * regular file.
 */
char *output_path(const char *path);

/**
 * outfile_new - begin a file; one at a time
 * @path:	its name, from output_path()
 *
 * From now on, SIGHUP, SIGINT, SIGQUIT and SIGTERM remove the unfinished file, and a
 * file that is too large is an error.
 *
 * Return: the file, or NULL with a message.
 */
struct outfile *outfile_new(const char *path);

/**
 * outfile_stream - where its content goes
 *
 * After ferror(), further output is of no use; outfile_finish() prints the reason.
 */
FILE *outfile_stream(const struct outfile *f);

/**
 * outfile_fd - the unfinished file itself, for reading and writing
 *
 * Context: instead of outfile_stream(). It stays open.
 */
int outfile_fd(const struct outfile *f);

/** outfile_finish - give it its name. Return: 0, or -1 with a message. */
int outfile_finish(struct outfile *f);

/**
 * outfile_write - write a whole file
 * @name:	the name that the user gave
 * @write:	writes the content. Return: 0, or not 0 with a message
 * @ctx:	handed to @write
 *
 * Return: 0, or -1 with a message.
 */
int outfile_write(const char *name, int (*write)(FILE *out, void *ctx), void *ctx);

/** outfile_free - free @f, which may be NULL; an unfinished file is removed */
void outfile_free(struct outfile *f);

/** outfile_remove - remove the unfinished file, if any. Context: also a signal handler. */
void outfile_remove(void);

#endif

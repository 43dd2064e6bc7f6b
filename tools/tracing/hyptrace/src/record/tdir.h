/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A directory of tracefs that controls one set of per-CPU buffers: an instance
 * or a remote. Both have the same files.
 */
#ifndef HYPTRACE_TDIR_H
#define HYPTRACE_TDIR_H

#include "lib/types.h"
#include "lib/util.h"
#include "record/undo.h"

struct tdir;

/**
 * tdir_open_remote - the directory of a remote
 * @name:	its name below remotes/; with a '/' in it, a path used as it is
 *
 * Return: the directory, or NULL with a message.
 */
struct tdir *tdir_open_remote(const char *name);

/** tdir_find_remote - the same without a look at whether it is a trace directory */
struct tdir *tdir_find_remote(const char *name);

/** tdir_open_host - the host's top directory. Return: NULL with a message. */
struct tdir *tdir_open_host(void);

/**
 * tdir_new_instance - create a tracefs instance of the host
 * @undo:	notes its removal
 *
 * Return: the directory, or NULL with a message.
 */
struct tdir *tdir_new_instance(struct undo *undo);

/**
 * tdir_lock - keep another hyptrace from changing it, until tdir_free()
 *
 * Return: 0, or -1 with a message.
 */
int tdir_lock(struct tdir *d);

void tdir_free(struct tdir *d);

/** tdir_path - the path of a file in it, to be freed; NULL after a message */
char *tdir_path(const struct tdir *d, const char *file);

/** tdir_has - whether the file exists */
bool tdir_has(const struct tdir *d, const char *file);

/**
 * tdir_need - the same for a file that is there if the kernel has an option
 * @d:		the directory
 * @file:	the file
 * @option:	the option, for the message
 *
 * Return: 0, or -1 with a message.
 */
int tdir_need(const struct tdir *d, const char *file, const char *option);

/** tdir_read - its content, to be freed; NULL after a message */
char *tdir_read(const struct tdir *d, const char *file, size_t *size);

/** tdir_read_word - as tdir_read(), cut at the first white space */
char *tdir_read_word(const struct tdir *d, const char *file);

/** tdir_write - replace the content of a file. Return: 0, -1 with a message. */
int tdir_write(const struct tdir *d, const char *file, const char *value);

/**
 * tdir_try - as tdir_change(), for a write that the kernel may refuse
 *
 * Return: 0; -errno without a message, or -1 with one. -1 is never an errno.
 */
int tdir_try(const struct tdir *d, struct undo *undo, const char *file,
	     const char *value);

/**
 * tdir_change - tdir_write() that can be undone
 * @d:		the directory
 * @undo:	gets the current value; NULL if it need not be restored
 * @file:	the file
 * @value:	what to write
 *
 * Return: 0, or -1 with a message (and nothing changed).
 */
int tdir_change(const struct tdir *d, struct undo *undo, const char *file,
		const char *value);

/** tdir_clear - discard the content of the buffers. Return: as above. */
int tdir_clear(const struct tdir *d);

/**
 * tdir_clock - the name of the trace clock in use, to be freed
 *
 * Return: NULL after a message. "local" where there is no trace_clock file.
 */
char *tdir_clock(const struct tdir *d);

/**
 * tdir_systems - the event systems, without the host's internal "ftrace"
 * @d:		the directory
 * @list:	gets the names; free it with strlist_free()
 *
 * Return: 0, or -1 with a message.
 */
int tdir_systems(const struct tdir *d, struct strlist *list);

/** tdir_events - the events of a system. Return: as above. */
int tdir_events(const struct tdir *d, const char *system,
		struct strlist *list);

#endif

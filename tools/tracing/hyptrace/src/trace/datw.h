/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a trace.dat file, version 7.
 *
 * Errors stick: the first one is printed, after it all calls do nothing and
 * datw_finish() fails.
 */
#ifndef HYPTRACE_DATW_H
#define HYPTRACE_DATW_H

#include "lib/types.h"
#include "lib/util.h"
#include "trace/datfile.h"

struct datw;

/**
 * datw_open - begin a file
 * @fd:		the file, empty; closed at the end, also after an error
 * @path:	its name in messages
 *
 * Return: NULL with a message.
 */
struct datw *datw_open(int fd, const char *path);

/** datw_begin - begin a section; one at a time */
void datw_begin(struct datw *w, enum dat_id id);
void datw_bytes(struct datw *w, const void *data, size_t size);
void datw_string(struct datw *w, const char *text);
void datw_u32(struct datw *w, u32 v);
void datw_u64(struct datw *w, u64 v);

/** datw_end - end the section, and add the option that points to it */
void datw_end(struct datw *w);

/** datw_option - add an option */
void datw_option(struct datw *w, enum dat_id id, const void *data, size_t size);

/**
 * struct datw_buffer - a buffer
 * @name:	"" for the one that is shown by default
 * @clock:	its trace clock
 * @page_size:	sub-buffer size
 * @cpus:	its CPUs
 */
struct datw_buffer {
	const char *name;
	const char *clock;
	u32 page_size;
	const struct cpulist *cpus;
};

/** datw_buffer - add a buffer, without data as yet */
void datw_buffer(struct datw *w, const struct datw_buffer *b);

/**
 * datw_append - add to a file that is complete
 * @fd:		the file, readable as well; closed at the end, also after an error
 * @path:	its name in messages
 * @link:	its datr_link()
 * @advice:	end of an error message; must outlive what is returned
 *
 * Return: NULL with a message.
 */
struct datw *datw_append(int fd, const char *path, u64 link, const char *advice);

/**
 * struct datw_data - the data of one CPU of a buffer
 * @fd:		a file with the sub-buffers
 * @size:	bytes of it to add, a multiple of the sub-buffer size
 * @page_size:	sub-buffer size
 * @place:	of struct datr_cpu
 */
struct datw_data {
	int fd;
	u64 size;
	u32 page_size;
	u64 place;
};

/**
 * datw_place - add the data of a CPU that has none in the file
 *
 * Return: 0 if it is in the file, whatever happens then; -1 with a message.
 */
int datw_place(struct datw *w, const struct datw_data *data);

/** datw_finish - complete the file. Return: 0, -1 with a message. */
int datw_finish(struct datw *w);

/** datw_abort - stop; a new file is invalid then, an appended one is not; @w may be NULL */
void datw_abort(struct datw *w);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a trace.dat file, version 7; or the head of one of version 6.
 *
 * Errors stick: the first one is printed, after it all calls do nothing and
 * datw_finish() fails.
 */
#ifndef HYPTRACE_DATW_H
#define HYPTRACE_DATW_H

#include "lib/types.h"
#include "lib/util.h"
#include "trace/datcopy.h"
#include "trace/datfile.h"
#include "trace/datr.h"

struct datw;

/**
 * datw_open - begin a file
 * @fd:		the file, empty; closed at the end, also after an error
 * @path:	its name in messages
 * @packing:	how it is compressed, or NULL
 *
 * Return: NULL with a message.
 */
struct datw *datw_open(int fd, const char *path, const struct packing *packing);

/**
 * datw_open_v6 - begin the head of a file of version 6: all that is before the data
 * @fd:		as above
 * @path:	as above
 * @page_size:	sub-buffer size of all buffers
 *
 * The sections are to be written in the order of their numbers, and all of them.
 *
 * Return: NULL with a message.
 */
struct datw *datw_open_v6(int fd, const char *path, u32 page_size);

/** datw_begin - begin a section; one at a time */
void datw_begin(struct datw *w, enum dat_id id);
void datw_bytes(struct datw *w, const void *data, size_t size);
void datw_string(struct datw *w, const char *text);
void datw_u32(struct datw *w, u32 v);
void datw_u64(struct datw *w, u64 v);

/** datw_flush - write what is pending, so that the file has all sections that were ended */
void datw_flush(struct datw *w);

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
 * @d:		what is in it; datr_grows()
 * @advice:	end of an error message; must outlive what is returned
 *
 * Return: NULL with a message.
 */
struct datw *datw_append(int fd, const char *path, const struct datr *d, const char *advice);

/**
 * datw_place - add the data of a CPU that has none in the file
 * @w:		gets it
 * @data:	the data
 * @packed:	whether to compress it: of struct datr_buffer
 * @place:	of struct datr_cpu
 *
 * Return: 0 if it is in the file, whatever happens then; -1 with a message.
 */
int datw_place(struct datw *w, const struct datcopy *data, bool packed, u64 place);

/**
 * datw_guest - add a guest
 * @w:		gets it
 * @g:		the guest, but for @d and @offset
 * @file:	its trace.dat file
 */
void datw_guest(struct datw *w, const struct datr_guest *g, const struct datcopy *file);

/** datw_finish - complete the file. Return: 0, -1 with a message. */
int datw_finish(struct datw *w);

/** datw_finish_v6 - complete the head of a file with @nr_cpus CPUs. Return: as above. */
int datw_finish_v6(struct datw *w, u32 nr_cpus);

/** datw_abort - stop; a new file is invalid then, an appended one is not; @w may be NULL */
void datw_abort(struct datw *w);

#endif

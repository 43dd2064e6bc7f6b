/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a trace.dat file, version 7.
 *
 * Errors stick: after the first, which is told, all else does nothing and
 * datw_finish() fails.
 */
#ifndef HYPTRACE_DATW_H
#define HYPTRACE_DATW_H

#include "datfile.h"
#include "types.h"

struct datw;

/** datw_open - begin a file. Return: NULL with a message. */
struct datw *datw_open(const char *path);

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
 * struct datw_cpu - the data of one CPU of a buffer
 * @cpu:	its number
 * @fd:		a file with the sub-buffers; emptied when it was copied
 * @size:	its size, a multiple of the sub-buffer size
 */
struct datw_cpu {
	u32 cpu;
	int fd;
	u64 size;
};

/**
 * datw_buffer - add a buffer
 * @w:		the file
 * @name:	"" for the one that is shown by default
 * @clock:	its trace clock
 * @page_size:	sub-buffer size
 * @cpu:	the CPUs
 * @nr_cpus:	how many
 */
void datw_buffer(struct datw *w, const char *name, const char *clock,
		 u32 page_size, const struct datw_cpu *cpu,
		 u32 nr_cpus);

/** datw_finish - complete the file. Return: 0, -1 with a message. */
int datw_finish(struct datw *w);

/** datw_abort - stop, which leaves a file of no use; @w may be NULL */
void datw_abort(struct datw *w);

#endif

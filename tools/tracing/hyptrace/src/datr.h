/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a trace.dat file, version 7, from memory.
 *
 * The file may be anything: every offset, size and string is checked against
 * the memory before it is used.
 */
#ifndef HYPTRACE_DATR_H
#define HYPTRACE_DATR_H

#include "datfile.h"
#include "types.h"

struct datr;

/**
 * struct datr_cpu - the data of one CPU
 * @cpu:	its number, below MAX_CPUS
 * @data:	the sub-buffers
 * @size:	a multiple of the sub-buffer size
 * @place:	where the file says at which offset the data is (u64), and how
 *		much (u64)
 */
struct datr_cpu {
	u32 cpu;
	const u8 *data;
	u64 size;
	u64 place;
};

/**
 * struct datr_buffer - a buffer
 * @name:	"" for the top one
 * @clock:	its trace clock
 * @page_size:	sub-buffer size
 * @nr_cpus:	entries of @cpu
 * @cpu:	its CPUs
 */
struct datr_buffer {
	const char *name;
	const char *clock;
	u32 page_size;
	u32 nr_cpus;
	struct datr_cpu *cpu;
};

/** datr_open - read a file. Return: NULL with a message. */
struct datr *datr_open(const char *path);

/**
 * datr_parse - read a file that is in memory
 * @data:	the content; must outlive what is returned
 * @size:	its size
 * @name:	what messages call it
 *
 * Return: NULL with a message.
 */
struct datr *datr_parse(const void *data, size_t size, const char *name);

void datr_free(struct datr *d);

/** datr_name - what messages call the file */
const char *datr_name(const struct datr *d);

/** datr_corrupt - say that @nr sub-buffers are corrupt. Return: 1, 0 if none is */
int datr_corrupt(const struct datr *d, u64 nr);

unsigned int datr_nr_buffers(const struct datr *d);
const struct datr_buffer *datr_buffer(const struct datr *d, unsigned int i);

/** datr_has_cpu - whether a buffer has data of a CPU, or an empty place for it */
bool datr_has_cpu(const struct datr *d, unsigned int cpu);

/** datr_text - the i-th CPUSTAT text, or NULL behind the last */
const char *datr_text(const struct datr *d, unsigned int i);

/** datr_uname - the recorder's kernel, or NULL if the file does not say */
const char *datr_uname(const struct datr *d);

/** datr_enabled - whether hyptrace record had switched "system/event" on, without a filter */
bool datr_enabled(const struct datr *d, const char *event);

/** datr_filtered - the same with a filter: some may be missing */
bool datr_filtered(const struct datr *d, const char *event);

/** datr_link - where the file says at which offset further options are (u64): none yet */
u64 datr_link(const struct datr *d);

/** datr_offset - where in the file @p points */
u64 datr_offset(const struct datr *d, const void *p);

/**
 * datr_blob - a section that is one text: CMDLINES, PRINTK
 *
 * Return: the text, not terminated, or NULL if there is none.
 */
const char *datr_blob(const struct datr *d, enum dat_id id, size_t *size);

/** typedef datr_format_fn - takes the format of one event */
typedef void (*datr_format_fn)(void *ctx, const char *system,
			       const char *text, size_t size);

/** datr_header_page - the text of events/header_page, or NULL */
const char *datr_header_page(const struct datr *d, size_t *size);

/**
 * datr_formats - call @fn for each event format
 *
 * Return: 0, or -1 with a message if the sections are corrupt.
 */
int datr_formats(const struct datr *d, datr_format_fn fn, void *ctx);

#endif

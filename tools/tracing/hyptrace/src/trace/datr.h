/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a trace.dat file, of version 6 or 7, compressed or not.
 *
 * The file is not trusted: every offset, size and string is checked before it is used.
 */
#ifndef HYPTRACE_DATR_H
#define HYPTRACE_DATR_H

#include <sys/stat.h>

#include "lib/types.h"
#include "trace/datcontent.h"
#include "trace/datfile.h"
#include "trace/side.h"

struct datr;

/** datr_open - read a file. Return: NULL with a message. */
struct datr *datr_open(const char *path);

/**
 * datr_open_fd - read a file that is open
 * @fd:		the file; closed, also after an error
 * @name:	its name in messages
 *
 * Return: NULL with a message.
 */
struct datr *datr_open_fd(int fd, const char *name);

/**
 * datr_parse - read a file that is in memory
 * @data:	the content; must outlive what is returned
 * @size:	its size
 * @name:	its name in messages
 *
 * Return: NULL with a message.
 */
struct datr *datr_parse(const void *data, size_t size, const char *name);

void datr_free(struct datr *d);

/** datr_is_file - whether @st is of the file that was opened */
bool datr_is_file(const struct datr *d, const struct stat *st);

/** datr_name - the file's name in messages */
const char *datr_name(const struct datr *d);

unsigned int datr_nr_buffers(const struct datr *d);
const struct datr_buffer *datr_buffer(const struct datr *d, unsigned int i);

/**
 * struct datr_guest - a guest whose recording is part of the file
 * @name:	the guest's name
 * @cntvoff:	the counter of the machine less its own, which also says which VM it is
 * @shift:	its timestamps and this make those of the file, ns
 * @error:	the largest error of @shift, ns
 * @offset:	of its recording in the file
 * @d:		the recording
 */
struct datr_guest {
	const char *name;
	u64 cntvoff;
	long long shift;
	u64 error;
	u64 offset;
	struct datr *d;
};

unsigned int datr_nr_guests(const struct datr *d);
const struct datr_guest *datr_guest(const struct datr *d, unsigned int i);

/**
 * datr_attach - add a guest whose recording is another file
 * @d:		the file
 * @g:		the guest; what it points to must outlive @d or datr_detach()
 *
 * Return: 0, or -1 with a message.
 */
int datr_attach(struct datr *d, const struct datr_guest *g);

/** datr_detach - remove the guest that was attached last */
void datr_detach(struct datr *d);

/** datr_side - whose events the i-th buffer has */
enum side datr_side(const struct datr *d, unsigned int i);

/** datr_has_cpu - whether a buffer has data of a CPU, or an empty place for it */
bool datr_has_cpu(const struct datr *d, unsigned int cpu);

/** datr_text - the i-th CPUSTAT text, or NULL behind the last */
const char *datr_text(const struct datr *d, unsigned int i);

/** datr_has_text - whether a CPUSTAT text is @want */
bool datr_has_text(const struct datr *d, const char *want);

/** datr_uname - the kernel of the recording, or NULL if the file does not have it */
const char *datr_uname(const struct datr *d);

/** datr_enabled - whether hyptrace record had enabled "system/event" without a filter */
bool datr_enabled(const struct datr *d, const char *event);

/** datr_filtered - the same with a filter: some events may be missing */
bool datr_filtered(const struct datr *d, const char *event);

/** datr_link - offset of the field (u64) for the offset of further options, 0 so far */
u64 datr_link(const struct datr *d);

/** datr_grows - whether data can be added: it has version 7, and options that can be changed */
bool datr_grows(const struct datr *d);

/** datr_packing - how it is compressed; NULL if it is not */
const struct packing *datr_packing(const struct datr *d);

/** datr_offset - where in the file @p is, or the compressed chunk that it is from */
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

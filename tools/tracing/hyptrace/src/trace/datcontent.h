/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is in a trace.dat file, whatever its version is.
 */
#ifndef HYPTRACE_DATCONTENT_H
#define HYPTRACE_DATCONTENT_H

#include "lib/types.h"
#include "trace/cursor.h"
#include "trace/datbytes.h"
#include "trace/datfile.h"
#include "trace/side.h"

/* More are an error */
#define DATCONTENT_MAX_BUFFERS	64
#define DATCONTENT_MAX_GUESTS	16

/**
 * struct datr_cpu - the data of one CPU
 * @cpu:	its number, below MAX_CPUS
 * @data:	the sub-buffers
 * @size:	a multiple of the sub-buffer size
 * @place:	where the file says at which offset the data is (u64), and how
 *		much (u64)
 * @at:		see struct datspan; only used until @data is known
 */
struct datr_cpu {
	u32 cpu;
	const u8 *data;
	u64 size;
	u64 place;
	u64 at;
};

/**
 * struct datr_buffer - a buffer
 * @name:	"" for the top one
 * @side:	whose events it has
 * @clock:	its trace clock
 * @page_size:	sub-buffer size
 * @packed:	whether its data is compressed in the file
 * @nr_cpus:	entries of @cpu
 * @cpu:	its CPUs
 */
struct datr_buffer {
	const char *name;
	enum side side;
	const char *clock;
	u32 page_size;
	bool packed;
	u32 nr_cpus;
	struct datr_cpu *cpu;
};

/**
 * struct datguest - a guest's recording
 * @name:	the guest's name
 * @cntvoff:	the counter of the machine less its own
 * @shift:	what is added to its timestamps, ns
 * @error:	the largest error of that, ns
 * @file:	the recording
 */
struct datguest {
	const char *name;
	u64 cntvoff;
	long long shift;
	u64 error;
	struct cursor file;
};

/**
 * struct datcontent - the content
 * @bytes:	the file
 * @section:	by number; @at is NULL if there is none. All versions have the same in it
 * @buffer:	the buffers
 * @nr_buffers:	entries of @buffer
 * @buffer_room: and how many fit
 * @text:	the CPUSTAT texts
 * @nr_texts:	entries of @text
 * @text_room:	and how many fit
 * @guest:	the guests
 * @nr_guests:	entries of @guest
 * @guest_room:	and how many fit
 * @uname:	the kernel, or NULL
 * @link:	see datr_link()
 * @grows:	see datr_grows()
 */
struct datcontent {
	struct datbytes bytes;
	struct cursor section[DAT_NR_SECTIONS];
	struct datr_buffer *buffer;
	unsigned int nr_buffers;
	size_t buffer_room;
	const char **text;
	unsigned int nr_texts;
	size_t text_room;
	struct datguest *guest;
	unsigned int nr_guests;
	size_t guest_room;
	const char *uname;
	u64 link;
	bool grows;
};

/** datcontent_free - free all that @c points to */
void datcontent_free(struct datcontent *c);

/** datcontent_option - take an option that all versions have. Return: 0, or -1 with a message. */
int datcontent_option(struct datcontent *c, enum dat_id id, struct cursor *option);

/** datcontent_guest - add a guest, described at @at. Return: 0, or -1 with a message. */
int datcontent_guest(struct datcontent *c, const struct datguest *g, const struct cursor *at);

/**
 * datcontent_buffer - add a buffer
 * @c:		the content
 * @name:	of the buffer
 * @at:		where it is described, for messages
 *
 * Return: the buffer, valid until the next one is added; NULL with a message.
 */
struct datr_buffer *datcontent_buffer(struct datcontent *c, const char *name,
				      const struct cursor *at);

/**
 * datcontent_page_size - set the sub-buffer size, which the file says at @at
 *
 * Return: 0, or -1 with a message.
 */
int datcontent_page_size(const struct datcontent *c, struct datr_buffer *b, u32 size,
			 const struct datplace *at);

/**
 * datcontent_cpus - take the CPUs of a buffer
 * @c:		the content
 * @b:		the buffer, which has @nr_cpus, @page_size and @packed
 * @numbers:	whether each begins with its number (u32); they count from 0 if not. Then the
 *		offset of its data (u64) and the size (u64) follow
 * @list:	the CPUs
 *
 * Return: 0, or -1 with a message.
 */
int datcontent_cpus(struct datcontent *c, struct datr_buffer *b, bool numbers,
		    struct cursor *list);

/** datcontent_finish - when all is there. Return: 0, or -1 with a message. */
int datcontent_finish(struct datcontent *c);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace.dat file in parts. The fuzzers make a file from them: whatever the parts are,
 * the sizes and offsets around them are valid.
 */
#ifndef HYPTRACE_IMAGE_H
#define HYPTRACE_IMAGE_H

#include "lib/types.h"

#define IMAGE_FORMATS	64
#define IMAGE_TEXTS	64
#define IMAGE_BUFFERS	4
#define IMAGE_CPUS	8

/**
 * struct blob - bytes that are stored elsewhere
 */
struct blob {
	const u8 *data;
	size_t size;
};

/**
 * struct image_format - the format of an event
 * @system:	terminated
 * @text:	not terminated
 */
struct image_format {
	const char *system;
	struct blob text;
};

/**
 * struct image_cpu - the data of a CPU
 */
struct image_cpu {
	u32 cpu;
	struct blob data;
};

/**
 * struct image_buffer - see struct datr_buffer
 */
struct image_buffer {
	const char *name;
	const char *clock;
	u32 page_size;
	u32 nr_cpus;
	struct image_cpu cpu[IMAGE_CPUS];
};

/**
 * struct image - a file
 * @header_page: section HEADER_INFO, if it has a size
 * @format:	sections FTRACE_EVENTS and EVENT_FORMATS; those of one system follow
 *		each other
 * @nr_formats:	entries of @format
 * @kallsyms:	section, if it has a size
 * @printk:	section, if it has a size
 * @cmdlines:	section, if it has a size
 * @text:	options CPUSTAT, without the byte that ends each
 * @nr_texts:	entries of @text
 * @buffer:	options BUFFER
 * @nr_buffers:	entries of @buffer
 */
struct image {
	struct blob header_page;
	struct image_format format[IMAGE_FORMATS];
	unsigned int nr_formats;
	struct blob kallsyms;
	struct blob printk;
	struct blob cmdlines;
	struct blob text[IMAGE_TEXTS];
	unsigned int nr_texts;
	struct image_buffer buffer[IMAGE_BUFFERS];
	unsigned int nr_buffers;
};

/**
 * image_take - take a file apart
 * @img:	the parts; they are valid until the next call, and as long as @data
 * @data:	the file
 * @size:	its size
 *
 * Return: 0, or -1 if it is not a valid file, or has too many parts.
 */
int image_take(struct image *img, const void *data, size_t size);

/**
 * image_make - make a file
 * @img:	its parts
 * @out:	where it goes
 * @room:	bytes that there are
 *
 * Return: its size, or 0 if it does not fit.
 */
size_t image_make(const struct image *img, void *out, size_t room);

#endif

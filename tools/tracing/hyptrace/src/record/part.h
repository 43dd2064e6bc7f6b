/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An incomplete recording: the directory FILE.part.
 *
 *	head		a trace.dat file, valid, but without the data; says how to compress it
 *	host.N		the sub-buffers of CPU N, each in its place: see follow.h
 *	hypervisor.N
 *
 * To make FILE from it, the data is moved into head, one CPU after the other, and head
 * is renamed. This can be interrupted at any time, and continued.
 */
#ifndef HYPTRACE_PART_H
#define HYPTRACE_PART_H

#include "lib/types.h"
#include "lib/util.h"
#include "record/recording.h"
#include "record/streams.h"
#include "trace/datcopy.h"

struct part;

/** part_new - make an empty FILE.part. Return: NULL with a message. */
struct part *part_new(const char *file);

/** part_open - open one that no program records into. Return: as above. */
struct part *part_open(const char *dir);

/** part_save_head - make its head, see save_head(). Return: 0, or -1 with a message. */
int part_save_head(struct part *p, const struct recording *r, const struct streams *s,
		   const struct packing *packing);

/** part_advice - the end of a message about it: what to do next */
const char *part_advice(const struct part *p);

/** part_spool - a new file for the sub-buffers of a CPU. Return: its fd, -1 with a message. */
int part_spool(struct part *p, const char *buffer, unsigned int cpu);

/**
 * part_finish - make a file from it
 * @p:		the part
 * @file:	the file's name
 * @texts:	options CPUSTAT to add
 * @watch:	is told while data is copied or compressed
 *
 * The directory is removed, unless there are other files in it.
 *
 * Return: 0, or -1 with a message; it can be repeated then.
 */
int part_finish(const struct part *p, const char *file, const struct strlist *texts,
		const struct datwatch *watch);

/** part_remove - remove the files that were made in it, and the directory if it is empty */
void part_remove(const struct part *p);

/** part_free - free @p, which may be NULL; the directory stays */
void part_free(struct part *p);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording that is not complete: the directory FILE.part.
 *
 *	head		a trace.dat file, whole, but without the data
 *	host.N		the sub-buffers of CPU N, each in its place: see follow.h
 *	hypervisor.N
 *
 * It is made into FILE by moving the data into head, one CPU after the other, and
 * renaming head. This can be interrupted anywhere, and taken up again.
 */
#ifndef HYPTRACE_PART_H
#define HYPTRACE_PART_H

#include "recording.h"
#include "types.h"
#include "util.h"

struct part;

/** part_new - make FILE.part, with nothing in it. Return: NULL with a message. */
struct part *part_new(const char *file);

/** part_open - one that is there, and that nobody records into. Return: as above. */
struct part *part_open(const char *dir);

/** part_head - path of its head */
const char *part_head(const struct part *p);

/** part_advice - how a message about it ends: what to do next */
const char *part_advice(const struct part *p);

/** part_spool - a new file for the sub-buffers of a CPU. Return: its fd, -1 with a message. */
int part_spool(const struct part *p, const char *buffer, unsigned int cpu);

/**
 * part_finish - make a file of it
 * @p:		the part
 * @file:	the file's name
 * @texts:	options CPUSTAT to add
 *
 * Return: 0, or -1 with a message; then it can be tried again.
 */
int part_finish(const struct part *p, const char *file, const struct strlist *texts);

/** part_remove - remove all there is */
void part_remove(const struct part *p);

/** part_free - forget it, but leave it where it is; @p may be NULL */
void part_free(struct part *p);

#endif

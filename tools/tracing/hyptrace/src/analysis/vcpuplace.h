/* SPDX-License-Identifier: GPL-2.0 */
/*
 * On which CPU of the machine the CPUs of guests run.
 */
#ifndef HYPTRACE_VCPUPLACE_H
#define HYPTRACE_VCPUPLACE_H

#include "trace/datr.h"
#include "trace/evdb.h"
#include "trace/merge.h"

struct vcpuplaces;

/** vcpuplaces_new - begin, for the guests of a file. Return: NULL with a message. */
struct vcpuplaces *vcpuplaces_new(const struct datr *d);

/** vcpuplaces_feed - take the next event of the hypervisor. Return: 0, or -1 with a message. */
int vcpuplaces_feed(struct vcpuplaces *v, struct evdb *db, const struct merged *ev);

/**
 * vcpuplaces_cpu - the CPU of the machine on which an event of a guest happened
 * @v:		what is known
 * @ev:		the event, next in order of time
 * @cpu:	the CPU on which its vCPU runs, or ran last
 *
 * Return: false if that is not known.
 */
bool vcpuplaces_cpu(const struct vcpuplaces *v, const struct merged *ev, unsigned int *cpu);

/** vcpuplaces_free - @v may be NULL */
void vcpuplaces_free(struct vcpuplaces *v);

#endif

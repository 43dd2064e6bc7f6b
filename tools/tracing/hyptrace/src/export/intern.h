/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers for strings of bytes, each of which is kept once.
 */
#ifndef HYPTRACE_INTERN_H
#define HYPTRACE_INTERN_H

#include "lib/bytes.h"
#include "lib/types.h"

struct intern;

/** intern_new - begin. Return: NULL with a message. */
struct intern *intern_new(void);
void intern_free(struct intern *n);

/**
 * intern_get - the number of a string, counted from 0 in the order of appearance
 *
 * Errors stick: when memory ran out, with a message, it is 0 and intern_failed() is true.
 */
u32 intern_get(struct intern *n, const struct bytes *key);

bool intern_failed(const struct intern *n);

/** intern_nr - how many there are: the number that the next new one gets */
u32 intern_nr(const struct intern *n);

/** intern_write - how many there are, and all of them one after the other */
void intern_write(const struct intern *n, struct bytes *out);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A journal of the changes of settings, so that they can be restored, last change
 * first, however the recording ends. An entry is made before its change, and is in a
 * file as well, so that another hyptrace can restore it if this one is killed.
 */
#ifndef HYPTRACE_UNDO_H
#define HYPTRACE_UNDO_H

struct undo;

/** undo_leftovers - restore what a killed hyptrace has changed, with a message */
void undo_leftovers(void);

/** undo_new - an empty journal. Return: NULL after a message. */
struct undo *undo_new(void);

/**
 * undo_write - on undo_run(), write @value to the file @path
 *
 * Return: 0, or -1 with a message; then nothing was noted.
 */
int undo_write(struct undo *u, const char *path, const char *value);

/** undo_drop - remove the last entry: the change was not made after all */
void undo_drop(struct undo *u);

/** undo_rmdir - on undo_run(), remove the directory @path. Return: as above. */
int undo_rmdir(struct undo *u, const char *path);

/**
 * undo_run - restore everything, in reverse order, and free the journal
 * @u:		the journal, may be NULL
 *
 * Each failure is printed; the rest is still done.
 *
 * Return: 0, or -1 if something could not be restored.
 */
int undo_run(struct undo *u);

#endif

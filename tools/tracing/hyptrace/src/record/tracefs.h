/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracefs file system: where it is, and how a control file of it is written.
 */
#ifndef HYPTRACE_TRACEFS_H
#define HYPTRACE_TRACEFS_H

/**
 * tracefs_root - where tracefs is mounted
 *
 * Return: the path, or NULL with a message.
 */
const char *tracefs_root(void);

/**
 * tracefs_write - replace the content of a control file
 *
 * Return: 0, or -1 with errno set and no message.
 */
int tracefs_write(const char *path, const char *value);

#endif

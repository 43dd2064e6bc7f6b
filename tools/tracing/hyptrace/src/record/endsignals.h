/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signals that end the program, such as that of Ctrl-C.
 */
#ifndef HYPTRACE_ENDSIGNALS_H
#define HYPTRACE_ENDSIGNALS_H

/**
 * endsignals_open - read them from a descriptor from now on
 *
 * A write to a pipe without a reader, or to a file that is too large, is an error then.
 *
 * Return: a signalfd that does not block, or -1 with a message.
 */
int endsignals_open(void);

#endif

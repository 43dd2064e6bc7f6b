/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The architected counter beside the trace clock.
 */
#ifndef HYPTRACE_COUNTER_H
#define HYPTRACE_COUNTER_H

/**
 * counter_snap - read the counter and the trace clock
 * @clock:	name of the clock
 *
 * Return: the text for the file, see counterpair_format(); NULL if the clock is another
 * one, this is not arm64, or after a message.
 */
char *counter_snap(const char *clock);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages: one line each, as visible.h says, through a sink that the program may replace.
 */
#ifndef HYPTRACE_LOG_H
#define HYPTRACE_LOG_H

#include "lib/types.h"

/**
 * typedef log_sink - takes one line, without its newline
 * @ctx:	from log_set_sink()
 * @line:	the text
 */
typedef void (*log_sink)(void *ctx, const char *line);

/**
 * log_set_sink - send all later messages to @sink
 * @sink:	the function; NULL drops every message
 * @ctx:	handed to @sink
 *
 * Context: before any other thread runs.
 */
void log_set_sink(log_sink sink, void *ctx);

/**
 * log_error - print an error message
 *
 * Return: -1 always, so that a caller can fail in one statement.
 */
int log_error(const char *fmt, ...) __printf(1, 2);

/** log_note - print a message that is not an error */
void log_note(const char *fmt, ...) __printf(1, 2);

/** log_oom - print that memory ran out. Return: -1 always. */
int log_oom(void);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Messages. See log.h.
 */
#include <stdarg.h>
#include <stdio.h>

#include "lib/log.h"
#include "lib/visible.h"

static void to_stderr(void *ctx, const char *line)
{
	(void)ctx;
	fprintf(stderr, "hyptrace: %s\n", line);
}

static log_sink the_sink = to_stderr;
static void *the_ctx;

void log_set_sink(log_sink sink, void *ctx)
{
	the_sink = sink;
	the_ctx = ctx;
}

static void __printf(1, 0) emit(const char *fmt, va_list args)
{
	char line[1024], shown[VISIBLE_SIZE(sizeof(line))];

	if (!the_sink)
		return;
	vsnprintf(line, sizeof(line), fmt, args);
	visible_copy(shown, sizeof(shown), line);
	the_sink(the_ctx, shown);
}

int log_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	emit(fmt, args);
	va_end(args);
	return -1;
}

void log_note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	emit(fmt, args);
	va_end(args);
}

int log_oom(void)
{
	return log_error("out of memory");
}

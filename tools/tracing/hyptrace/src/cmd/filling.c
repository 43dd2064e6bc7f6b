// SPDX-License-Identifier: GPL-2.0
/*
 * Progress of a file. See filling.h.
 */
#include <stdio.h>
#include <unistd.h>

#include "cmd/filling.h"
#include "lib/util.h"

#define INTERVAL	(500 * NSEC_PER_MSEC)

static void show(const struct filling *f)
{
	fprintf(stderr, "\r\033[Kwriting %s: %.1f ", f->file, f->done / 1e6);
	if (f->total)
		fprintf(stderr, "of %.1f ", f->total / 1e6);
	fputs("MB", stderr);
}

static void add(void *ctx, u64 bytes)
{
	struct filling *f = ctx;
	u64 now = now_ns();

	f->done += bytes;
	if (!f->due || now < f->due)
		return;
	show(f);
	f->due = now + INTERVAL;
}

void filling_begin(struct filling *f, const char *file, u64 total, bool quiet)
{
	*f = (struct filling) {
		.file = file, .total = total, .watch = { .fn = add, .ctx = f },
	};
	if (!quiet && isatty(STDERR_FILENO))
		f->due = now_ns() + INTERVAL;
}

void filling_end(const struct filling *f)
{
	if (f->due)
		fputs("\r\033[K", stderr);
}

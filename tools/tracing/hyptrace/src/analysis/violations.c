// SPDX-License-Identifier: GPL-2.0
/*
 * Violations of rules. See violations.h.
 */
#include <stdarg.h>

#include "analysis/violations.h"
#include "lib/util.h"
#include "lib/visible.h"

/* Violations beyond this number are counted but not printed */
#define MAX_TOLD	20

void violations_add(struct violations *v, unsigned int cpu, u64 ts, const char *fmt, ...)
{
	char line[512];
	va_list args;

	if (++v->nr > MAX_TOLD)
		return;
	fprintf(v->out, "violation: [%03u] %llu.%09llu: ", cpu,
		ts / NSEC_PER_SEC, ts % (u64)NSEC_PER_SEC);
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	visible_put(v->out, line);
	fputc('\n', v->out);
}

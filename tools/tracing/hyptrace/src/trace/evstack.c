// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's event ftrace/kernel_stack. See evstack.h.
 */
#include <event-parse.h>
#include <stddef.h>
#include <string.h>
#include <trace-seq.h>

#include "trace/evstack.h"

const struct tep_format_field *evstack_callers(const struct tep_event *e)
{
	const struct tep_format_field *f;

	if (strcmp(e->system, "ftrace") || strcmp(e->name, "kernel_stack"))
		return NULL;
	f = tep_find_field((struct tep_event *)e, "caller");
	return f && f->offset >= 0 ? f : NULL;
}

static void print_caller(struct tep_handle *tep, u64 addr, struct trace_seq *s)
{
	const char *name = tep_find_function(tep, addr);

	trace_seq_puts(s, "\n => ");
	if (name)
		trace_seq_puts(s, name);
	else
		trace_seq_printf(s, "0x%llx", addr);
}

void evstack_print(const struct tep_format_field *callers, struct tep_handle *tep, const u8 *data,
		   u32 size, struct trace_seq *s)
{
	u32 at;
	u64 addr;

	trace_seq_puts(s, "<stack trace>");
	for (at = callers->offset; size - at >= sizeof(addr); at += sizeof(addr)) {
		memcpy(&addr, data + at, sizeof(addr));
		/* An old kernel marks the end */
		if (addr == ~0ULL)
			break;
		print_caller(tep, addr, s);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Events of the kernel's function tracers. See evcall.h.
 */
#include <event-parse.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>

#include "lib/util.h"
#include "trace/evcall.h"

/* What kallsyms has in front of the names of EL2's functions */
#define EL2_PREFIX	"__kvm_nvhe_"

/* Deeper calls are not indented further */
#define MAX_INDENT	64

struct evcall {
	enum call_kind kind;
	const struct tep_format_field *func;
	const struct tep_format_field *parent;
	const struct tep_format_field *depth;
	const struct tep_format_field *overrun;
	const struct tep_format_field *start;
	const struct tep_format_field *end;
};

static const struct {
	const char *name;
	enum call_kind kind;
	const char *func;
} kinds[] = {
	{ "funcgraph_entry", CALL_ENTRY, "func" },
	{ "funcgraph_exit", CALL_EXIT, "func" },
	{ "function", CALL_PLAIN, "ip" },
};

/* Return: NULL if there is none that is an integer */
static const struct tep_format_field *integer(const struct tep_event *e, const char *name)
{
	const struct tep_format_field *f = tep_find_field((struct tep_event *)e, name);

	if (!f || f->size < 1 || f->size > (int)sizeof(u64))
		return NULL;
	return f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC) ? NULL : f;
}

static void find_fields(struct evcall *c, const struct tep_event *e)
{
	c->parent = integer(e, "parent_ip");
	c->depth = integer(e, "depth");
	c->overrun = integer(e, "overrun");
	c->start = integer(e, "calltime");
	c->end = integer(e, "rettime");
}

int evcall_new(const struct tep_event *e, struct evcall **out)
{
	const struct tep_format_field *func = NULL;
	unsigned int i;

	*out = NULL;
	if (strcmp(e->system, "ftrace"))
		return 0;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(e->name, kinds[i].name))
			continue;
		func = integer(e, kinds[i].func);
		break;
	}
	if (!func || (kinds[i].kind != CALL_PLAIN && !integer(e, "depth")))
		return 0;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -1;
	(*out)->kind = kinds[i].kind;
	(*out)->func = func;
	find_fields(*out, e);
	return 0;
}

void evcall_free(struct evcall *c)
{
	free(c);
}

enum call_kind evcall_kind(const struct evcall *c)
{
	return c->kind;
}

static u64 value(const struct tep_format_field *f, const void *data)
{
	u64 v = 0;

	if (f)
		memcpy(&v, (const u8 *)data + f->offset, f->size);
	return v;
}

void evcall_read(const struct evcall *c, const void *data, struct call *out)
{
	out->func = value(c->func, data);
	out->parent = value(c->parent, data);
	out->depth = value(c->depth, data);
	out->overrun = value(c->overrun, data);
	out->start = value(c->start, data);
	out->end = value(c->end, data);
}

const char *evcall_function(struct tep_handle *tep, u64 addr, u64 *start)
{
	const char *name = tep_find_function(tep, addr);

	if (start)
		*start = name ? tep_find_function_address(tep, addr) : addr;
	if (name && !strncmp(name, EL2_PREFIX, strlen(EL2_PREFIX)))
		name += strlen(EL2_PREFIX);
	return name;
}

static void print_function(struct tep_handle *tep, u64 addr, struct trace_seq *s)
{
	const char *name = evcall_function(tep, addr, NULL);

	if (name)
		trace_seq_puts(s, name);
	else
		trace_seq_printf(s, "0x%llx", addr);
}

/* As wide as a duration, which the event of the return may have */
static void print_ns(const struct call *call, struct trace_seq *s)
{
	u64 ns = call->end - call->start;

	if (call->start && call->end >= call->start)
		trace_seq_printf(s, "%6llu.%03llu us", ns / 1000, ns % 1000);
	else
		trace_seq_printf(s, "%13s", "");
}

static void indent(const struct call *call, struct trace_seq *s)
{
	int by = call->depth < MAX_INDENT / 2 ? 2 * call->depth : MAX_INDENT;

	trace_seq_printf(s, " |  %*s", by, "");
}

void evcall_print(const struct evcall *c, struct tep_handle *tep, const void *data,
		  struct trace_seq *s)
{
	struct call call;

	evcall_read(c, data, &call);
	switch (c->kind) {
	case CALL_ENTRY:
		trace_seq_printf(s, "%12s", "");
		indent(&call, s);
		print_function(tep, call.func, s);
		trace_seq_puts(s, "() {");
		break;
	case CALL_EXIT:
		print_ns(&call, s);
		indent(&call, s);
		trace_seq_puts(s, "} /* ");
		print_function(tep, call.func, s);
		trace_seq_puts(s, " */");
		break;
	case CALL_PLAIN:
		print_function(tep, call.func, s);
		trace_seq_puts(s, " <-- ");
		print_function(tep, call.parent, s);
		break;
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the records of an event. See evplan.h.
 *
 * Versions of libtraceevent may differ. So each plan is compared with libtraceevent first, for
 * made-up records without negative numbers, and is not used if a text is not the same.
 */
#include <ctype.h>
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <trace-seq.h>

#include "lib/array.h"
#include "lib/digits.h"
#include "trace/evplan.h"
#include "trace/printcheck.h"

#define MAX_WIDTH	99
#define MAX_NAMES	1024
/* libtraceevent may read behind a record */
#define SLACK		64

/**
 * struct name - a value that has a name
 * @value:	the value
 * @text:	its name
 * @len:	of @text
 */
struct name {
	u64 value;
	const char *text;
	size_t len;
};

/**
 * struct plan_piece - a literal text, and a value behind it: (field >> @shift) & @mask
 * @text:	the text
 * @len:	its length
 * @type:	'd', 'u', 'x', or 's' for the name of the value; 0 if there is no value
 * @is_long:	it has 64 bits, otherwise 32
 * @width:	fill it with zeros to this width
 * @offset:	of the field in the record
 * @size:	of the field
 * @shift:	of the value
 * @mask:	of the value
 * @sign:	the bit of the field that is copied to all above it; 0 if there is none
 * @name:	names of values, in order of these
 * @nr_names:	how many
 */
struct plan_piece {
	const char *text;
	size_t len;
	char type;
	bool is_long;
	unsigned int width;
	u32 offset;
	u32 size;
	unsigned int shift;
	u64 mask;
	u64 sign;
	struct name *name;
	size_t nr_names;
};

struct evplan {
	struct plan_piece *piece;
	size_t nr;
	size_t room;
	char *text;
	size_t text_size;
};

/* Printing */

static u64 value_of(const struct plan_piece *c, const u8 *data)
{
	u64 v = 0;

	memcpy(&v, data + c->offset, c->size);
	v = (v ^ c->sign) - c->sign;
	return v >> c->shift & c->mask;
}

static char *put_number(char *to, const struct plan_piece *c, u64 v)
{
	if (!c->is_long)
		v = c->type == 'd' ? (u64)(int)v : (u32)v;
	if (c->type == 'x')
		return digits_hex(to, v, c->width, '0');
	if (c->type == 'u' || (long long)v >= 0)
		return digits_decimal(to, v, c->width, '0');
	*to++ = '-';
	return digits_decimal(to, -v, c->width ? c->width - 1 : 0, '0');
}

static char *put_name(char *to, const struct plan_piece *c, u64 v)
{
	size_t low = 0, high = c->nr_names, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (c->name[middle].value < v)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < c->nr_names && c->name[low].value == v)
		return (char *)memcpy(to, c->name[low].text, c->name[low].len) + c->name[low].len;
	return digits_hex((char *)memcpy(to, "0x", 2) + 2, v, 0, '0');
}

char *evplan_print(struct evplan *p, const u8 *data)
{
	const struct plan_piece *c;
	char *to = p->text;

	for (c = p->piece; c < p->piece + p->nr; c++) {
		to = (char *)memcpy(to, c->text, c->len) + c->len;
		if (c->type == 's')
			to = put_name(to, c, value_of(c, data));
		else if (c->type)
			to = put_number(to, c, value_of(c, data));
	}
	*to = '\0';
	return p->text;
}

/* Making a plan: each returns false if there is none */

static bool plan_field(struct plan_piece *c, struct tep_event *e, const struct tep_print_arg *arg)
{
	const struct tep_format_field *f = tep_find_any_field(e, arg->field.name);

	if (!f || f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING | TEP_FIELD_IS_DYNAMIC))
		return false;
	if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		return false;
	c->offset = f->offset;
	c->size = f->size;
	c->mask = ~0ULL;
	c->sign = f->flags & TEP_FIELD_IS_SIGNED ? 1ULL << (8 * f->size - 1) : 0;
	return true;
}

/* A field, or (field >> constant) & constant, each of them any number of times */
static bool plan_value(struct plan_piece *c, struct tep_event *e, const struct tep_print_arg *arg)
{
	u64 v;

	if (arg->type == TEP_PRINT_FIELD)
		return plan_field(c, e, arg);
	if (arg->type != TEP_PRINT_OP || !plan_value(c, e, arg->op.left) || c->sign ||
	    !printcheck_constant(e, arg->op.right, &v))
		return false;
	if (!strcmp(arg->op.op, "&")) {
		c->mask &= v;
		return true;
	}
	if (strcmp(arg->op.op, ">>") || v > 63 - c->shift)
		return false;
	c->shift += v;
	c->mask >>= v;
	return true;
}

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static bool has_name(const struct plan_piece *c, u64 value)
{
	size_t i;

	for (i = 0; i < c->nr_names; i++) {
		if (c->name[i].value == value)
			return true;
	}
	return false;
}

/* libtraceevent takes the first one for each value */
static bool plan_names(struct plan_piece *c, const struct tep_print_flag_sym *sym)
{
	size_t room = 0;
	u64 value;

	for (; sym; sym = sym->next) {
		if (!isdigit((unsigned char)*sym->value) || c->nr_names == MAX_NAMES)
			return false;
		value = strtoull(sym->value, NULL, 0);
		if (has_name(c, value))
			continue;
		if (array_room(&c->name, &room, c->nr_names + 1, sizeof(*c->name)))
			return false;
		c->name[c->nr_names++] = (struct name) { value, sym->str, strlen(sym->str) };
	}
	if (c->nr_names)
		qsort(c->name, c->nr_names, sizeof(*c->name), compare_names);
	return true;
}

/* What is behind a '%'. Return: what follows, or NULL */
static const char *plan_conversion(struct plan_piece *c, const char *at)
{
	bool zeros = *at == '0';
	unsigned int longs;
	char *end;

	c->width = strtoul(zeros ? at : "0", &end, 10);
	at = zeros ? end : at;
	if (c->width > MAX_WIDTH)
		return NULL;
	longs = strspn(at, "l");
	if (longs > 2)
		return NULL;
	c->is_long = longs;
	at += longs;
	c->type = *at == 'i' ? 'd' : *at;
	if (!*at || !strchr("duxs", c->type) || (c->type == 's' && at[-1] != '%'))
		return NULL;
	return at + 1;
}

static bool plan_arg(struct plan_piece *c, struct tep_event *e, const struct tep_print_arg *arg)
{
	if (!arg)
		return false;
	if (c->type != 's')
		return plan_value(c, e, arg);
	return arg->type == TEP_PRINT_SYMBOL && plan_value(c, e, arg->symbol.field) &&
	       plan_names(c, arg->symbol.symbols);
}

static struct plan_piece *add_piece(struct evplan *p)
{
	struct plan_piece *c;

	if (array_room(&p->piece, &p->room, p->nr + 1, sizeof(*c)))
		return NULL;
	c = &p->piece[p->nr++];
	memset(c, 0, sizeof(*c));
	return c;
}

static bool plan_pieces(struct evplan *p, struct tep_event *e)
{
	const struct tep_print_arg *arg = e->print_fmt.args;
	const char *at = e->print_fmt.format;
	struct plan_piece *c;

	while (*at) {
		c = add_piece(p);
		if (!c)
			return false;
		c->text = at;
		c->len = strcspn(at, "%\\");
		at += c->len;
		if (!*at)
			break;
		at = *at == '%' ? plan_conversion(c, at + 1) : NULL;
		if (!at || !plan_arg(c, e, arg))
			return false;
		arg = arg->next;
	}
	return !arg;
}

static bool make_room(struct evplan *p)
{
	const struct plan_piece *c;
	size_t i, longest;

	p->text_size = 1;
	for (c = p->piece; c < p->piece + p->nr; c++) {
		longest = MAX(c->width, (unsigned int)DIGITS_SIZE) + strlen("-");
		for (i = 0; i < c->nr_names; i++)
			longest = MAX(longest, c->name[i].len);
		p->text_size += c->len + longest;
	}
	p->text = malloc(p->text_size);
	return p->text;
}

/* Comparison with libtraceevent */

#define NR_MADE_UP	96

/* Small numbers, which may have names; then any bits */
static void make_up(struct tep_event *e, u8 *data, u32 size, unsigned int nr)
{
	const struct tep_format_field *f;
	u16 id = e->id;
	u32 i, any = nr;

	memset(data, 0, size);
	for (f = e->format.fields; f && nr < NR_MADE_UP / 2; f = f->next)
		data[f->offset] = nr;
	for (i = 0; i < size && nr >= NR_MADE_UP / 2; i++) {
		any = any * 1103515245 + 12345;
		data[i] = any >> 16;
	}
	/* Negative numbers are what it does not print as the kernel does */
	for (f = e->format.fields; f; f = f->next) {
		if (f->flags & TEP_FIELD_IS_SIGNED && f->size)
			data[f->offset + f->size - 1] &= 0x7f;
	}
	memcpy(data, &id, sizeof(id));
}

static bool agrees(struct evplan *p, struct tep_event *e, u32 size, u8 *data)
{
	struct tep_record rec = { .data = data, .size = size };
	struct trace_seq seq;
	unsigned int i;
	bool same = true;

	trace_seq_init(&seq);
	for (i = 0; same && i < NR_MADE_UP; i++) {
		make_up(e, data, size, i);
		trace_seq_reset(&seq);
		tep_print_event(e->tep, &seq, &rec, "%s", TEP_PRINT_INFO);
		trace_seq_terminate(&seq);
		same = !strcmp(seq.buffer, evplan_print(p, data));
	}
	trace_seq_destroy(&seq);
	return same;
}

struct evplan *evplan_new(struct tep_event *e, u32 size)
{
	struct evplan *p = calloc(1, sizeof(*p));
	u8 *data = calloc(1, size + SLACK);
	bool good = p && data && !e->flags && !e->handler && plan_pieces(p, e) && make_room(p) &&
		    agrees(p, e, size, data);

	free(data);
	if (good)
		return p;
	evplan_free(p);
	return NULL;
}

void evplan_free(struct evplan *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->nr; i++)
		free(p->piece[i].name);
	free(p->piece);
	free(p->text);
	free(p);
}

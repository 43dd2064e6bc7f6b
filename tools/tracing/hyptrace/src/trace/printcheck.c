// SPDX-License-Identifier: GPL-2.0
/*
 * Whether libtraceevent can print a record safely. See printcheck.h.
 */
#include <ctype.h>
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "trace/fmtconv.h"
#include "trace/printcheck.h"

#define MAX_WIDTH	999	/* of a number, in characters */
#define MAX_STRING	65535

/* The type in which the kernel computes. It is unsigned if one of two of 64 bits is. */
enum width { NARROW, WIDE, WIDE_UNSIGNED };

/**
 * struct likeness - how a value compares to that of the kernel
 * @bits:	how many low bits are the same; in the kernel, all others are those of a sign
 * @minus:	it is negative in the kernel, but is computed with as a positive one
 * @width:	its type
 */
struct likeness {
	unsigned int bits;
	bool minus;
	enum width width;
};

/**
 * struct walk - a walk through what would be printed
 * @event:	the event
 * @data:	the record
 * @size:	its size
 * @bad:	it is not safe; sticks
 * @vague:	the value depends on something that is not known here, such as a symbol
 * @unlike:	the kernel printed something else; sticks
 * @like:	how the last value compares to that of the kernel
 */
struct walk {
	struct tep_event *event;
	const u8 *data;
	u64 size;
	bool bad;
	bool vague;
	bool unlike;
	struct likeness like;
};

static u64 evaluate(struct walk *w, const struct tep_print_arg *arg);

/* A value that decides whether it is safe */
static u64 known_value(struct walk *w, const struct tep_print_arg *arg)
{
	bool was_vague = w->vague;
	u64 v;

	w->vague = false;
	v = evaluate(w, arg);
	w->bad |= w->vague;
	w->vague = was_vague;
	return v;
}

/* Fields */

static u64 number_at(struct walk *w, u64 offset, u64 size)
{
	u64 v = 0;

	if (offset > w->size || size > w->size - offset)
		w->bad = true;
	else if (size == 1 || size == 2 || size == 4 || size == 8)
		memcpy(&v, w->data + offset, size);
	return v;
}

static struct tep_format_field *field_of(struct walk *w, const struct tep_print_arg *arg)
{
	return arg->field.field ?: tep_find_any_field(w->event, arg->field.name);
}

static bool is_dynamic(const struct tep_format_field *f)
{
	return f && (f->flags & TEP_FIELD_IS_DYNAMIC) && f->size == 4;
}

/* libtraceevent takes all values for positive */
static u64 field_value(struct walk *w, const struct tep_format_field *f, u64 v, u64 size)
{
	bool sign = f->flags & TEP_FIELD_IS_SIGNED;

	w->like = (struct likeness) { 64, false, NARROW };
	if (size == 8)
		w->like.width = sign ? WIDE : WIDE_UNSIGNED;
	if (sign && size && size <= 8 && v >> (8 * size - 1)) {
		w->like.bits = 8 * size;
		w->like.minus = true;
	}
	return v;
}

/* Where the data of a dynamic field begins, and its size */
static u64 dynamic_start(struct walk *w, const struct tep_format_field *f, u64 *len)
{
	u32 word;

	if (!is_dynamic(f)) {
		w->bad = true;
		return 0;
	}
	word = number_at(w, f->offset, f->size);
	*len = word >> 16;
	return (word & 0xffff) +
	       (f->flags & TEP_FIELD_IS_RELATIVE ? f->offset + f->size : 0);
}

/* Its length. libtraceevent uses a null pointer for that of a relative field */
static u64 dynamic_length(struct walk *w, const struct tep_format_field *f)
{
	u64 len = 0;

	dynamic_start(w, f, &len);
	if (f && f->flags & TEP_FIELD_IS_RELATIVE)
		w->bad = true;
	return len;
}

/* Expressions, with the values that libtraceevent computes */

static bool is_type(const char *type, size_t len, const char *name)
{
	return len == strlen(name) && !memcmp(type, name, len);
}

/* A value of @bits bits after a cast */
static u64 cut(struct walk *w, u64 v, unsigned int bits, bool sign)
{
	v &= UINT64_MAX >> (64 - bits);
	w->like.width = NARROW;
	if (w->like.bits < bits)
		return v;
	w->like.minus = sign && v >> (bits - 1);
	w->like.bits = w->like.minus ? bits : 64;
	return v;
}

/* "unsigned long", "u64" and others */
static enum width width_of_type(const char *type)
{
	if (!strstr(type, "long") && !strstr(type, "64"))
		return NARROW;
	return strchr(type, 'u') ? WIDE_UNSIGNED : WIDE;
}

/* @v as @type, which has @len characters */
static u64 cast(struct walk *w, u64 v, const char *type, size_t len)
{
	static const struct {
		const char *name;
		unsigned int bits;
		bool sign;
	} types[] = {
		{ "u8", 8, false }, { "u16", 16, false }, { "u32", 32, false },
		{ "s8", 8, true }, { "s16", 16, true }, { "s32", 32, true },
		{ "char", 8, false }, { "short", 16, true }, { "int", 32, true },
		{ "unsigned char", 8, false }, { "unsigned short", 16, false },
		{ "unsigned int", 32, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (is_type(type, len, types[i].name))
			return cut(w, v, types[i].bits, types[i].sign);
	}
	w->like.width = width_of_type(type);
	if (w->like.width == WIDE_UNSIGNED && w->like.bits == 64)
		w->like.minus = false;
	return v;
}

static u64 atom(struct walk *w, const char *text)
{
	u64 v = strtoull(text, NULL, 0);

	if (strpbrk(text, "lL") && isdigit((unsigned char)*text))
		w->like.width = strpbrk(text, "uU") ? WIDE_UNSIGNED : WIDE;
	/* It may be the name of a symbol */
	if (!v && !isdigit((unsigned char)*text))
		w->vague = true;
	return v;
}

/*
 * The name of an enum as an index. libtraceevent takes it for 0, but for an address if
 * there is a symbol with that name.
 */
static void settle_index(const struct tep_print_arg *index)
{
	char *text = index->type == TEP_PRINT_ATOM ? index->atom.atom : "0";

	if (!isdigit((unsigned char)*text) && !strtoull(text, NULL, 0) && *text)
		memcpy(text, "0", sizeof("0"));
}

/* "field[index]", maybe behind casts to a pointer */
static u64 element(struct walk *w, const struct tep_print_arg *arg)
{
	const struct tep_print_arg *left = arg->op.left, *type = NULL;
	u64 index, start, size, len;
	struct tep_format_field *f;

	settle_index(arg->op.right);
	index = known_value(w, arg->op.right);
	for (; left->type == TEP_PRINT_TYPE; left = left->typecast.item)
		type = type ?: left;
	if (left->type == TEP_PRINT_DYNAMIC_ARRAY) {
		f = left->dynarray.field;
		start = dynamic_start(w, f, &len) + index;
		size = f && f->elementsize ? f->elementsize : sizeof(u64);
	} else if (left->type == TEP_PRINT_FIELD) {
		f = field_of(w, left);
		size = f ? f->elementsize : 0;
		start = f ? f->offset + index * size : 0;
	} else {
		return evaluate(w, arg->op.left);
	}
	w->bad |= index > w->size;
	start = number_at(w, start, size);
	len = type ? strlen(type->typecast.type) : 0;
	if (len > 2 && type->typecast.type[len - 1] == '*')
		return cast(w, start, type->typecast.type, len - 2);
	return f ? field_value(w, f, start, size) : start;
}

/* Whether @v is 0 is the same in the kernel if it is known to be another number */
static u64 truth(struct walk *w, u64 v)
{
	if (!v && w->like.bits < 64)
		w->unlike = true;
	return v;
}

/* Both sides if it is not known which one is taken */
static u64 choice(struct walk *w, const struct tep_print_arg *arg,
		  u64 (*visit)(struct walk *w, const struct tep_print_arg *arg))
{
	const struct tep_print_arg *sides = arg->op.right;
	bool was_vague = w->vague;
	u64 condition, v = 0;

	if (!sides || sides->type != TEP_PRINT_OP) {
		w->bad = true;
		return 0;
	}
	w->vague = false;
	condition = truth(w, evaluate(w, arg->op.left));
	if (w->vague || condition)
		v = visit(w, sides->op.left);
	if (w->vague || !condition)
		v = visit(w, sides->op.right);
	w->vague |= was_vague;
	return v;
}

static u64 shifted(struct walk *w, u64 left, u64 right, bool up)
{
	if (right > 63)
		w->vague = true;
	return up ? left << (right & 63) : left >> (right & 63);
}

static u64 compared(const char *op, u64 left, u64 right)
{
	switch (op[0]) {
	case '<':
		return op[1] ? left <= right : left < right;
	case '>':
		return op[1] ? left >= right : left > right;
	case '=':
		return left == right;
	default:
		return op[1] ? left != right : !right;
	}
}

/* Both sides are evaluated, whatever the operator */
static u64 operation(struct walk *w, const char *op, u64 left, u64 right)
{
	switch (op[0]) {
	case '|':
		return op[1] ? left || right : left | right;
	case '&':
		return op[1] ? left && right : left & right;
	case '<':
	case '>':
		if (op[1] == op[0])
			return shifted(w, left, right, op[0] == '<');
		return compared(op, left, right);
	case '=':
	case '!':
		return compared(op, left, right);
	case '~':
		return ~right;
	case '-':
		return left - right;
	case '+':
		return left + right;
	case '*':
		return left * right;
	default:
		/* '^' may be computed or be 0, as the version is */
		w->vague = true;
		return 0;
	}
}

static struct likeness take_likeness(struct walk *w)
{
	struct likeness l = w->like;

	w->like = (struct likeness) { 64, false, NARROW };
	return l;
}

/* "field & 0xff" is known if the bits of the field are; @v: the other side */
static bool masks(const struct likeness *l, const struct likeness *other, u64 v)
{
	return other->bits == 64 && !other->minus && (l->bits == 64 || !(v >> l->bits));
}

static bool is_logic(const char *op)
{
	return !strcmp(op, "&&") || !strcmp(op, "||") || !strcmp(op, "!");
}

/* Whether the result has a meaning only if all of both sides is known */
static bool needs_all(const char *op)
{
	return (strchr("<>", op[0]) && strcmp(op, "<<")) || strchr("/%", op[0]);
}

/* The likeness of "@left @op @right" from those of its sides */
static void compare_sides(struct walk *w, const char *op, struct likeness l, u64 left,
			  struct likeness r, u64 right)
{
	enum width width = l.width > r.width ? l.width : r.width;
	bool minus = (l.minus || r.minus) && width != WIDE_UNSIGNED;
	unsigned int bits = l.bits < r.bits ? l.bits : r.bits;

	if (is_logic(op)) {
		w->unlike |= (!left && l.bits < 64) || (!right && r.bits < 64);
		return;
	}
	if (needs_all(op) || !strcmp(op, "==") || !strcmp(op, "!=")) {
		w->unlike |= bits < 64 || (minus && needs_all(op));
		return;
	}
	if (!strcmp(op, "&") && (masks(&l, &r, right) || masks(&r, &l, left)))
		return;
	if (*op == '~' || (*op == '-' && left < right)) {
		minus = width != WIDE_UNSIGNED;
		bits = width == NARROW && bits > 32 ? 32 : bits;
	}
	w->like = (struct likeness) { bits, minus, width };
}

static u64 divided(struct walk *w, const struct tep_print_arg *arg)
{
	u64 left = evaluate(w, arg->op.left), right;
	struct likeness l = take_likeness(w);

	right = known_value(w, arg->op.right);
	if (!right) {
		w->bad = true;
		return 0;
	}
	compare_sides(w, arg->op.op, l, left, take_likeness(w), right);
	return arg->op.op[0] == '/' ? left / right : left % right;
}

static u64 evaluate_op(struct walk *w, const struct tep_print_arg *arg)
{
	struct likeness l;
	u64 left, right;

	switch (arg->op.op[0]) {
	case '[':
		return element(w, arg);
	case '?':
		return choice(w, arg, evaluate);
	case '/':
	case '%':
		return divided(w, arg);
	default:
		left = evaluate(w, arg->op.left);
		l = take_likeness(w);
		right = evaluate(w, arg->op.right);
		compare_sides(w, arg->op.op, l, left, take_likeness(w), right);
		return operation(w, arg->op.op, left, right);
	}
}

static u64 evaluate(struct walk *w, const struct tep_print_arg *arg)
{
	struct tep_format_field *f;
	const char *type;

	w->like = (struct likeness) { 64, false, NARROW };
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		return atom(w, arg->atom.atom);
	case TEP_PRINT_FIELD:
		f = field_of(w, arg);
		return f ? field_value(w, f, number_at(w, f->offset, f->size), f->size) : 0;
	case TEP_PRINT_TYPE:
		type = arg->typecast.type;
		return cast(w, evaluate(w, arg->typecast.item), type, strlen(type));
	case TEP_PRINT_OP:
		return evaluate_op(w, arg);
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return dynamic_length(w, arg->dynarray.field);
	case TEP_PRINT_DYNAMIC_ARRAY:
		/* An address in memory */
		w->vague = true;
		return dynamic_start(w, arg->dynarray.field, &(u64){ 0 });
	case TEP_PRINT_FUNC:
		w->bad = true;
		return 0;
	default:
		return 0;
	}
}

/* What is printed as a string */

/* @nr elements of @size bytes that begin at a field. */
static void check_elements(struct walk *w, const struct tep_print_arg *arg, u32 nr, u64 size)
{
	struct tep_format_field *f;
	u64 start = 0, len;

	if (arg->type == TEP_PRINT_DYNAMIC_ARRAY) {
		start = dynamic_start(w, arg->dynarray.field, &len);
	} else if (arg->type == TEP_PRINT_FIELD) {
		f = field_of(w, arg);
		start = f ? f->offset : 0;
		nr = f ? nr : 0;
	} else {
		w->bad = true;
	}
	if (start + nr * size > w->size)
		w->bad = true;
}

static void check_array(struct walk *w, const struct tep_print_arg *arg)
{
	u64 nr = known_value(w, arg->int_array.count);
	u64 size = known_value(w, arg->int_array.el_size);

	if (size != 1 && size != 2 && size != 4 && size != 8)
		size = 1;
	check_elements(w, arg->int_array.field, nr, size);
}

static void check_mask(struct walk *w, const struct tep_print_arg *arg)
{
	struct tep_format_field *f = arg->bitmask.field;
	u64 len = 0;

	dynamic_start(w, f ?: tep_find_any_field(w->event, arg->bitmask.bitmask), &len);
	/* It computes 3 GB as the size of an empty one */
	if (arg->type == TEP_PRINT_CPUMASK && !len)
		w->bad = true;
}

/* A value with names, of which those that are negative are not found */
static u64 named(struct walk *w, const struct tep_print_arg *arg)
{
	u64 v = evaluate(w, arg);

	w->unlike |= w->like.minus || w->like.bits < 64;
	return v;
}

static u64 check_string(struct walk *w, const struct tep_print_arg *arg)
{
	struct tep_format_field *f;

	switch (arg->type) {
	case TEP_PRINT_FLAGS:
		return named(w, arg->flags.field);
	case TEP_PRINT_SYMBOL:
		return named(w, arg->symbol.field);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		check_elements(w, arg->hex.field, known_value(w, arg->hex.size), 1);
		return 0;
	case TEP_PRINT_INT_ARRAY:
		check_array(w, arg);
		return 0;
	case TEP_PRINT_STRING:
		f = arg->string.field;
		return dynamic_start(w, f ?: tep_find_any_field(w->event, arg->string.string),
				     &(u64){ 0 });
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_CPUMASK:
		check_mask(w, arg);
		return 0;
	case TEP_PRINT_OP:
		return arg->op.op[0] == '?' ? choice(w, arg, check_string) : 0;
	case TEP_PRINT_FUNC:
		w->bad = true;
		return 0;
	default:
		return 0;
	}
}

/* A width or precision. printf() takes none if it is negative, and then other arguments */
static void check_star(struct walk *w, const struct tep_print_arg *arg, const struct fmt_conv *c)
{
	int v = arg ? known_value(w, arg) : 0;

	if (c->type == 'p')
		return;
	if (v < 0 || v > (c->precision && c->type == 's' ? MAX_STRING : MAX_WIDTH))
		w->bad = true;
}

static const struct tep_print_arg *next_arg(const struct tep_print_arg *arg)
{
	return arg ? arg->next : NULL;
}

/* How many bits a conversion prints */
static unsigned int bits_of(const struct fmt_conv *c)
{
	unsigned int i, half = 0;

	if (c->type == 'p')
		return 64;
	for (i = 0; i < c->nr_modifiers; i++) {
		if (strchr("lLzZ", c->modifiers[i]))
			return 64;
		half += c->modifiers[i] == 'h';
	}
	return 32 >> half;
}

static void check_number(struct walk *w, const struct tep_print_arg *arg,
			 const struct fmt_conv *c)
{
	if (c->type == 's' || !arg)
		return;
	evaluate(w, arg);
	w->unlike |= w->like.bits < bits_of(c);
}

/* The conversions, and which argument is for which */
static void check_conversions(struct walk *w)
{
	const struct tep_print_arg *arg = w->event->print_fmt.args;
	const char *at = w->event->print_fmt.format;
	struct fmt_conv c;

	while (fmt_next_conv(&at, &c)) {
		if (c.stars) {
			check_star(w, arg, &c);
			arg = next_arg(arg);
		}
		check_number(w, arg, &c);
		arg = next_arg(arg);
	}
}

bool printcheck_record(struct tep_event *e, const u8 *data, u32 size)
{
	struct walk w = { .event = e, .data = data, .size = size };
	const struct tep_print_arg *arg;

	/* Whatever conversion it is for */
	for (arg = e->print_fmt.args; arg && !w.bad; arg = arg->next) {
		evaluate(&w, arg);
		check_string(&w, arg);
	}
	if (!w.bad)
		check_conversions(&w);
	return !w.bad && !w.unlike;
}

bool printcheck_constant(struct tep_event *e, const struct tep_print_arg *arg, u64 *value)
{
	struct walk w = { .event = e };	/* without a record */

	*value = evaluate(&w, arg);
	return !w.bad && !w.vague;
}

/* Events */

/**
 * struct trust - what is asked about the arguments of an event
 * @e:		the event
 * @bits:	how many bits of a value are used, and its sign is not; 0: all, and the sign
 * @masked:	all of 64 bits, and the sign is not, and those of "~" are
 */
struct trust {
	struct tep_event *e;
	unsigned int bits;
	bool masked;
};

static bool is_safe(struct trust t, const struct tep_print_arg *arg);

/* Only '&' and others like it give the same for negative numbers, of all 64 bits */
static bool is_safe_op(struct trust t, const struct tep_print_arg *arg)
{
	const char *op = arg->op.op;

	if (*op == '~')
		return t.masked && is_safe(t, arg->op.right);
	if (strchr("[/%-", *op))
		return false;
	t.bits = strchr("<>+*", *op) ? 0 : 64;
	t.masked = !strcmp(op, "&");
	return is_safe(t, arg->op.left) && is_safe(t, arg->op.right);
}

static bool is_safe_field(struct trust t, const struct tep_print_arg *arg)
{
	const struct tep_format_field *f = tep_find_any_field(t.e, arg->field.name);

	if (!f || !(f->flags & TEP_FIELD_IS_SIGNED))
		return true;
	return t.bits && 8 * (unsigned int)f->size >= t.bits;
}

/* Is it safe, and printed as the kernel does, with each record? */
static bool is_safe(struct trust t, const struct tep_print_arg *arg)
{
	struct trust any = { .e = t.e };

	switch (arg->type) {
	case TEP_PRINT_NULL:
	case TEP_PRINT_ATOM:
		return true;
	case TEP_PRINT_FIELD:
		return is_safe_field(t, arg);
	case TEP_PRINT_FLAGS:
		return is_safe(any, arg->flags.field);
	case TEP_PRINT_SYMBOL:
		return is_safe(any, arg->symbol.field);
	case TEP_PRINT_TYPE:
		return is_safe(any, arg->typecast.item);
	case TEP_PRINT_STRING:
		return is_dynamic(tep_find_any_field(t.e, arg->string.string));
	case TEP_PRINT_DYNAMIC_ARRAY:
		return is_dynamic(arg->dynarray.field);
	case TEP_PRINT_OP:
		return is_safe_op(t, arg);
	default:
		return false;
	}
}

/* What "%pM" and others need; 0 if any will do */
static int size_for(const char *extension)
{
	switch (*extension) {
	case 'M':
	case 'm':
		return 6;
	case 'U':
		return 16;
	default:
		return extension[1] == '4' ? 4 : extension[1] == '6' ? 16 : 0;
	}
}

/* "%pM" prints only a field, "%*ph" only what is behind the fixed part of a record */
static bool takes_arg(struct tep_event *e, const struct fmt_conv *c,
		      const struct tep_print_arg *arg)
{
	const struct tep_format_field *f;
	int size;

	if (c->type != 'p' || !c->nr_extension || strchr("SsFf", *c->extension))
		return true;
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	if (c->stars)
		return arg && arg->type == TEP_PRINT_DYNAMIC_ARRAY;
	f = arg && arg->type == TEP_PRINT_FIELD ? tep_find_any_field(e, arg->field.name) : NULL;
	size = size_for(c->extension);
	return f && (!size || f->size == size);
}

static enum print_safety safety_of_format(struct tep_event *e)
{
	const struct tep_print_arg *arg = e->print_fmt.args;
	const char *at = e->print_fmt.format;
	enum print_safety safety = PRINT_ALL;
	struct trust t = { .e = e };
	struct fmt_conv c;

	while (fmt_next_conv(&at, &c)) {
		if (c.stars) {
			safety = PRINT_SOME;
			arg = next_arg(arg);
		}
		if (!c.safe || !c.exact || !takes_arg(e, &c, arg))
			return PRINT_NONE;
		t.bits = c.type == 's' ? 64 : bits_of(&c);
		if (arg && !is_safe(t, arg))
			safety = PRINT_SOME;
		arg = next_arg(arg);
	}
	/* What no conversion prints may still be computed */
	return arg ? PRINT_SOME : safety;
}

enum print_safety printcheck_event(struct tep_event *e)
{
	if ((e->flags & TEP_EVENT_FL_FAILED) || !e->print_fmt.format)
		return PRINT_NONE;
	/* Its format is in the record, and was checked when it was loaded */
	if (e->flags & TEP_EVENT_FL_ISBPRINT)
		return PRINT_ALL;
	return safety_of_format(e);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the arguments of a "print fmt". See fmtargs.h.
 *
 * This is the grammar of C's expressions, without what libtraceevent does not know, and
 * without what makes it crash while it parses:
 *
 * - a field that does not exist, in some functions;
 * - an index behind an index, or directly behind the ':' of "?:";
 * - a division by 0 where both numbers are known. What else is divided is known only
 *   when a record is printed: see printcheck.h.
 *
 * It is also without what libtraceevent takes for something else: characters ('A' is 0),
 * '^', __print_array(), and operators that it puts into another order than C.
 *
 * An event with an argument that is not accepted is shown field by field.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "trace/fmtargs.h"

#define MAX_ARGS	128
#define MAX_DEPTH	128
/* In one argument: libtraceevent recurses once for each */
#define MAX_OPERATORS	1024
/* Between operands, without parentheses */
#define MAX_CHAIN	64

/**
 * enum operand_kind - what libtraceevent knows of an operand when it parses it
 * @NOT_VALID:	there is none that is accepted
 * @MAYBE_ZERO:	it may compute 0, or take a part of it that is 0 for the whole
 * @NUMBER:	a number other than 0, at most as large as the value
 * @VALUE:	nothing before there is a record
 */
enum operand_kind { NOT_VALID, MAYBE_ZERO, NUMBER, VALUE };

/**
 * struct spine - how tightly the operators bind that libtraceevent sees from the left
 * @top:	the one that is computed last; 0 if there is none
 * @second:	the one on its left side; 0 if there is none
 */
struct spine {
	unsigned char top, second;
};

/**
 * struct operand - an operand, or what operators make of some
 * @kind:	what is known of it
 * @value:	of a NUMBER
 * @spine:	its operators
 */
struct operand {
	enum operand_kind kind;
	u64 value;
	struct spine spine;
};

/**
 * struct args - a walk through one argument
 * @t:		the text
 * @depth:	how deep the operands are nested
 * @operators:	how many there were
 */
struct args {
	struct fmt_text *t;
	unsigned int depth;
	unsigned int operators;
};

/* Tighter ones have larger numbers */
#define BINDING_CHOICE	1

static const struct {
	const char *text;
	unsigned char binding;
} operators[] = {
	{ "<<", 8 }, { ">>", 8 }, { "&&", 3 }, { "||", 2 }, { "==", 6 }, { "!=", 6 },
	{ "<=", 7 }, { ">=", 7 }, { "<", 7 }, { ">", 7 }, { "&", 5 }, { "|", 4 },
	{ "+", 9 }, { "-", 9 }, { "*", 10 }, { "/", 10 }, { "%", 10 },
};

static unsigned int binding_of(const char *op)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(operators); i++) {
		if (!strcmp(op, operators[i].text))
			return operators[i].binding;
	}
	return 0;
}

static struct operand take_simple(struct args *a);
static struct operand take_operand(struct args *a, bool index);
static struct operand take_expression(struct args *a, bool index);

static struct operand operand_if(bool valid, enum operand_kind kind)
{
	return (struct operand) { .kind = valid ? kind : NOT_VALID };
}

/* Strings, characters and numbers */

/* What is between quotes, and the closing one */
static bool take_quoted(struct fmt_text *t, const char *quote)
{
	while (!fmt_take(t, quote)) {
		if (fmt_take(t, "\\") && !isprint(fmt_peek(t)))
			return false;
		if (!isprint(fmt_peek(t)) && fmt_peek(t) != '\n')
			return false;
		t->at++;
	}
	return true;
}

bool fmt_take_string(struct fmt_text *t)
{
	if (!fmt_take_token(t, "\""))
		return false;
	do {
		if (!take_quoted(t, "\""))
			return false;
	} while (fmt_take_token(t, "\""));
	return true;
}

static struct operand take_number(struct fmt_text *t)
{
	struct fmt_word w = fmt_take_word(t);
	struct operand x = { .kind = NUMBER };
	char buf[32], *end;

	if (w.len >= sizeof(buf))
		return operand_if(false, NUMBER);
	memcpy(buf, w.at, w.len);
	buf[w.len] = '\0';
	x.value = strtoull(buf, &end, 0);
	if (strspn(end, "uUlL") != strlen(end))
		return operand_if(false, NUMBER);
	if (!x.value)
		x.kind = MAYBE_ZERO;
	return x;
}

/* Fields */

/* "->field", behind REC */
static const struct fmt_field *take_member(struct fmt_text *t)
{
	struct fmt_word name;

	if (!fmt_take(t, "->"))
		return NULL;
	name = fmt_take_word(t);
	return fmt_find_field(t, &name);
}

/* "REC)->field", behind a parenthesis; no progress if it is something else */
static bool take_rec_in_parentheses(struct fmt_text *t)
{
	const char *start = t->at;

	if (fmt_take_token(t, "REC") && fmt_take_token(t, ")") && take_member(t))
		return true;
	t->at = start;
	return false;
}

/* Functions: what is behind the parenthesis */

static bool take_field_name(struct args *a)
{
	struct fmt_word name;

	fmt_skip_blanks(a->t);
	name = fmt_take_word(a->t);
	return fmt_find_field(a->t, &name) && fmt_take_token(a->t, ")");
}

/* "{ 1, "hvc" }, { 2, "smc" })"; libtraceevent allows a comma at the end */
static bool take_symbols(struct args *a)
{
	do {
		if (fmt_take_token(a->t, ")"))
			return true;
		if (!fmt_take_token(a->t, "{") || !take_expression(a, true).kind ||
		    !fmt_take_token(a->t, ",") || !take_simple(a).kind ||
		    !fmt_take_token(a->t, "}"))
			return false;
	} while (fmt_take_token(a->t, ","));
	return fmt_take_token(a->t, ")");
}

static bool take_print_symbolic(struct args *a)
{
	return take_expression(a, true).kind && fmt_take_token(a->t, ",") &&
	       take_symbols(a);
}

/* What is printed between flags */
static bool take_delimiter(struct fmt_text *t)
{
	fmt_skip_blanks(t);
	if (fmt_peek(t) == '"')
		return fmt_take_string(t);
	return fmt_take(t, "'") ? take_quoted(t, "'") : fmt_take_word(t).len;
}

static bool take_print_flags(struct args *a)
{
	return take_expression(a, true).kind && fmt_take_token(a->t, ",") &&
	       take_delimiter(a->t) && fmt_take_token(a->t, ",") && take_symbols(a);
}

static bool take_print_hex(struct args *a)
{
	return take_expression(a, true).kind && fmt_take_token(a->t, ",") &&
	       take_expression(a, true).kind && fmt_take_token(a->t, ")");
}

static bool take_builtin_expect(struct args *a)
{
	if (!take_operand(a, false).kind || !fmt_take_token(a->t, ","))
		return false;
	fmt_skip_blanks(a->t);
	return fmt_take_word(a->t).len && fmt_take_token(a->t, ")");
}

static bool is_integer_type(const struct fmt_word *w)
{
	static const char * const types[] = {
		"unsigned", "int", "long", "u8", "u16", "u32", "u64", "s8", "s16",
		"s32", "s64", "__u8", "__u16", "__u32", "__u64", "__s16", "__s32",
		"__s64",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (fmt_is_word(w, types[i]))
			return true;
	}
	return false;
}

static struct operand take_sizeof(struct args *a)
{
	struct operand x = { .kind = NUMBER, .value = sizeof(u64) };
	const struct fmt_field *f;
	struct fmt_word w;

	fmt_skip_blanks(a->t);
	w = fmt_take_word(a->t);
	if (fmt_is_word(&w, "REC")) {
		f = take_member(a->t);
		x.value = f ? f->size : 0;
	} else if (!is_integer_type(&w)) {
		x.value = 0;
	}
	while (is_integer_type(&w)) {
		fmt_skip_blanks(a->t);
		w = fmt_take_word(a->t);
	}
	return x.value && fmt_take_token(a->t, ")") ? x : operand_if(false, NUMBER);
}

static struct operand take_call(struct args *a, const struct fmt_word *name)
{
	static const struct {
		const char *name;
		bool (*take)(struct args *a);
	} functions[] = {
		{ "__print_symbolic", take_print_symbolic },
		{ "__print_flags", take_print_flags },
		{ "__print_hex", take_print_hex },
		{ "__print_hex_str", take_print_hex },
		{ "__get_str", take_field_name },
		{ "__get_rel_str", take_field_name },
		{ "__get_bitmask", take_field_name },
		{ "__get_rel_bitmask", take_field_name },
		{ "__get_cpumask", take_field_name },
		{ "__get_rel_cpumask", take_field_name },
		{ "__get_sockaddr", take_field_name },
		{ "__get_sockaddr_rel", take_field_name },
		{ "__get_dynamic_array", take_field_name },
		{ "__get_rel_dynamic_array", take_field_name },
		{ "__get_dynamic_array_len", take_field_name },
		{ "__get_rel_dynamic_array_len", take_field_name },
		{ "__builtin_expect", take_builtin_expect },
	};
	unsigned int i;

	if (fmt_is_word(name, "sizeof"))
		return take_sizeof(a);
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (fmt_is_word(name, functions[i].name))
			return operand_if(functions[i].take(a), VALUE);
	}
	return operand_if(false, VALUE);
}

/* Operands */

/* A field, a function, or words: a constant that the kernel has not replaced */
static struct operand take_named(struct args *a)
{
	struct fmt_word w = fmt_take_word(a->t);

	if (fmt_is_word(&w, "REC"))
		return operand_if(take_member(a->t), VALUE);
	if (w.len && fmt_take_token(a->t, "("))
		return take_call(a, &w);
	if (!w.len)
		return operand_if(false, MAYBE_ZERO);
	do {
		fmt_skip_blanks(a->t);
		w = fmt_take_word(a->t);
	} while (w.len);
	return operand_if(true, MAYBE_ZERO);
}

/* "unsigned long)" or "struct x *)" behind a parenthesis, if an operand follows */
static bool take_cast(struct fmt_text *t)
{
	const char *start = t->at;
	struct fmt_word first, w;
	int next;

	fmt_skip_blanks(t);
	first = fmt_take_word(t);
	do {
		fmt_skip_blanks(t);
		w = fmt_take_word(t);
	} while (w.len);
	fmt_take(t, "*");
	if (first.len > 1 && !isdigit(*first.at) && fmt_take_token(t, ")")) {
		fmt_skip_blanks(t);
		next = fmt_peek(t);
		if (next && (isalnum(next) || strchr("_\"'(", next)))
			return true;
	}
	t->at = start;
	return false;
}

static struct operand take_parentheses(struct args *a)
{
	struct operand x;

	if (take_rec_in_parentheses(a->t))
		return operand_if(true, VALUE);
	if (take_cast(a->t))
		return operand_if(take_operand(a, false).kind, VALUE);
	x = take_expression(a, true);
	return fmt_take_token(a->t, ")") ? x : operand_if(false, VALUE);
}

/* A string, a character, a number, or one of the above */
static struct operand take_any(struct args *a)
{
	fmt_skip_blanks(a->t);
	if (fmt_peek(a->t) == '"')
		return operand_if(fmt_take_string(a->t), MAYBE_ZERO);
	if (isdigit(fmt_peek(a->t)))
		return take_number(a->t);
	if (fmt_take(a->t, "("))
		return take_parentheses(a);
	return take_named(a);
}

/* An operand without an operator and without an index */
static struct operand take_simple(struct args *a)
{
	struct operand x = { .kind = NOT_VALID };

	if (a->depth++ < MAX_DEPTH)
		x = take_any(a);
	a->depth--;
	return x;
}

/* Is there an operand that can have an index? */
static bool may_have_index(struct fmt_text *t)
{
	const char *start = t->at;
	bool may = fmt_take(t, "(") || fmt_take(t, "REC->");

	t->at = start;
	return may;
}

static bool take_unary(struct fmt_text *t)
{
	int c = fmt_peek(t);

	if (!c || !strchr("~!+-", c))
		return false;
	t->at++;
	/* "--" and "++" are others */
	return !strchr("+-", c) || fmt_peek(t) != c;
}

/* One operand. @index: whether it may have one */
static struct operand take_one(struct args *a, bool index)
{
	struct operand x;

	bool minus;

	fmt_skip_blanks(a->t);
	minus = fmt_peek(a->t) && strchr("+-", fmt_peek(a->t));
	if (take_unary(a->t)) {
		x = operand_if(take_operand(a, true).kind, VALUE);
		/* It is taken for 0 - x */
		x.spine.top = minus ? binding_of("-") : 0;
		return x;
	}
	index = index && may_have_index(a->t);
	x = take_simple(a);
	if (!x.kind || !index || !fmt_take_token(a->t, "["))
		return x;
	return operand_if(take_simple(a).kind && fmt_take_token(a->t, "]"), VALUE);
}

static struct operand take_operand(struct args *a, bool index)
{
	struct operand x = { .kind = NOT_VALID };

	if (a->depth++ < MAX_DEPTH)
		x = take_one(a, index);
	a->depth--;
	return x;
}

/* Expressions */

/* Return: NULL if there is none that is accepted */
static const char *take_operator(struct args *a)
{
	unsigned int i;

	fmt_skip_blanks(a->t);
	for (i = 0; i < ARRAY_SIZE(operators); i++) {
		if (!fmt_take(a->t, operators[i].text))
			continue;
		if (strchr("+-", *operators[i].text) && fmt_peek(a->t) == *operators[i].text)
			return NULL;
		return a->operators++ < MAX_OPERATORS ? operators[i].text : NULL;
	}
	return NULL;
}

/*
 * libtraceevent parses "a OP rest" from the right: it puts OP on the left side of the rest's top
 * operator if OP binds tighter, but does so only once.
 * @in: the rest is one operand in parentheses
 *
 * Return: whether C does the same. Then @s has OP as well.
 */
static bool join(struct spine *s, const char *op, bool in)
{
	unsigned int binding = binding_of(op);
	bool below = s->top && binding > s->top, same;

	if (below) {
		same = !s->second;
		s->second = binding;
		return same;
	}
	same = in || binding != s->top || !strcmp(op, "+") || strchr("&|", *op);
	*s = (struct spine) { .top = binding };
	return same;
}

/* The operators between operands, of which the last one is @last */
static bool join_all(struct operand *x, const char * const *op, unsigned int nr,
		     const struct operand *last, bool choice)
{
	bool in = !choice && nr;

	x->spine = choice ? (struct spine) { .top = BINDING_CHOICE } : last->spine;
	while (nr--) {
		if (!join(&x->spine, op[nr], in && last->spine.top))
			return false;
		in = false;
	}
	return true;
}

/*
 * libtraceevent computes what it can when it parses, and a division by 0 kills the
 * program. It takes "a / 2 * 0" for a / (2 * 0), and "a / (b + c)" for (a / b) + c.
 */
static struct operand take_divisor(struct args *a)
{
	struct operand x = take_operand(a, true);

	if (x.kind == MAYBE_ZERO)
		x.kind = NOT_VALID;
	fmt_skip_blanks(a->t);
	if (x.kind == NUMBER && fmt_peek(a->t) && strchr("*/%", fmt_peek(a->t)))
		x.kind = NOT_VALID;
	return x;
}

/* Return: whether @x @op @y is known, and not 0; then it is in @x */
static bool compute(struct operand *x, const char *op, const struct operand *y)
{
	u64 was = x->value;

	if (x->kind != NUMBER || y->kind != NUMBER)
		return false;
	if (!strcmp(op, "*"))
		return !__builtin_mul_overflow(was, y->value, &x->value);
	if (strcmp(op, "<<") || y->value > 63)
		return false;
	x->value = was << y->value;
	return x->value >> y->value == was;
}

static struct operand combine(struct operand x, const char *op, struct operand y)
{
	if (!y.kind)
		x.kind = NOT_VALID;
	else if (x.kind == NUMBER && y.kind == VALUE)
		x.kind = VALUE;
	else if (x.kind != VALUE && !compute(&x, op, &y))
		x.kind = MAYBE_ZERO;
	return x;
}

/* Operands with operators between. @index: whether the first may have an index */
static struct operand take_operands(struct args *a, bool index)
{
	struct operand x = take_operand(a, index), last = x;
	const char *op[MAX_CHAIN];
	unsigned int nr = 0;

	while (x.kind && nr < MAX_CHAIN && (op[nr] = take_operator(a))) {
		last = strchr("/%", *op[nr]) ? take_divisor(a) : take_operand(a, true);
		/* It does not see the parentheses around @last */
		if (last.spine.top && last.spine.top < binding_of(op[nr]))
			last.kind = NOT_VALID;
		x = combine(x, op[nr++], last);
	}
	fmt_skip_blanks(a->t);
	if (nr == MAX_CHAIN || !join_all(&x, op, nr, &last, fmt_peek(a->t) == '?'))
		x.kind = NOT_VALID;
	return x;
}

static struct operand take_expression(struct args *a, bool index)
{
	struct operand x = take_operands(a, index);

	if (!x.kind || !fmt_take_token(a->t, "?"))
		return x;
	/* An operator behind the last operand would be applied to all of it */
	if (a->operators++ == MAX_OPERATORS || !take_expression(a, true).kind ||
	    !fmt_take_token(a->t, ":") || !take_operand(a, false).kind)
		x.kind = NOT_VALID;
	else if (x.kind == NUMBER)
		x.kind = MAYBE_ZERO;
	return x;
}

bool fmt_take_args(struct fmt_text *t)
{
	unsigned int nr;

	for (nr = 0; fmt_take_token(t, ","); nr++) {
		struct args a = { .t = t };

		if (nr == MAX_ARGS || !take_expression(&a, true).kind)
			return false;
	}
	fmt_skip_blanks(t);
	return t->at == t->end;
}

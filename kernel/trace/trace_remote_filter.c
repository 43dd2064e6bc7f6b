// SPDX-License-Identifier: GPL-2.0
/*
 * Compiles the text of a filter to a program of comparisons; see
 * linux/trace_remote_filter.h for the program.
 *
 *	or	= and { "||" and }
 *	and	= not { "&&" not }
 *	not	= "!" not | "(" or ")" | field operator number
 *
 * Comparisons are emitted in the order in which they are read. Each has two exits,
 * and where they lead is not known until the text that follows has been read. Until
 * then an expression is represented by two sets of exits: those taken if it holds,
 * and those taken if it does not. A set is a mask with a bit for each exit.
 */
#include <linux/build_bug.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/trace_remote_filter.h>

#define EXIT_YES(i)	BIT_ULL(i)
#define EXIT_NO(i)	BIT_ULL(REMOTE_FILTER_MAX + (i))
static_assert(2 * REMOTE_FILTER_MAX <= 64);

/* Bounds the use of the stack; deeper nesting is useless with so few comparisons */
#define MAX_DEPTH	REMOTE_FILTER_MAX

/* The exits of an expression */
struct exits {
	u64	yes;
	u64	no;
};

struct parser {
	const char				*expr;
	const char				*pos;
	const struct remote_filter_field	*fields;
	struct remote_filter			*filter;
	struct remote_filter_error		*error;
	unsigned int				depth;
};

static int refuse(struct parser *p, const char *at, const char *text)
{
	p->error->text = text;
	p->error->pos = at - p->expr;
	return -EINVAL;
}

static void skip_space(struct parser *p)
{
	p->pos = skip_spaces(p->pos);
}

static bool take(struct parser *p, const char *token)
{
	size_t len = strlen(token);

	skip_space(p);
	if (strncmp(p->pos, token, len))
		return false;
	p->pos += len;
	return true;
}

/* Make these exits lead to comparison @next */
static void connect(struct parser *p, u64 exits, u8 next)
{
	unsigned int i;

	for (i = 0; i < p->filter->nr; i++) {
		if (exits & EXIT_YES(i))
			p->filter->insns[i].yes = next;
		if (exits & EXIT_NO(i))
			p->filter->insns[i].no = next;
	}
}

static int parse_field(struct parser *p, struct remote_filter_insn *insn)
{
	const struct remote_filter_field *field;
	const char *start;
	size_t len;

	skip_space(p);
	start = p->pos;
	while (isalnum(*p->pos) || *p->pos == '_')
		p->pos++;
	len = p->pos - start;
	if (!len)
		return refuse(p, start, "No filter found");

	for (field = p->fields; field->name; field++) {
		if (strlen(field->name) != len || strncmp(field->name, start, len))
			continue;
		insn->offset = field->offset;
		insn->size = field->size;
		insn->is_signed = field->is_signed;
		return 0;
	}
	return refuse(p, start, "Field not found");
}

static int parse_op(struct parser *p, struct remote_filter_insn *insn)
{
	/* A token comes before its own prefixes */
	static const struct {
		const char	*token;
		u8		op;
	} ops[] = {
		{ "==", REMOTE_FILTER_EQ }, { "!=", REMOTE_FILTER_NE },
		{ "<=", REMOTE_FILTER_LE }, { "<", REMOTE_FILTER_LT },
		{ ">=", REMOTE_FILTER_GE }, { ">", REMOTE_FILTER_GT },
	};
	unsigned int i;

	skip_space(p);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		if (take(p, ops[i].token)) {
			insn->op = ops[i].op;
			return 0;
		}
	}
	if (p->pos[0] == '&' && p->pos[1] != '&') {
		p->pos++;
		insn->op = REMOTE_FILTER_AND;
		return 0;
	}
	return refuse(p, p->pos, *p->pos == '~' ? "Illegal operation for field type" :
					       "Invalid operator");
}

static int parse_number(struct parser *p, struct remote_filter_insn *insn)
{
	const char *start;
	char num[32];
	size_t len;
	s64 val;

	skip_space(p);
	start = p->pos;
	if (*p->pos == '-')
		p->pos++;
	while (isalnum(*p->pos) || *p->pos == '_')
		p->pos++;
	len = p->pos - start;
	if (!len)
		return refuse(p, start, "Invalid value (did you forget quotes)?");
	if (len >= sizeof(num))
		return refuse(p, start, "Illegal integer value");

	memcpy(num, start, len);
	num[len] = '\0';
	if (kstrtou64(num, 0, &insn->value)) {
		if (kstrtos64(num, 0, &val))
			return refuse(p, start, "Illegal integer value");
		insn->value = val;
	}
	return 0;
}

static int parse_comparison(struct parser *p, struct exits *exits)
{
	struct remote_filter_insn *insn;
	u32 i = p->filter->nr;
	int ret;

	skip_space(p);
	if (i == REMOTE_FILTER_MAX)
		return refuse(p, p->pos, "Too many terms in predicate expression");

	insn = &p->filter->insns[i];
	*insn = (struct remote_filter_insn){};
	ret = parse_field(p, insn) ?: parse_op(p, insn) ?: parse_number(p, insn);
	if (ret)
		return ret;

	p->filter->nr++;
	*exits = (struct exits){ .yes = EXIT_YES(i), .no = EXIT_NO(i) };
	return 0;
}

static int parse_or(struct parser *p, struct exits *exits);

static int parse_group(struct parser *p, struct exits *exits)
{
	const char *open = p->pos - 1;
	int ret = parse_or(p, exits);

	if (ret)
		return ret;
	return take(p, ")") ? 0 : refuse(p, open, "Too many '('");
}

static int parse_not(struct parser *p, struct exits *exits)
{
	bool negate = false;
	int ret;

	while (take(p, "!"))
		negate = !negate;
	ret = take(p, "(") ? parse_group(p, exits) : parse_comparison(p, exits);
	if (negate)
		swap(exits->yes, exits->no);
	return ret;
}

static int parse_and(struct parser *p, struct exits *exits)
{
	struct exits right;
	int ret = parse_not(p, exits);

	while (!ret && take(p, "&&")) {
		connect(p, exits->yes, p->filter->nr);
		ret = parse_not(p, &right);
		exits->yes = right.yes;
		exits->no |= right.no;
	}
	return ret;
}

static int parse_or(struct parser *p, struct exits *exits)
{
	struct exits right;
	int ret;

	if (++p->depth > MAX_DEPTH)
		return refuse(p, p->pos, "Too many '('");

	ret = parse_and(p, exits);
	while (!ret && take(p, "||")) {
		connect(p, exits->no, p->filter->nr);
		ret = parse_and(p, &right);
		exits->no = right.no;
		exits->yes |= right.yes;
	}
	p->depth--;
	return ret;
}

int remote_filter_compile(const char *expr, const struct remote_filter_field *fields,
			  struct remote_filter *filter, struct remote_filter_error *error)
{
	struct parser p = {
		.expr = expr, .pos = expr, .fields = fields, .filter = filter, .error = error,
	};
	struct exits exits = {};
	int ret;

	filter->nr = 0;
	ret = parse_or(&p, &exits);
	if (ret)
		return ret;

	skip_space(&p);
	if (*p.pos == ')')
		return refuse(&p, p.pos, "Too few '('");
	if (*p.pos)
		return refuse(&p, p.pos, "Invalid operator");

	connect(&p, exits.yes, REMOTE_FILTER_PASS);
	connect(&p, exits.no, REMOTE_FILTER_FAIL);
	return 0;
}

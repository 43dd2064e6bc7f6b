// SPDX-License-Identifier: GPL-2.0
/*
 * Options of commands that print tables. See tableargs.h.
 */
#include "cmd/cmdline.h"
#include "cmd/tableargs.h"

static const struct argp_option options[] = {
	{ "unit", 'u', "UNIT", 0,
	  "print times in auto (four digits, each with its unit), or in ns, us, ms or s with all digits [auto]",
	  0 },
	{ "top", 'n', "N", 0, "print at most N rows of each table, and one for the others", 0 },
	{ "json", 'j', NULL, 0, "print one JSON document, all times in ns", 0 },
	{ 0 }
};

static int set_unit(struct tableargs *a, const char *arg)
{
	int unit = cmdline_word("unit", arg, unit_words);

	a->unit = unit;
	return unit < 0 ? -1 : 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tableargs *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->part;
		return 0;
	case 'u':
		return cmdline_told(set_unit(a, arg));
	case 'n':
		return cmdline_told(cmdline_number("top", arg, UINT32_MAX, &a->top));
	case 'j':
		a->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &scope_argp, 0, NULL, 0 },
	{ 0 }
};

const struct argp table_argp = {
	.options = options,
	.parser = parse,
	.children = children,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace query
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/queryout.h"
#include "export/sqlquery.h"
#include "lib/bytes.h"
#include "lib/log.h"

#define PROMPT		"hyptrace> "
#define PROMPT_MORE	"     ...> "

static const char doc[] =
	"Answers a question about recordings, in SQL, the language of SQLite. Each\n"
	"event is a row of the table 'event', and of a table of its own, such as\n"
	"'hyp_enter'. EL2 entries, hypercalls, world switches, delays and transitions\n"
	"of pages are tables as well. --list prints all tables, --columns=TABLE the\n"
	"columns of one. Times are in ns.\n"
	"\n"
	"The recordings are read in place, and nothing is ever written. Several ones\n"
	"are told apart by the column 'recording'.\n"
	"\vSQL is the last argument, and may be several statements; '-' stands for\n"
	"standard input. Without it, and if the last argument is a file, SQL is read\n"
	"from standard input as well; a terminal gets a prompt.\n"
	"\n"
	"SQL has no numbers above 2^63 - 1: an address above it is negative, and\n"
	"format('0x%x', ...) prints it. A value that is NULL is '-' in a table, and \\N\n"
	"as TSV.\n"
	"\n"
	"Exit status: 0 on success; 1 on errors, or if a file is corrupt in places; 2\n"
	"for a wrong command line.";

enum { OPT_LIST = CMDLINE_KEYS, OPT_COLUMNS, OPT_TSV };

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "print each row as a JSON object in a line", 0 },
	{ "tsv", OPT_TSV, NULL, 0,
	  "print values separated by tabs, with a backslash before a tab, a newline or a backslash",
	  0 },
	{ "list", OPT_LIST, NULL, 0, "print the tables and functions", 0 },
	{ "columns", OPT_COLUMNS, "TABLE", 0, "print the columns of TABLE", 0 },
	{ 0 }
};

/**
 * struct options - the command line
 * @arg:	files, and SQL
 * @list:	print the schema
 * @table:	of this table, or NULL
 * @format:	of results
 */
struct options {
	struct strlist arg;
	bool list;
	const char *table;
	enum queryout_format format;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'j':
		o->format = QUERYOUT_JSON;
		return 0;
	case OPT_TSV:
		o->format = QUERYOUT_TSV;
		return 0;
	case OPT_LIST:
	case OPT_COLUMNS:
		o->list = true;
		o->table = arg;
		return 0;
	case ARGP_KEY_ARG:
		return cmdline_told(strlist_add(&o->arg, arg));
	case ARGP_KEY_END:
		if (o->arg.nr)
			return 0;
		return cmdline_told(log_error("expected files and SQL, got nothing: see %s --help",
					      state->name));
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE... [SQL]\nFILE... -",
	.doc = doc,
};

/* SQL from standard input */

/* Return: what is left there, for free(); NULL with a message */
static char *read_all(void)
{
	struct bytes text = { 0 };
	char part[4096];
	size_t nr;

	while ((nr = fread(part, 1, sizeof(part), stdin)))
		bytes_add(&text, part, nr);
	if (ferror(stdin))
		log_error("cannot read standard input: %s", strerror(errno));
	bytes_add(&text, "", 1);
	if (!ferror(stdin) && !text.failed)
		return (char *)text.data;
	bytes_free(&text);
	return NULL;
}

/* Errors do not end it */
static int run_prompt(struct query *q, const struct query_sink *sink)
{
	struct bytes text = { 0 };
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	fputs(PROMPT, stdout);
	fflush(stdout);
	while (!text.failed && (len = getline(&line, &room, stdin)) >= 0) {
		bytes_add(&text, line, len + 1);
		if (text.failed)
			break;
		text.size--;
		if (sqlite3_complete((char *)text.data)) {
			query_run(q, (char *)text.data, sink);
			text.size = 0;
		}
		fputs(text.size ? PROMPT_MORE : PROMPT, stdout);
		fflush(stdout);
	}
	fputc('\n', stdout);
	free(line);
	bytes_free(&text);
	return text.failed ? -1 : 0;
}

static int run_sql(struct query *q, const char *sql, const struct query_sink *sink)
{
	char *text = NULL;
	int ret;

	if (!sql && isatty(STDIN_FILENO))
		return run_prompt(q, sink);
	if (!sql || !strcmp(sql, "-")) {
		text = read_all();
		if (!text)
			return -1;
		sql = text;
	}
	ret = query_run(q, sql, sink);
	free(text);
	return ret;
}

/* All */

static int open_files(const struct options *o, unsigned int nr, struct recordings *r)
{
	const struct input all = { 0 };
	struct datr *d;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		d = input_open_path(&all, o->arg.str[i]);
		if (!d || recordings_add(r, o->arg.str[i], d))
			return -1;
	}
	return 0;
}

static int answer(const struct options *o, struct query *q, const char *sql)
{
	struct queryout out = { .format = o->format, .out = stdout };
	struct query_sink sink = queryout_sink(&out);
	int ret;

	if (o->list && o->table)
		return query_print_table(q, o->table, stdout);
	if (o->list) {
		query_print_schema(q, stdout);
		return 0;
	}
	ret = run_sql(q, sql, &sink);
	queryout_free(&out);
	return ret;
}

/* The last argument is SQL, unless there is such a file, or the schema is asked for */
static const char *sql_of(const struct options *o)
{
	const char *last = o->arg.str[o->arg.nr - 1];

	return o->list || (strcmp(last, "-") && !access(last, F_OK)) ? NULL : last;
}

static int run(const struct options *o)
{
	struct recordings r = { 0 };
	const char *sql = sql_of(o);
	struct query *q = NULL;
	int ret;

	if (sql && o->arg.nr == 1) {
		log_error("expected a file, got only '%s': see hyptrace query --help", sql);
		return EXIT_USAGE;
	}
	ret = open_files(o, sql ? o->arg.nr - 1 : o->arg.nr, &r);
	if (!ret)
		q = query_new(&r);
	if (q)
		ret = answer(o, q, sql);
	else
		ret = -1;
	query_free(q);
	if (recordings_check(&r))
		ret = -1;
	recordings_free(&r);
	return cmdline_exit(ret);
}

int query_main(int argc, char **argv)
{
	struct options o = { 0 };
	int ret = EXIT_USAGE;

	if (!cmdline_parse(&argp, argc, argv, 0, &o))
		ret = run(&o);
	strlist_free(&o.arg);
	return ret;
}

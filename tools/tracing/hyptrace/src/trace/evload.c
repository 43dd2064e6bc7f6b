// SPDX-License-Identifier: GPL-2.0
/*
 * Loads the description of events into libtraceevent. See evload.h.
 */
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/log.h"
#include "lib/util.h"
#include "trace/evload.h"
#include "trace/evstrings.h"
#include "trace/fmtcheck.h"
#include "trace/fmtconv.h"
#include "trace/fmtrepair.h"

/* libtraceevent uses the fields of the first ftrace/bprint for the records of another */
static bool is_second_bprint(struct tep_handle *tep, const char *system, const char *text,
			     size_t size)
{
	static const char name[] = "name: bprint\n";

	return !strcmp(system, "ftrace") && size >= strlen(name) &&
	       !memcmp(text, name, strlen(name)) &&
	       tep_find_event_by_name(tep, system, "bprint");
}

/* Return: false if it is refused */
static bool parse(struct tep_handle *tep, const char *system, const char *text, size_t size)
{
	size_t fields_end;

	switch (fmt_check(text, size, &fields_end)) {
	case FMT_FULL:
		tep_parse_event(tep, text, size, system);
		return true;
	case FMT_FIELDS:
		/* Without its "print fmt"; evdb_print() then shows the fields */
		tep_parse_event(tep, text, fields_end, system);
		return true;
	case FMT_BAD:
		break;
	}
	return false;
}

static void add_format(void *ctx, const char *system, const char *text,
		       size_t size)
{
	struct tep_handle *tep = ctx;
	char *simple;

	if (is_second_bprint(tep, system, text, size) || parse(tep, system, text, size))
		return;
	simple = fmt_repair(text, size);
	if (simple)
		parse(tep, system, simple, strlen(simple));
	free(simple);
}

struct comm_taker {
	evload_comm_fn fn;
	void *ctx;
};

/* A line of saved_cmdlines: PID COMM */
static void add_comm(void *ctx, char *line)
{
	const struct comm_taker *c = ctx;
	char *comm;
	long pid = strtol(line, &comm, 10);

	if (comm != line && *comm == ' ' && pid >= 0)
		c->fn(c->ctx, pid, comm + 1);
}

static void register_comm(void *tep, s32 pid, const char *comm)
{
	tep_register_comm(tep, comm, pid);
}

/* A line of kallsyms: ADDRESS TYPE NAME, and maybe a module */
static void add_symbol(void *tep, char *line)
{
	char *rest, *name, *module;
	unsigned long long addr = strtoull(line, &rest, 16);

	if (rest == line || rest[0] != ' ' || !rest[1] || rest[2] != ' ')
		return;
	rest += 3;
	name = strsep(&rest, "\t");
	module = rest;
	if (addr && *name)
		tep_register_function(tep, name, addr, module);
}

struct string_taker {
	struct tep_handle *tep;
	struct evstrings *strings;
	bool failed;
};

/*
 * The library removes a quote at the front, then looks at the last three characters without
 * checking that they exist
 */
static bool add_printk(struct tep_handle *tep, const char *text, u64 addr)
{
	return strlen(text) >= 3 && *text != '"' && fmt_check_printk(text) &&
	       !tep_register_print_string(tep, text, addr);
}

/* A line of printk_formats: 0xADDRESS : "STRING" */
static void add_string(void *ctx, char *line)
{
	struct string_taker *t = ctx;
	char *rest, *end;
	unsigned long long addr = strtoull(line, &rest, 16);

	if (rest == line || strncmp(rest, " : \"", 4))
		return;
	rest += 4;
	end = strrchr(rest, '"');
	if (!end)
		return;
	*end = '\0';
	if (evstrings_add(t->strings, addr, rest, add_printk(t->tep, rest, addr)))
		t->failed = true;
}

/* Call @add for each line of a section. Return: -1 with a message if memory ran out */
static int add_lines(const struct datr *d, enum dat_id id,
		     void (*add)(void *ctx, char *line), void *ctx)
{
	const char *text, *end, *eol;
	size_t size, room = 0;
	char *line = NULL;
	int ret = 0;

	text = datr_blob(d, id, &size);
	if (!text)
		return 0;
	for (end = text + size; text < end; text = eol + 1) {
		eol = memchr(text, '\n', end - text) ?: end;
		ret = array_room(&line, &room, eol - text + 1, 1);
		if (ret)
			break;
		memcpy(line, text, eol - text);
		line[eol - text] = '\0';
		add(ctx, line);
	}
	free(line);
	return ret ? log_oom() : 0;
}

int evload_comms(const struct datr *d, evload_comm_fn fn, void *ctx)
{
	struct comm_taker c = { fn, ctx };

	return add_lines(d, DAT_CMDLINES, add_comm, &c);
}

int evload(struct tep_handle *tep, struct evstrings *strings, const struct datr *d)
{
	struct string_taker t = { .tep = tep, .strings = strings };

	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(tep, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tep, TEP_LITTLE_ENDIAN);
	tep_set_long_size(tep, 8);
	if (datr_formats(d, add_format, tep) || evload_comms(d, register_comm, tep) ||
	    add_lines(d, DAT_KALLSYMS, add_symbol, tep) ||
	    add_lines(d, DAT_PRINTK, add_string, &t))
		return -1;
	return t.failed ? log_oom() : 0;
}

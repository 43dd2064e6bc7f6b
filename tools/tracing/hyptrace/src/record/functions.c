// SPDX-License-Identifier: GPL-2.0
/*
 * The function graph tracer of a remote. See functions.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "record/functions.h"

#define LIST	"set_graph_function"
#define TRACER	"current_tracer"

/* The file takes a list of words; one that matches no function is refused alone */
static int try_word(const struct tdir *d, const char *word)
{
	int ret = tdir_try(d, NULL, LIST, word);

	if (ret >= -1)
		return ret;
	if (ret == -EINVAL)
		return log_error("no function '%s' at EL2: expected one of available_filter_functions, or a pattern",
				 word);
	return log_error("cannot trace the function '%s': %s", word, strerror(-ret));
}

static char *join(const struct strlist *words)
{
	char *text = xasprintf("%s", ""), *longer;
	unsigned int i;

	for (i = 0; text && i < words->nr; i++) {
		longer = xasprintf("%s %s", text, words->str[i]);
		free(text);
		text = longer;
	}
	return text;
}

static int set_list(const struct tdir *d, struct undo *undo, const struct strlist *functions)
{
	unsigned int i;
	char *all;
	int ret;

	/* What was there is noted once */
	if (tdir_change(d, undo, LIST, ""))
		return -1;
	for (i = 0; i < functions->nr; i++) {
		if (try_word(d, functions->str[i]))
			return -1;
	}
	all = join(functions);
	ret = all ? tdir_write(d, LIST, all) : -1;
	free(all);
	return ret;
}

int functions_graph(const struct tdir *d, struct undo *undo, const struct strlist *functions)
{
	if (set_list(d, undo, functions))
		return -1;
	return tdir_change(d, undo, TRACER, "function_graph");
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Why a guest was left. See exitname.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/exitname.h"
#include "lib/log.h"

#define CLASS_SHIFT	26

u32 exit_index(struct evdb *db, const struct rbevent *ev)
{
	u32 code = evdb_field(db, ev, "code") & 0xff;
	u32 class = evdb_field(db, ev, "esr") >> CLASS_SHIFT & (BIT(EXIT_CLASS_BITS) - 1);

	return code << EXIT_CLASS_BITS | class;
}

const char *exit_name(struct evdb *db, const struct rbevent *ev)
{
	const char *word = evdb_word(db, ev, "code");

	if (word && !strcmp(word, "TRAP"))
		word = evdb_word(db, ev, "ec");
	return word ? word : "?";
}

struct exitnames {
	char *name[NR_EXITS];
};

struct exitnames *exitnames_new(void)
{
	struct exitnames *e = calloc(1, sizeof(*e));

	if (!e)
		log_oom();
	return e;
}

void exitnames_free(struct exitnames *e)
{
	u32 i;

	if (!e)
		return;
	for (i = 0; i < NR_EXITS; i++)
		free(e->name[i]);
	free(e);
}

const char *exitnames_get(struct exitnames *e, struct evdb *db, const struct rbevent *ev)
{
	char **name = &e->name[exit_index(db, ev)];

	if (!*name)
		*name = strdup(exit_name(db, ev));
	return *name ? *name : "?";
}

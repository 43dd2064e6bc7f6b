// SPDX-License-Identifier: GPL-2.0
/*
 * The events of all recordings. See eventkinds.h.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "export/sqleventkinds.h"
#include "lib/array.h"
#include "lib/log.h"
#include "lib/util.h"

/* Where the events of a recording are added */
struct kinds_reading {
	struct eventkinds *e;
	struct evdb *db;
};

static void fail(struct eventkinds *e)
{
	if (!e->failed)
		log_oom();
	e->failed = true;
}

static void free_kind(struct eventkind *k)
{
	if (!k)
		return;
	while (k->nr)
		free(k->field[--k->nr].name);
	free(k->field);
	free(k->table);
	free(k->system);
	free(k->name);
	free(k);
}

/* What is in a tree belongs to an array */
static void no_free(void *node)
{
	(void)node;
}

static struct eventfield *find_field(const struct eventkind *k, const char *name)
{
	size_t i;

	for (i = 0; i < k->nr; i++) {
		if (!strcmp(k->field[i].name, name))
			return &k->field[i];
	}
	return NULL;
}

static void add_field(struct eventkinds *e, struct eventkind *k, const struct evdb_field_kind *f)
{
	char *name;

	if (!f->name || find_field(k, f->name))
		return;
	name = strdup(f->name);
	if (!name || array_room(&k->field, &k->room, k->nr + 1, sizeof(*k->field))) {
		free(name);
		fail(e);
		return;
	}
	k->field[k->nr++] = (struct eventfield) { .name = name, .string = f->string };
}

static int compare_kinds(const void *a, const void *b)
{
	const struct eventkind *x = a, *y = b;

	return strcmp(x->system, y->system) ?: strcmp(x->name, y->name);
}

static struct eventkind *new_kind(const struct evdb_head *h)
{
	struct eventkind *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->system = strdup(h->system);
	k->name = strdup(h->name);
	if (k->system && k->name)
		return k;
	free_kind(k);
	return NULL;
}

static struct eventkind *get_kind(struct eventkinds *e, const struct evdb_head *h)
{
	struct eventkind wanted = { .system = (char *)h->system, .name = (char *)h->name };
	struct eventkind **found = tfind(&wanted, &e->by_name, compare_kinds), *k;

	if (found)
		return *found;
	if (array_room(&e->kind, &e->room, e->nr + 1, sizeof(*e->kind)))
		return NULL;
	k = new_kind(h);
	if (!k || !tsearch(k, &e->by_name, compare_kinds)) {
		free_kind(k);
		return NULL;
	}
	e->kind[e->nr++] = k;
	return k;
}

static void take_event(void *ctx, const struct evdb_head *h)
{
	struct kinds_reading *r = ctx;
	struct eventkind *k = get_kind(r->e, h);
	struct evdb_field_kind f;
	unsigned int i;

	if (!k) {
		fail(r->e);
		return;
	}
	for (i = 0; evdb_field_at(r->db, h->system, h->name, i, &f); i++)
		add_field(r->e, k, &f);
}

static int compare(const void *a, const void *b)
{
	return compare_kinds(*(struct eventkind *const *)a, *(struct eventkind *const *)b);
}

int eventkinds_read(struct eventkinds *e, const struct recordings *r)
{
	struct kinds_reading reading = { .e = e };
	unsigned int guest;
	size_t i;

	for (i = 0; i < r->nr; i++) {
		for (guest = 0; guest <= datr_nr_guests(r->recording[i].d); guest++) {
			reading.db = evdb_of(r->recording[i].db, guest);
			evdb_each(reading.db, take_event, &reading);
		}
	}
	if (e->failed)
		return -1;
	if (e->nr)
		qsort(e->kind, e->nr, sizeof(*e->kind), compare);
	return 0;
}

/* Names */

static int compare_names(const void *a, const void *b)
{
	return strcasecmp(a, b);
}

/* Take @name, which belongs to @k then, if it is free. Return: 1, 0 if not, -1 with a message */
static int take_name(struct eventkind *k, char *name, void **names,
		     bool (*is_taken)(const char *name))
{
	if (!name)
		return -1;
	if (is_taken(name) || tfind(name, names, compare_names)) {
		free(name);
		return 0;
	}
	k->table = name;
	return tsearch(name, names, compare_names) ? 1 : log_oom();
}

static int choose_name(struct eventkind *k, size_t i, bool unique, void **names,
		       bool (*is_taken)(const char *name))
{
	int ret = unique ? take_name(k, xasprintf("%s", k->name), names, is_taken) : 0;

	if (!ret)
		ret = take_name(k, xasprintf("%s_%s", k->system, k->name), names, is_taken);
	/* what is left are names that no kernel has */
	if (!ret)
		ret = take_name(k, xasprintf("event_%zu", i), names, is_taken);
	return ret < 0 ? -1 : 0;
}

static int compare_pointers(const void *a, const void *b)
{
	const struct eventkind *x = *(struct eventkind *const *)a;
	const struct eventkind *y = *(struct eventkind *const *)b;

	return strcasecmp(x->name, y->name);
}

static bool same_name(struct eventkind *const *sorted, size_t nr, size_t i, size_t j)
{
	return j < nr && !compare_pointers(&sorted[i], &sorted[j]);
}

static int choose_names(struct eventkind *const *sorted, size_t nr,
			bool (*is_taken)(const char *name))
{
	void *names = NULL;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < nr; i++)
		ret = choose_name(sorted[i], i, !same_name(sorted, nr, i, i - 1) &&
				  !same_name(sorted, nr, i, i + 1), &names, is_taken);
	tdestroy(names, no_free);
	return ret;
}

int eventkinds_name(struct eventkinds *e, bool (*is_taken)(const char *name))
{
	struct eventkind **sorted = calloc(e->nr + 1, sizeof(*sorted));
	int ret;

	if (!sorted)
		return log_oom();
	memcpy(sorted, e->kind, e->nr * sizeof(*sorted));
	qsort(sorted, e->nr, sizeof(*sorted), compare_pointers);
	ret = choose_names(sorted, e->nr, is_taken);
	free(sorted);
	return ret;
}

void eventkinds_free(struct eventkinds *e)
{
	tdestroy(e->by_name, no_free);
	while (e->nr)
		free_kind(e->kind[--e->nr]);
	free(e->kind);
	*e = (struct eventkinds) { 0 };
}

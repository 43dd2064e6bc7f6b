// SPDX-License-Identifier: GPL-2.0
/*
 * The lists of the page of "export --html". See htmllists.h.
 */
#include <stdlib.h>
#include <string.h>

#include "export/htmllists.h"
#include "export/intern.h"
#include "lib/log.h"

/* Events that are remembered, and lines */
#define NR_RECENT	1024

/**
 * struct recent_event - an event that occurred, and its kind
 * @name:	its name, as evdb_head() points to it; NULL if there is none here yet
 * @pid:	its task
 * @cpu:	its CPU
 * @buffer:	its buffer
 * @guest:	its guest, or 0
 * @kind:	its kind
 */
struct recent_event {
	const char *name;
	s32 pid;
	unsigned int cpu;
	unsigned int buffer;
	unsigned int guest;
	u32 kind;
};

#define LINE_SIZE	120

/**
 * struct recent_line - a line that occurred
 * @text:	the text, "" if there is none here yet
 * @line:	its index
 */
struct recent_line {
	char text[LINE_SIZE];
	u32 line;
};

struct htmllists {
	const struct datr *d;
	struct evdb *db;
	struct intern *words;
	struct intern *lines;
	struct intern *tasks;
	struct intern *kinds;
	struct intern *places;
	struct bytes key;	/* for look-ups */
	struct bytes line;	/* the same */
	struct recent_event recent[NR_RECENT];
	struct recent_line recent_line[NR_RECENT];
};

static u32 word(struct htmllists *l, const char *text, size_t size)
{
	l->key.size = 0;
	bytes_text(&l->key, text, size);
	return intern_get(l->words, &l->key);
}

static u32 line(struct htmllists *l, const char *text)
{
	struct bytes *key = &l->line;
	const char *p;
	size_t len;
	u32 nr = 1;

	for (p = text; (p = strchr(p, ' ')); p++)
		nr++;
	key->size = 0;
	bytes_varint(key, nr);
	for (;; text += len + 1) {
		len = strchrnul(text, ' ') - text;
		bytes_varint(key, word(l, text, len));
		if (!text[len])
			return intern_get(l->lines, key);
	}
}

static u32 task(struct htmllists *l, s32 pid)
{
	const char *comm = pid == TIMES_UNKNOWN ? "" : evdb_comm(l->db, pid);
	u32 name = word(l, comm, strlen(comm));

	l->key.size = 0;
	bytes_signed(&l->key, pid);
	bytes_varint(&l->key, name);
	return intern_get(l->tasks, &l->key);
}

static u32 kind(struct htmllists *l, enum entry what, const struct merged *ev,
		const struct evdb_head *head)
{
	enum side side = merged_side(l->d, ev);
	u32 t = task(l, head->pid);
	u32 system = word(l, head->system, strlen(head->system));
	u32 name = word(l, head->name, strlen(head->name));

	l->key.size = 0;
	bytes_varint(&l->key, what);
	bytes_varint(&l->key, side);
	bytes_varint(&l->key, ev->cpu);
	bytes_varint(&l->key, t);
	bytes_varint(&l->key, system);
	bytes_varint(&l->key, name);
	return intern_get(l->kinds, &l->key);
}

/* Of an event that is known: the same name is always at the same place in memory */
static u32 known_kind(struct htmllists *l, const struct merged *ev, const struct evdb_head *head)
{
	size_t i = (size_t)head->name / 16 + 31 * (u32)head->pid + 7 * ev->cpu + ev->buffer +
		   3 * ev->guest;
	struct recent_event *r = &l->recent[i % NR_RECENT];

	if (r->name != head->name || r->pid != head->pid || r->cpu != ev->cpu ||
	    r->buffer != ev->buffer || r->guest != ev->guest)
		*r = (struct recent_event) {
			head->name, head->pid, ev->cpu, ev->buffer, ev->guest,
			kind(l, ENTRY_EVENT, ev, head),
		};
	return r->kind;
}

u32 htmllists_kind(struct htmllists *l, enum entry what, const struct merged *ev,
		   const struct evdb_head *head)
{
	return what == ENTRY_EVENT ? known_kind(l, ev, head) : kind(l, what, ev, head);
}

u32 htmllists_place(struct htmllists *l, const struct times_span *s)
{
	u32 t = task(l, s->task->id);

	l->key.size = 0;
	bytes_varint(&l->key, s->place);
	bytes_varint(&l->key, t);
	bytes_varint(&l->key, s->vcpu ? 1 + s->vcpu->named : 0);
	if (s->vcpu && s->vcpu->named) {
		bytes_varint(&l->key, s->vcpu->vm);
		bytes_varint(&l->key, s->vcpu->vcpu);
	}
	return intern_get(l->places, &l->key);
}

u32 htmllists_word(struct htmllists *l, const char *text)
{
	return word(l, text, strlen(text));
}

u32 htmllists_line(struct htmllists *l, const char *text)
{
	struct recent_line *r;
	u32 hash = 0;
	size_t size;

	for (size = 0; text[size]; size++)
		hash = hash * 31 + (u8)text[size];
	if (!size || ++size > LINE_SIZE)
		return line(l, text);
	r = &l->recent_line[(hash ^ hash >> 16) % NR_RECENT];
	if (memcmp(r->text, text, size)) {
		memcpy(r->text, text, size);
		r->line = line(l, text);
	}
	return r->line;
}

void htmllists_set_db(struct htmllists *l, struct evdb *db)
{
	l->db = db;
}

struct htmllists *htmllists_new(const struct datr *d)
{
	struct htmllists *l = calloc(1, sizeof(*l));

	if (!l) {
		log_oom();
		return NULL;
	}
	l->d = d;
	l->words = intern_new();
	l->lines = intern_new();
	l->tasks = intern_new();
	l->kinds = intern_new();
	l->places = intern_new();
	if (!l->words || !l->lines || !l->tasks || !l->kinds || !l->places) {
		htmllists_free(l);
		return NULL;
	}
	task(l, TIMES_UNKNOWN);	/* the first one */
	return l;
}

void htmllists_write(const struct htmllists *l, struct bytes *out)
{
	intern_write(l->words, out);
	intern_write(l->lines, out);
	intern_write(l->tasks, out);
	intern_write(l->kinds, out);
	intern_write(l->places, out);
}

void htmllists_free(struct htmllists *l)
{
	if (!l)
		return;
	intern_free(l->words);
	intern_free(l->lines);
	intern_free(l->tasks);
	intern_free(l->kinds);
	intern_free(l->places);
	bytes_free(&l->key);
	bytes_free(&l->line);
	free(l);
}

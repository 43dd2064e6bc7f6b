// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of events in SQLite. See eventtable.h.
 *
 * Events are read in place. Conditions on the recording, the timestamp, the CPU, the side and
 * the name are pushed down: sub-buffers that cannot have such events are not read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "export/sqleventtable.h"
#include "export/sqltabletype.h"
#include "export/sqlvtabs.h"
#include "lib/log.h"
#include "trace/eventjson.h"
#include "trace/merge.h"

/* Columns but the fields, which are in front of COLUMN_TEXT */
enum column {
	COLUMN_RECORDING,
	COLUMN_TS,
	COLUMN_CPU,
	COLUMN_SIDE,
	COLUMN_GUEST,
	COLUMN_PID,
	COLUMN_COMM,
	NR_FRONT_COLUMNS,
	/* of the table of all events */
	COLUMN_SYSTEM = NR_FRONT_COLUMNS,
	COLUMN_NAME,
	COLUMN_FIELDS,
	/* of all tables, at the end */
	COLUMN_TEXT,
	COLUMN_LOST,
	NR_COLUMNS
};

static const struct query_column columns[NR_COLUMNS] = {
	[COLUMN_RECORDING] = RECORDING_COLUMN,
	[COLUMN_TS]	= { "ts", "INTEGER", "timestamp, in ns" },
	[COLUMN_CPU]	= CPU_COLUMN,
	[COLUMN_SIDE]	= { "side", "TEXT", "whose event it is: 'host', 'hyp' or 'guest'" },
	[COLUMN_GUEST]	= { "guest", "TEXT", "name of the guest, or NULL" },
	[COLUMN_PID]	= { "pid", "INTEGER", "the task; NULL at a corrupt place" },
	[COLUMN_COMM]	= COMM_COLUMN,
	[COLUMN_SYSTEM]	= { "system", "TEXT", "the event's system, such as 'hypervisor'" },
	[COLUMN_NAME]	= { "name", "TEXT", "the event's name; NULL at a corrupt place" },
	[COLUMN_FIELDS]	= { "fields", "TEXT", "its fields, a JSON object: fields->>'reason'" },
	[COLUMN_TEXT]	= { "text", "TEXT", "as report prints it, without its name" },
	[COLUMN_LOST]	= { "lost", "INTEGER",
			    "events lost right before it, on its CPU and side; NULL if not known" },
};

/**
 * struct place - where the events of a table are, in a recording or in that of a guest
 * @id:		the number of the event, or -1
 * @at:		of each field, its place in this format, or -1
 */
struct place {
	int id;
	int *at;
};

/**
 * struct event_scan - a scan
 * @scan:	what all scans have
 * @part:	what of each recording
 * @to:		the last timestamp
 * @name:	only events of this name, or NULL
 * @merge:	events of the current recording, or NULL
 * @corrupt:	its corrupt places
 * @place:	of it and each of its guests; only if the table is of one event
 * @nr_places:	how many
 * @ev:		the event
 * @over:	there are no more
 */
struct event_scan {
	struct vtabs_scan scan;
	struct merge_part part;
	u64 to;
	char *name;
	struct merge *merge;
	struct corrupt corrupt;
	struct place *place;
	unsigned int nr_places;
	struct merged ev;
	bool over;
};

/* Columns */

/* A field may have the name of another column; names are the same in any case */
static bool is_taken(const char *name)
{
	unsigned int i;

	for (i = 0; i < NR_COLUMNS; i++) {
		if (!strcasecmp(columns[i].name, name))
			return true;
	}
	return false;
}

const char *eventtable_what(const char *column)
{
	unsigned int i;

	for (i = 0; i < NR_COLUMNS; i++) {
		if (!strcmp(columns[i].name, column))
			return columns[i].what;
	}
	return NULL;
}

static void declare_fields(sqlite3_str *sql, const struct eventkind *kind)
{
	size_t i;

	for (i = 0; i < kind->nr; i++)
		sqlite3_str_appendf(sql, ", \"%w%s\" %s", kind->field[i].name,
				    is_taken(kind->field[i].name) ? "_" : "",
				    kind->field[i].string ? "TEXT" : "INTEGER");
}

static int declare(sqlite3 *db, const void *of)
{
	const struct eventkind *kind = of;
	sqlite3_str *sql = sqlite3_str_new(db);
	unsigned int i;

	sqlite3_str_appendall(sql, "CREATE TABLE x(");
	for (i = 0; i < NR_COLUMNS; i++) {
		if (kind && i == COLUMN_TEXT)
			declare_fields(sql, kind);
		if (kind && i >= NR_FRONT_COLUMNS && i < COLUMN_TEXT)
			continue;
		sqlite3_str_appendf(sql, "%s%s %s", i ? ", " : "", columns[i].name,
				    columns[i].type);
	}
	sqlite3_str_appendall(sql, ")");
	return vtabs_declare(db, sql);
}

/* What the i-th column is; NR_COLUMNS for a field, whose index is in @field */
static enum column column_of(const struct eventkind *kind, int i, size_t *field)
{
	*field = 0;
	if (!kind || i < NR_FRONT_COLUMNS)
		return i;
	*field = i - NR_FRONT_COLUMNS;
	return *field < kind->nr ? NR_COLUMNS : COLUMN_TEXT + (*field - kind->nr);
}

/* The letter of a condition that can be pushed down, 0 for others */
static char letter_of(const struct eventkind *kind, sqlite3_index_info *info, int i)
{
	const struct sqlite3_index_constraint *c = &info->aConstraint[i];
	size_t field;
	enum column column = column_of(kind, c->iColumn, &field);

	if (c->iColumn < 0 || !c->usable || strcmp(sqlite3_vtab_collation(info, i), "BINARY"))
		return 0;
	switch (c->op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		return column == COLUMN_RECORDING ? 'r' : column == COLUMN_CPU ? 'c' :
		       column == COLUMN_SIDE ? 's' : column == COLUMN_TS ? '=' :
		       column == COLUMN_NAME && !kind ? 'n' : 0;
	case SQLITE_INDEX_CONSTRAINT_GE:
	case SQLITE_INDEX_CONSTRAINT_GT:
		return column == COLUMN_TS ? '>' : 0;
	case SQLITE_INDEX_CONSTRAINT_LE:
	case SQLITE_INDEX_CONSTRAINT_LT:
		return column == COLUMN_TS ? '<' : 0;
	default:
		return 0;
	}
}

/* Events come by recording, then by timestamp; @one: there is one recording */
static bool is_in_order(const sqlite3_index_info *info, bool one)
{
	int i = 0;

	if (i < info->nOrderBy && info->aOrderBy[i].iColumn == COLUMN_RECORDING &&
	    !info->aOrderBy[i].desc) {
		one = true;
		i++;
	}
	if (one && i < info->nOrderBy &&
	    info->aOrderBy[i].iColumn == COLUMN_TS && !info->aOrderBy[i].desc)
		i++;
	return info->nOrderBy && i == info->nOrderBy;
}

static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct vtabs_source *s = vtabs_source(vtab);
	struct vtabs_plan p = { .info = info };
	bool one = s->r->nr == 1;
	char letter;
	int i;

	info->estimatedCost = 1e7;
	info->estimatedRows = 10000000;
	for (i = 0; i < info->nConstraint; i++) {
		letter = letter_of(s->of, info, i);
		if (!letter)
			continue;
		vtabs_push(&p, i, letter);
		one |= letter == 'r';
		info->estimatedCost /= letter == '=' ? 1000 : 10;
		info->estimatedRows = info->estimatedCost;
	}
	info->orderByConsumed = is_in_order(info, one);
	return vtabs_plan_end(&p);
}

/* The scan */

static const struct eventkind *kind_of(const struct event_scan *s)
{
	return vtabs_source(s->scan.base.pVtab)->of;
}

static void end_recording(struct event_scan *s)
{
	merge_free(s->merge);
	s->merge = NULL;
	while (s->nr_places)
		free(s->place[--s->nr_places].at);
	free(s->place);
	s->place = NULL;
}

static void reset(struct event_scan *s)
{
	end_recording(s);
	free(s->name);
	s->name = NULL;
}

static int close_scan(sqlite3_vtab_cursor *cursor)
{
	struct event_scan *s = (struct event_scan *)cursor;

	reset(s);
	sqlite3_free(s);
	return SQLITE_OK;
}

static int find_place(const struct eventkind *kind, struct evdb *db, struct place *p)
{
	struct evdb_field_kind f;
	unsigned int i;
	size_t j;

	p->id = evdb_id(db, kind->system, kind->name);
	p->at = calloc(kind->nr + 1, sizeof(*p->at));
	if (!p->at)
		return log_oom();
	for (j = 0; j < kind->nr; j++)
		p->at[j] = -1;
	for (i = 0; evdb_field_at(db, kind->system, kind->name, i, &f); i++) {
		for (j = 0; f.name && j < kind->nr; j++) {
			if (!strcmp(kind->field[j].name, f.name))
				p->at[j] = i;
		}
	}
	return 0;
}

static int find_places(struct event_scan *s, const struct eventkind *kind)
{
	unsigned int nr = datr_nr_guests(s->scan.recording->d) + 1;

	s->place = calloc(nr, sizeof(*s->place));
	if (!s->place)
		return log_oom();
	for (; s->nr_places < nr; s->nr_places++) {
		if (find_place(kind, evdb_of(s->scan.recording->db, s->nr_places),
			       &s->place[s->nr_places]))
			return -1;
	}
	return 0;
}

static int begin_recording(struct event_scan *s)
{
	const struct vtabs_source *src = vtabs_source(s->scan.base.pVtab);

	s->scan.recording = &src->r->recording[s->scan.next++];
	s->corrupt = (struct corrupt) { 0 };
	if (src->of && find_places(s, src->of))
		return -1;
	s->merge = merge_new_part(s->scan.recording->d, &s->part);
	return s->merge ? 0 : -1;
}

static struct evdb *db_of(const struct event_scan *s)
{
	return evdb_of(s->scan.recording->db, s->ev.guest);
}

static bool is_wanted(struct event_scan *s)
{
	const struct merged *ev = &s->ev;

	if (!ev->ev.data) {
		corrupt_take(&s->corrupt, ev);
		return !s->place && !s->name;
	}
	if (ev->ev.ts < s->part.from)
		return false;
	if (s->place)
		return evdb_has_id(&ev->ev, s->place[ev->guest].id);
	return !s->name || !strcmp(evdb_name(db_of(s), &ev->ev), s->name);
}

/* Go to the next row, or to the end */
static int advance(struct event_scan *s)
{
	for (;;) {
		while (s->merge && merge_next_until(s->merge, s->to, &s->ev)) {
			if (is_wanted(s))
				return SQLITE_OK;
		}
		if (s->merge)
			recording_corrupt(s->scan.recording, &s->corrupt);
		end_recording(s);
		s->over = s->scan.next >= s->scan.end;
		if (s->over)
			return SQLITE_OK;
		if (begin_recording(s))
			return vtabs_told(s->scan.base.pVtab);
	}
}

/* Conditions. SQLite checks each as well, so they may let too much pass */

static bool integer_of(sqlite3_value *v, sqlite3_int64 *out)
{
	*out = sqlite3_value_int64(v);
	return sqlite3_value_numeric_type(v) == SQLITE_INTEGER;
}

static void limit_time(struct event_scan *s, char letter, sqlite3_value *v)
{
	sqlite3_int64 ts;

	if (!integer_of(v, &ts))
		return;
	if (ts < 0)
		ts = 0;
	if (letter != '<' && (u64)ts > s->part.from)
		s->part.from = ts;
	if (letter != '>' && (u64)ts < s->to)
		s->to = ts;
}

static void limit_cpu(struct event_scan *s, sqlite3_value *v)
{
	sqlite3_int64 cpu;

	if (!integer_of(v, &cpu))
		return;
	s->part.by_cpu = true;
	s->part.cpu = cpu < 0 || cpu >= MAX_CPUS ? MAX_CPUS : cpu;
}

static void limit_side(struct event_scan *s, sqlite3_value *v)
{
	const char *word = (const char *)sqlite3_value_text(v);
	enum side side = HOST;

	while (word && side < NR_ALL_SIDES && strcmp(side_name(side), word))
		side++;
	s->part.by_side = word;
	s->part.side = side;
}

static int limit_name(struct event_scan *s, sqlite3_value *v)
{
	const char *name = (const char *)sqlite3_value_text(v);

	if (!name || s->name)
		return 0;
	s->name = strdup(name);
	return s->name ? 0 : log_oom();
}

static int limit(struct event_scan *s, char letter, sqlite3_value *v)
{
	switch (letter) {
	case 'r':
		vtabs_limit(&s->scan, v);
		break;
	case 'c':
		limit_cpu(s, v);
		break;
	case 's':
		limit_side(s, v);
		break;
	case 'n':
		return limit_name(s, v);
	default:
		limit_time(s, letter, v);
		break;
	}
	return 0;
}

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *plan, int argc,
		  sqlite3_value **argv)
{
	struct event_scan *s = (struct event_scan *)cursor;
	int i;

	(void)number;
	reset(s);
	s->part = (struct merge_part) { 0 };
	s->to = UINT64_MAX;
	vtabs_restart(&s->scan);
	for (i = 0; i < argc; i++) {
		if (limit(s, plan[i], argv[i]))
			return vtabs_told(cursor->pVtab);
	}
	return advance(s);
}

static int next(sqlite3_vtab_cursor *cursor)
{
	struct event_scan *s = (struct event_scan *)cursor;

	s->scan.rowid++;
	return advance(s);
}

static int eof(sqlite3_vtab_cursor *cursor)
{
	return ((struct event_scan *)cursor)->over;
}

/* Values */

static int put_fields(const struct event_scan *s, sqlite3_context *out)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return SQLITE_NOMEM;
	eventjson_fields(f, db_of(s), &s->ev.ev);
	if (fclose(f)) {
		free(text);
		return SQLITE_NOMEM;
	}
	sqlite3_result_text64(out, text, size, free, SQLITE_UTF8);
	return SQLITE_OK;
}

static void put_field(const struct event_scan *s, size_t field, sqlite3_context *out)
{
	int at = s->place[s->ev.guest].at[field];
	struct evdb_value v;

	if (at < 0 || !evdb_value_at(db_of(s), &s->ev.ev, at, &v))
		return;
	if (v.string)
		sqlite3_result_text(out, v.string, v.length, SQLITE_TRANSIENT);
	else
		sqlite3_result_int64(out, v.integer);
}

static void put_text(const struct event_scan *s, sqlite3_context *out)
{
	if (s->ev.ev.data)
		sqlite3_result_text(out, evdb_text(db_of(s), &s->ev.ev, s->ev.cpu), -1,
				    SQLITE_TRANSIENT);
	else
		sqlite3_result_text(out, "[corrupt sub-buffer]", -1, SQLITE_STATIC);
}

static const char *system_of(const struct event_scan *s)
{
	struct evdb_head h;

	return evdb_head(db_of(s), &s->ev.ev, &h) ? h.system : NULL;
}

/* Of an event */
static int put_known(const struct event_scan *s, enum column column, sqlite3_context *out)
{
	switch (column) {
	case COLUMN_PID:
		sqlite3_result_int(out, evdb_pid(&s->ev.ev));
		break;
	case COLUMN_COMM:
		sqlite3_result_text(out, evdb_comm(db_of(s), evdb_pid(&s->ev.ev)), -1,
				    SQLITE_TRANSIENT);
		break;
	case COLUMN_SYSTEM:
		sqlite3_result_text(out, system_of(s), -1, SQLITE_TRANSIENT);
		break;
	case COLUMN_NAME:
		sqlite3_result_text(out, evdb_name(db_of(s), &s->ev.ev), -1, SQLITE_TRANSIENT);
		break;
	case COLUMN_FIELDS:
		return put_fields(s, out);
	default:
		break;
	}
	return SQLITE_OK;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int i)
{
	const struct event_scan *s = (const struct event_scan *)cursor;
	const struct datr *d = s->scan.recording->d;
	size_t field;
	enum column column = column_of(kind_of(s), i, &field);

	switch (column) {
	case COLUMN_RECORDING:
		sqlite3_result_int64(out, s->scan.recording->id);
		break;
	case COLUMN_TS:
		sqlite3_result_int64(out, s->ev.ev.ts);
		break;
	case COLUMN_CPU:
		sqlite3_result_int64(out, s->ev.cpu);
		break;
	case COLUMN_SIDE:
		sqlite3_result_text(out, side_name(merged_side(d, &s->ev)), -1, SQLITE_STATIC);
		break;
	case COLUMN_GUEST:
		if (s->ev.guest)
			sqlite3_result_text(out, datr_guest(d, s->ev.guest - 1)->name, -1,
					    SQLITE_TRANSIENT);
		break;
	case COLUMN_LOST:
		if (s->ev.lost != RBPAGE_LOST_UNKNOWN)
			sqlite3_result_int64(out, s->ev.lost);
		break;
	case COLUMN_TEXT:
		put_text(s, out);
		break;
	case NR_COLUMNS:
		put_field(s, field, out);
		break;
	default:
		if (s->ev.ev.data)
			return put_known(s, column, out);
		break;
	}
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xCreate = vtabs_connect,
	.xConnect = vtabs_connect,
	.xBestIndex = best_index,
	.xDisconnect = vtabs_disconnect,
	.xDestroy = vtabs_disconnect,
	.xOpen = vtabs_open,
	.xClose = close_scan,
	.xFilter = filter,
	.xNext = next,
	.xEof = eof,
	.xColumn = column,
	.xRowid = vtabs_rowid,
};

int eventtable_add(sqlite3 *db, const char *name, const struct eventkind *kind,
		   struct recordings *r)
{
	return vtabs_add(db, name, &module, &(struct vtabs_source) {
		.r = r, .of = kind, .declare = declare, .scan_size = sizeof(struct event_scan),
	});
}

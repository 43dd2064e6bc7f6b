// SPDX-License-Identifier: GPL-2.0
/*
 * The table of recordings. See filerows.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "export/sqlfilerows.h"
#include "lib/log.h"
#include "trace/merge.h"

static const struct query_column columns[] = {
	{ "id", "INTEGER", "its number, from 1 on, in the order of the command line" },
	{ "file", "TEXT", "name of the file" },
	{ "host", "TEXT", "name of the machine, NULL if the file does not have it" },
	{ "release", "TEXT", "release of its kernel, or NULL" },
	{ "uname", "TEXT", "all that the file says about the machine and its kernel, or NULL" },
	{ "modified", "TEXT", "when the file was changed last, in UTC" },
	{ "clock", "TEXT", "trace clock of the timestamps" },
	{ "cpus", "INTEGER", "number of CPUs that were recorded" },
	{ "ts", "INTEGER", "timestamp of the first event of host or hypervisor, in ns" },
	{ "end_ts", "INTEGER", "timestamp of the last one, in ns" },
	{ "ns", "INTEGER", "the time between them" },
	{ 0 }
};

/* The word that follows @nr others in what uname prints: "Linux HOST RELEASE ..." */
static void add_word(struct cells *out, const char *text, unsigned int nr)
{
	size_t len;
	char *word;

	while (text && nr--) {
		text = strchr(text, ' ');
		text += text ? 1 : 0;
	}
	if (!text) {
		cells_null(out);
		return;
	}
	len = strcspn(text, " ");
	word = strndup(text, len);
	if (!word)
		log_oom();
	cells_owned(out, word);
}

static void add_modified(struct cells *out, const char *path)
{
	char text[32];
	struct stat st;
	struct tm tm;

	if (stat(path, &st) || !gmtime_r(&st.st_mtime, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		cells_null(out);
	else
		cells_copy(out, text);
}

static u64 count_cpus(const struct datr *d)
{
	unsigned int cpu;
	u64 nr = 0;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		nr += datr_has_cpu(d, cpu);
	return nr;
}

/* Only the last sub-buffers are read. Return: 0, or -1 with a message */
static int find_end(const struct datr *d, u64 *end)
{
	const struct merge_part last = { .from = UINT64_MAX };
	struct merge *m = merge_new_part(d, &last);
	struct merged ev;

	if (!m)
		return -1;
	while (merge_next(m, &ev)) {
		if (ev.ev.data && !ev.guest)
			*end = ev.ev.ts;
	}
	merge_free(m);
	return 0;
}

static int add_times(struct cells *out, const struct datr *d)
{
	u64 start = 0, end = 0;

	if (merge_first(d, &start) || find_end(d, &end))
		return -1;
	cells_integer(out, start);
	cells_integer(out, end);
	cells_integer(out, end - start);
	return 0;
}

/**
 * struct filerow - the row of a recording
 * @r:		the recording
 * @out:	gets it
 */
struct filerow {
	struct query_recording *r;
	struct cells *out;
};

static void *begin(const struct computed_table *t, struct query_recording *r, struct cells *out)
{
	struct filerow *f = malloc(sizeof(*f));

	(void)t;
	if (f)
		*f = (struct filerow) { .r = r, .out = out };
	else
		log_oom();
	return f;
}

static int step(void *rows)
{
	struct filerow *f = rows;
	const struct datr *d = f->r->d;
	const char *uname = datr_uname(d);

	cells_text(f->out, f->r->path);
	add_word(f->out, uname, 1);
	add_word(f->out, uname, 2);
	cells_text(f->out, uname);
	add_modified(f->out, f->r->path);
	cells_text(f->out, datr_nr_buffers(d) ? datr_buffer(d, 0)->clock : NULL);
	cells_integer(f->out, count_cpus(d));
	return add_times(f->out, d);
}

const struct computed_table recording_table = {
	.name = "recording",
	.what = "a recording",
	.column = columns,
	.begin = begin,
	.step = step,
	.end = free,
};

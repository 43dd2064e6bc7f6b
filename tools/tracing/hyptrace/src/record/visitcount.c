// SPDX-License-Identifier: GPL-2.0
/*
 * Visits to EL2 that it has counted. See visitcount.h.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "lib/array.h"
#include "lib/log.h"
#include "record/visitcount.h"

/*
 * As struct trace_counters and struct trace_counters_row in
 * include/uapi/linux/trace_counters.h; repeated because the headers of the C library do not
 * have it.
 */
struct visitfile {
	u32 version;
	u32 head_size;
	u32 row_size;
	u32 nr_rows;
	u32 nr_buckets;
	u32 reserved;
	u64 ticks_per_sec;
	u64 begun;
	u64 done;
	u64 unused[2];
};

struct visitfile_row {
	u64 ticks;
	u64 max;
	u64 bucket[VISITCOUNT_BUCKETS];
};

#define FILE_VERSION		1

/* Kinds */

/* "ROW KIND NAME". Return: NAME, which is a part of @line, or NULL without a message */
static char *parse_kind(char *line, struct visitcount *k)
{
	static const char reason[] = " reason ", hypercall[] = " hypercall ";
	u64 row;
	char *rest = (char *)parse_id(line, UINT32_MAX, &row);

	if (!rest)
		return NULL;
	k->row = row;
	k->hypercall = !strncmp(rest, hypercall, strlen(hypercall));
	if (k->hypercall)
		return rest + strlen(hypercall);
	return strncmp(rest, reason, strlen(reason)) ? NULL : rest + strlen(reason);
}

static int add_kind(struct visitcounts *v, char *line)
{
	struct visitcount k = { 0 };
	const char *name = parse_kind(line, &k);

	if (!name || !*name)
		return log_error("bad line in counters/format: '%s': expected ROW reason|hypercall NAME",
				 line);
	if (array_room(&v->kind, &v->room, v->nr + 1, sizeof(*v->kind)))
		return log_oom();
	k.name = strdup(name);
	if (!k.name)
		return log_oom();
	v->kind[v->nr++] = k;
	return 0;
}

static int read_kinds(struct visitcounts *v)
{
	char *text = tdir_read(v->dir, "counters/format", NULL), *rest = text, *line;
	int ret = text ? 0 : -1;

	while (!ret && (line = strsep(&rest, "\n"))) {
		if (*line)
			ret = add_kind(v, line);
	}
	free(text);
	return ret;
}

int visitcounts_open(struct visitcounts *v, const char *remote)
{
	v->dir = tdir_find_remote(remote ?: "hypervisor");
	if (!v->dir || tdir_need(v->dir, "counters", "CONFIG_NVHE_EL2_COUNTERS"))
		return -1;
	return read_kinds(v);
}

int visitcounts_switch(const struct visitcounts *v, bool on)
{
	return tdir_write(v->dir, "counters/enable", on ? "1" : "0");
}

void visitcounts_close(struct visitcounts *v)
{
	while (v->nr)
		free(v->kind[--v->nr].name);
	free(v->kind);
	free(v->cpu);
	tdir_free(v->dir);
}

/* The file of a CPU */

static int check_size(const char *path, size_t size, u64 need)
{
	if (size >= need)
		return 0;
	return log_error("%s has %zu bytes: expected %llu", path, size, need);
}

static int check_head(const char *path, const struct visitfile *f)
{
	if (f->version != FILE_VERSION)
		return log_error("%s has version %u: this hyptrace knows version %u only", path,
				 f->version, FILE_VERSION);
	if (f->head_size >= sizeof(*f) && f->row_size >= sizeof(struct visitfile_row) &&
	    f->nr_buckets == VISITCOUNT_BUCKETS && f->ticks_per_sec)
		return 0;
	return log_error("%s is not as version %u is: head_size=%u row_size=%u nr_buckets=%u ticks_per_sec=%llu",
			 path, FILE_VERSION, f->head_size, f->row_size, f->nr_buckets,
			 f->ticks_per_sec);
}

/* All that is added up has to have the same unit, and a row for each kind */
static int check_fit(const char *path, const struct visitcounts *v, const struct visitfile *f)
{
	unsigned int i;

	if (v->ticks_per_sec && v->ticks_per_sec != f->ticks_per_sec)
		return log_error("%s has %llu ticks per second, another CPU %llu: expected the same",
				 path, f->ticks_per_sec, v->ticks_per_sec);
	for (i = 0; i < v->nr; i++) {
		if (v->kind[i].row >= f->nr_rows)
			return log_error("%s has %u rows, but counters/format names row %u", path,
					 f->nr_rows, v->kind[i].row);
	}
	return 0;
}

static int check(const char *path, const char *data, size_t size, const struct visitcounts *v,
		 struct visitfile *f)
{
	if (check_size(path, size, sizeof(*f)))
		return -1;
	memcpy(f, data, sizeof(*f));
	if (check_head(path, f) ||
	    check_size(path, size, f->head_size + (u64)f->row_size * f->nr_rows))
		return -1;
	return check_fit(path, v, f);
}

static void add_row(struct visitcount *k, const struct visitfile_row *row)
{
	unsigned int i;

	k->ticks += row->ticks;
	k->max = MAX(k->max, row->max);
	for (i = 0; i < VISITCOUNT_BUCKETS; i++) {
		k->bucket[i] += row->bucket[i];
		k->number += row->bucket[i];
	}
}

static int add_cpu(struct visitcounts *v, const struct visitfile *f, const char *data,
		   unsigned int cpu)
{
	struct visitfile_row row;
	struct visitcpu *c;
	unsigned int i;

	if (array_room(&v->cpu, &v->cpus_room, v->nr_cpus + 1, sizeof(*v->cpu)))
		return log_oom();
	c = &v->cpu[v->nr_cpus++];
	*c = (struct visitcpu) { .cpu = cpu };
	v->ticks_per_sec = f->ticks_per_sec;
	for (i = 0; i < v->nr; i++) {
		memcpy(&row, data + f->head_size + (u64)f->row_size * v->kind[i].row,
		       sizeof(row));
		add_row(&v->kind[i], &row);
		c->ticks += row.ticks;
	}
	return 0;
}

static int read_cpu_from(struct visitcounts *v, const char *path, unsigned int cpu)
{
	struct visitfile f;
	size_t size;
	char *data = read_file(path, &size);
	int ret;

	if (!data && errno == ENODATA)
		return 0;	/* it has never counted */
	if (!data)
		return log_error("cannot read %s: %s", path, strerror(errno));
	ret = check(path, data, size, v, &f) ?: add_cpu(v, &f, data, cpu);
	free(data);
	return ret;
}

static int read_cpu(struct visitcounts *v, const char *name, unsigned int cpu)
{
	char *file = xasprintf("counters/%s", name), *path = file ? tdir_path(v->dir, file) : NULL;
	int ret = path ? read_cpu_from(v, path, cpu) : -1;

	free(path);
	free(file);
	return ret;
}

/* All of it */

/* Whether it is "cpuN" */
static bool parse_cpu(const char *name, u64 *cpu)
{
	const char *end = strncmp(name, "cpu", 3) ? NULL : parse_id(name + 3, INT32_MAX, cpu);

	return end && !*end;
}

static int read_cpus(struct visitcounts *v)
{
	char *path = tdir_path(v->dir, "counters");
	struct dirent **file = NULL;
	int nr = path ? scandir(path, &file, NULL, versionsort) : -1;
	int i, ret = 0;
	u64 cpu;

	if (path && nr < 0)
		log_error("cannot read %s: %s", path, strerror(errno));
	for (i = 0; i < nr; i++) {
		if (!ret && parse_cpu(file[i]->d_name, &cpu))
			ret = read_cpu(v, file[i]->d_name, cpu);
		free(file[i]);
	}
	free(file);
	free(path);
	return nr < 0 ? -1 : ret;
}

static int read_on(struct visitcounts *v)
{
	char *word = tdir_read_word(v->dir, "counters/enable");

	if (!word)
		return -1;
	v->on = !strcmp(word, "1");
	free(word);
	return 0;
}

static void forget(struct visitcounts *v)
{
	struct visitcount *k;
	unsigned int i;

	for (i = 0; i < v->nr; i++) {
		k = &v->kind[i];
		*k = (struct visitcount) {
			.hypercall = k->hypercall, .name = k->name, .row = k->row,
		};
	}
	v->nr_cpus = 0;
	v->ticks_per_sec = 0;
}

int visitcounts_read(struct visitcounts *v)
{
	forget(v);
	return read_on(v) || read_cpus(v) ? -1 : 0;
}

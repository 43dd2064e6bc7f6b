// SPDX-License-Identifier: GPL-2.0
/*
 * Exports a file as a page. See html.h.
 *
 * The data is in the page as base64, so that no part of it can be taken for markup.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/fileprofile.h"
#include "analysis/profilejson.h"
#include "export/html.h"
#include "export/htmlpage.h"
#include "lib/log.h"

static void put_base64(const struct bytes *b, FILE *out)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[4096];
	size_t i, nr, used = 0;
	u8 in[3];

	for (i = 0; i < b->size; i += sizeof(in)) {
		nr = MIN(b->size - i, sizeof(in));
		memset(in, 0, sizeof(in));
		memcpy(in, b->data + i, nr);
		text[used++] = digit[in[0] >> 2];
		text[used++] = digit[(in[0] << 4 | in[1] >> 4) & 63];
		text[used++] = nr > 1 ? digit[(in[1] << 2 | in[2] >> 6) & 63] : '=';
		text[used++] = nr > 2 ? digit[in[2] & 63] : '=';
		if (used == sizeof(text) || i + nr == b->size) {
			if (fwrite(text, used, 1, out) != 1)
				return;
			used = 0;
		}
	}
}

/* A page with @nr pieces of data, in lines */
static void put_page(const char *page, const char *end, const struct bytes *data, unsigned int nr,
		     FILE *out)
{
	const char *mark = memmem(page, end - page, HTMLPAGE_MARK, strlen(HTMLPAGE_MARK));
	const char *rest = mark + strlen(HTMLPAGE_MARK);
	unsigned int i;

	fwrite(page, mark - page, 1, out);
	for (i = 0; i < nr; i++) {
		if (i)
			fputc('\n', out);
		put_base64(&data[i], out);
	}
	fwrite(rest, end - rest, 1, out);
}

struct profile_watch html_watch(struct htmldata *h)
{
	return (struct profile_watch) {
		.event = htmldata_event,
		.guests = true,
		.times = {
			.ctx = h, .span = htmldata_span, .stay = htmldata_stay,
			.way = htmldata_switch, .call = htmldata_call,
		},
	};
}

/* Return: 0, or -1 with a message; *json is to be freed in either case */
static int print_stat(const struct html_part *part, char **json, size_t *size)
{
	const struct profilejson json_how = {
		.histogram = true, .calls = part->calls, .of_calls = part->of_calls,
	};
	FILE *text = open_memstream(json, size);

	if (!text)
		return log_oom();
	profile_print_json(part->profile, &json_how, text);
	return fclose(text) ? log_oom() : 0;
}

/* Return: 0, or -1 with a message */
static int get_data(const struct html_part *part, struct bytes *data,
		    struct htmldata_counts *counts)
{
	char *json = NULL;
	size_t size;
	int ret = print_stat(part, &json, &size);

	if (!ret)
		ret = htmldata_write(part->data, json, size, data, counts);
	free(json);
	return ret;
}

/**
 * struct whole - a file that is read for a page
 * @d:		the file
 * @h:		all but the functions of EL2
 * @g:		these
 * @calls:	of @g
 */
struct whole {
	struct datr *d;
	struct htmldata *h;
	struct callgraph *g;
	struct callgraph_result calls;
};

static int take_event(void *ctx, struct evdb *db, const struct merged *ev)
{
	struct whole *w = ctx;

	if (merged_side(w->d, ev) == HYP && callgraph_feed(w->g, db, ev))
		return -1;
	return htmldata_event(w->h, db, ev);
}

static void take_span(void *ctx, const struct times_span *s)
{
	htmldata_span(((struct whole *)ctx)->h, s);
}

static void take_stay(void *ctx, const struct times_stay *s)
{
	struct whole *w = ctx;

	callgraph_stay(w->g, s);
	htmldata_stay(w->h, s);
}

static void take_switch(void *ctx, const struct times_switch *s)
{
	htmldata_switch(((struct whole *)ctx)->h, s);
}

static void take_call(void *ctx, const struct times_call *s)
{
	htmldata_call(((struct whole *)ctx)->h, s);
}

static int put_whole(struct whole *w, struct profiler *s, struct bytes *data,
		     struct htmldata_counts *counts)
{
	struct html_part part = { .data = w->h, .profile = profiler_profile(s) };

	if (callgraph_finish(w->g, &w->calls))
		return -1;
	if (w->calls.calls) {
		part.calls = w->g;
		part.of_calls = &w->calls;
	}
	return get_data(&part, data, counts) ?: fileprofile_check(s, w->d);
}

static int export_data(struct whole *w, const struct cpulist *cpus, struct bytes *data,
		       struct htmldata_counts *counts)
{
	const struct profile_watch watch = {
		.event = take_event,
		.guests = true,
		.times = {
			.ctx = w, .span = take_span, .stay = take_stay, .way = take_switch,
			.call = take_call,
		},
	};
	struct profiler *s = fileprofile_read(w->d, cpus, &watch);
	int ret = s ? put_whole(w, s, data, counts) : -1;

	fileprofile_free(s);
	return ret;
}

int html_export(struct datr *d, const struct cpulist *cpus, FILE *out,
		struct htmldata_counts *counts)
{
	struct whole w = { .d = d, .h = htmldata_new(d), .g = callgraph_new(NULL) };
	struct bytes data = { 0 };
	int ret = w.h && w.g ? export_data(&w, cpus, &data, counts) : -1;

	if (ret >= 0)
		put_page(htmlpage, htmlpage_end, &data, 1, out);
	bytes_free(&data);
	callgraph_free(w.g);
	htmldata_free(w.h);
	return ret;
}

int html_compare(const struct html_part part[2], const char *json, size_t size, FILE *out)
{
	struct bytes data[3] = { 0 };
	struct htmldata_counts counts;
	unsigned int i;
	int ret;

	ret = get_data(&part[0], &data[0], &counts) ?: get_data(&part[1], &data[1], &counts);
	bytes_add(&data[2], json, size);
	if (data[2].failed)
		ret = -1;
	if (!ret)
		put_page(comparepage, comparepage_end, data, 3, out);
	for (i = 0; i < ARRAY_SIZE(data); i++)
		bytes_free(&data[i]);
	return ret;
}

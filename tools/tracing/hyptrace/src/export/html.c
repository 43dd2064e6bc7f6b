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

/* Return: as stat_file(), with its JSON in @json, to be freed */
static int read_file_into(struct datr *d, const struct cpulist *cpus,
			  struct htmldata *h, char **json, size_t *size)
{
	const struct profile_watch watch = {
		.event = htmldata_event,
		.guests = true,
		.times = {
			.ctx = h, .span = htmldata_span, .stay = htmldata_stay,
			.way = htmldata_switch, .call = htmldata_call,
		},
	};
	const struct profilejson json_how = { .histogram = true };
	FILE *text = open_memstream(json, size);
	struct profiler *s;
	int ret;

	if (!text)
		return log_oom();
	s = fileprofile_read(d, cpus, &watch);
	if (s)
		profile_print_json(profiler_profile(s), &json_how, text);
	ret = s ? fileprofile_check(s, d) : -1;
	fileprofile_free(s);
	return fclose(text) ? log_oom() : ret;
}

static int write_data(struct datr *d, const struct cpulist *cpus, struct htmldata *h,
		      struct bytes *data, struct htmldata_counts *counts)
{
	char *json = NULL;
	size_t size;
	int ret = read_file_into(d, cpus, h, &json, &size);

	if (ret >= 0 && htmldata_write(h, json, size, data, counts))
		ret = -1;
	free(json);
	return ret;
}

/* Return: as html_export() */
static int get_data(struct datr *d, const struct cpulist *cpus, struct bytes *data,
		    struct htmldata_counts *counts)
{
	struct htmldata *h = htmldata_new(d);
	int ret = h ? write_data(d, cpus, h, data, counts) : -1;

	htmldata_free(h);
	return ret;
}

int html_export(struct datr *d, const struct cpulist *cpus, FILE *out,
		struct htmldata_counts *counts)
{
	struct bytes data = { 0 };
	int ret = get_data(d, cpus, &data, counts);

	if (ret >= 0)
		put_page(htmlpage, htmlpage_end, &data, 1, out);
	bytes_free(&data);
	return ret;
}

int html_compare(struct datr *const d[2], const struct cpulist *cpus, const char *json, size_t size,
		 FILE *out)
{
	struct bytes data[3] = { 0 };
	struct htmldata_counts counts;
	int ret, second;

	ret = get_data(d[0], cpus, &data[0], &counts);
	second = ret < 0 ? -1 : get_data(d[1], cpus, &data[1], &counts);
	bytes_add(&data[2], json, size);
	ret = second < 0 || data[2].failed ? -1 : ret | second;
	if (ret >= 0)
		put_page(comparepage, comparepage_end, data, 3, out);
	bytes_free(&data[0]);
	bytes_free(&data[1]);
	bytes_free(&data[2]);
	return ret;
}

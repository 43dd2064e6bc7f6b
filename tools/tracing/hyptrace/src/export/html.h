/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exports a file, or two that are compared, as a self-contained page for a web browser.
 */
#ifndef HYPTRACE_HTML_H
#define HYPTRACE_HTML_H

#include <stdio.h>

#include "analysis/callgraph.h"
#include "analysis/fileprofile.h"
#include "export/htmldata.h"
#include "lib/util.h"
#include "trace/datr.h"

/**
 * html_export - write the page
 * @d:		the file
 * @cpus:	these CPUs; NULL for all
 * @out:	where it goes; its errors are left to ferror()
 * @counts:	what is in it
 *
 * Return: 0; -1 with a message; 1 with a message if everything was printed, but
 * there were corrupt sub-buffers.
 */
int html_export(struct datr *d, const struct cpulist *cpus, FILE *out,
		struct htmldata_counts *counts);

/** html_watch - give this to fileprofile_read(), so that @h has all */
struct profile_watch html_watch(struct htmldata *h);

/**
 * struct html_part - one of several recordings in a page
 * @data:	what html_watch() has collected
 * @profile:	what was read meanwhile
 * @calls:	where time goes inside of EL2, or NULL
 * @of_calls:	its result
 */
struct html_part {
	struct htmldata *data;
	const struct profile *profile;
	const struct callgraph *calls;
	const struct callgraph_result *of_calls;
};

/**
 * html_compare - write the page of two files that are compared
 * @part:	the files
 * @json:	what differs, of comparison_print_json()
 * @size:	its size
 * @out:	where it goes; its errors are left to ferror()
 *
 * Return: 0, or -1 with a message.
 */
int html_compare(const struct html_part part[2], const char *json, size_t size, FILE *out);

#endif

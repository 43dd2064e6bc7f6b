/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exports a file, or two that are compared, as a self-contained page for a web browser.
 */
#ifndef HYPTRACE_HTML_H
#define HYPTRACE_HTML_H

#include <stdio.h>

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

/**
 * html_compare - write the page of two files that are compared
 * @d:		the files
 * @cpus:	these CPUs; NULL for all
 * @json:	what differs, of comparison_print_json()
 * @size:	its size
 * @out:	where it goes; its errors are left to ferror()
 *
 * Return: as above.
 */
int html_compare(struct datr *const d[2], const struct cpulist *cpus, const char *json, size_t size,
		 FILE *out);

#endif

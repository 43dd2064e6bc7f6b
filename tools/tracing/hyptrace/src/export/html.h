/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exports a file as a self-contained page for a web browser.
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

#endif

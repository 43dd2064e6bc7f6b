/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exports a file as a page for a browser, complete in itself.
 */
#ifndef HYPTRACE_HTML_H
#define HYPTRACE_HTML_H

#include <stdio.h>

#include "datr.h"
#include "htmldata.h"
#include "util.h"

/**
 * html_export - write the page
 * @d:		the file
 * @cpus:	these CPUs; NULL for all
 * @out:	where it goes; its errors are left to ferror()
 * @counts:	what is in it
 *
 * Return: 0; -1 with a message; 1 with a message if all was done, but there
 * were corrupt sub-buffers.
 */
int html_export(struct datr *d, const struct cpulist *cpus, FILE *out,
		struct htmldata_counts *counts);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The history of pages, as text or JSON.
 */
#ifndef HYPTRACE_PAGESTEXT_H
#define HYPTRACE_PAGESTEXT_H

#include <stdio.h>

#include "analysis/pagecheck.h"
#include "analysis/pagehistory.h"
#include "trace/evdb.h"

/** pagestext_counts - print how many pages changed hands; @counts are NR_PAGE_OPS */
void pagestext_counts(const struct pagecheck_counts *counts, bool json, FILE *out);

/**
 * pagestext_history - print the history of pages
 * @h:		the history
 * @db:		knows the tasks' names
 * @json:	as JSON
 * @out:	where to
 */
void pagestext_history(const struct pagehistory *h, struct evdb *db, bool json, FILE *out);

#endif

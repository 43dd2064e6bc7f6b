/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page of "export --html" without its data, as html/assemble.py made it.
 */
#ifndef HYPTRACE_HTMLPAGE_H
#define HYPTRACE_HTMLPAGE_H

/* Where the data belongs: once in the page */
#define HTMLPAGE_MARK	"@DATA@"

/* From the first to behind the last byte */
extern const char htmlpage[];
extern const char htmlpage_end[];

#endif

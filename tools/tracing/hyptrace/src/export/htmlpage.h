/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pages of "export --html" and "compare --html" without their data, as html/assemble.py
 * made them.
 */
#ifndef HYPTRACE_HTMLPAGE_H
#define HYPTRACE_HTMLPAGE_H

/* Where the data belongs: once in each page */
#define HTMLPAGE_MARK	"@DATA@"

/* From the first to behind the last byte */
extern const char htmlpage[];
extern const char htmlpage_end[];
extern const char comparepage[];
extern const char comparepage_end[];

#endif

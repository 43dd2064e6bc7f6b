/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_MEMORY_H
#define _SELFTEST_HYPTRACE_MEMORY_H
/*
 * Checks that the kernel gets all of its memory back.
 */

/*
 * The kernel may keep this many pages for itself between two calls of free_pages(); more
 * if CPUs go offline and online, even without any tracing
 */
#define NOISE_PAGES		24
#define NOISE_PAGES_HOTPLUG	100

/*
 * Free pages, including those in per-CPU lists, or a negative errno. With kmemleak,
 * which knows every object, and with checks that keep freed objects for long, the pages
 * of slabs count as free.
 */
long free_pages(void);
/* The minimum of several calls, since some pages are in transit for a moment */
long settled_free_pages(void);

/*
 * How many of the @before free pages are missing. Some are freed late, for example by
 * RCU: while more than @noise are missing, this tries again for some seconds.
 */
long missing_pages(long before, long noise);

/*
 * With CONFIG_DEBUG_KMEMLEAK: forget all reports, and count the leaks since then, which
 * takes some seconds. 0 without that option.
 */
void forget_leaks(void);
int count_leaks(char *report, unsigned long size);

#endif /* _SELFTEST_HYPTRACE_MEMORY_H */

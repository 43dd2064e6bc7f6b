/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_MEMORY_H
#define _SELFTEST_HYPTRACE_MEMORY_H
/*
 * Does the kernel have all of its memory back?
 */

/*
 * What the kernel may keep for itself between two looks at its free memory; more if
 * CPUs come and go, without any tracing
 */
#define NOISE_PAGES		24
#define NOISE_PAGES_HOTPLUG	100

/*
 * Pages that nobody has, also those that CPUs keep at hand; negative: an errno. With
 * kmemleak, which knows of every object, and checks that keep freed ones for long,
 * those of slabs count as free.
 */
long free_pages(void);
/* The least of several looks, since some are on their way for a moment */
long settled_free_pages(void);

/*
 * Pages that are missing of @before. Some are freed late, by RCU for example: as
 * long as more than @noise are missing, it looks again for some seconds.
 */
long missing_pages(long before, long noise);

/*
 * With CONFIG_DEBUG_KMEMLEAK: forget what was reported, and how many leaks there
 * are since, which takes some seconds. 0 without that option.
 */
void forget_leaks(void);
int count_leaks(char *report, unsigned long size);

#endif /* _SELFTEST_HYPTRACE_MEMORY_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's memory; see memory.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "remote.h"
#include "slack.h"

#define KMEMLEAK	"/sys/kernel/debug/kmemleak"

/* Younger objects are not reported */
#define LEAK_AGE_MS	5100

long free_pages(void)
{
	bool slab = !access(KMEMLEAK, F_OK);
	char line[128];
	long val, sum = 0;
	FILE *f;

	/* Bring the counters up to date */
	file_read("/proc/sys/vm/stat_refresh", line, sizeof(line));
	f = fopen("/proc/zoneinfo", "r");
	if (!f)
		return -errno;

	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, " nr_free_pages %ld", &val) == 1 ||
		    sscanf(line, " count: %ld", &val) == 1 ||
		    (slab && sscanf(line, " nr_slab_reclaimable %ld", &val) == 1) ||
		    (slab && sscanf(line, " nr_slab_unreclaimable %ld", &val) == 1))
			sum += val;
	}
	fclose(f);
	return sum;
}

long settled_free_pages(void)
{
	long least = free_pages(), pages;
	int i;

	for (i = 0; i < 10; i++) {
		sleep_ms(10);
		pages = free_pages();
		if (pages < least)
			least = pages;
	}
	return least;
}

long missing_pages(long before, long noise)
{
	__u64 end = now_ms() + PATIENCE_MS;
	long missing;

	do {
		missing = before - free_pages();
		if (missing > noise)
			sleep_ms(20);
	} while (missing > noise && now_ms() < end);
	return missing;
}

void forget_leaks(void)
{
	file_write(KMEMLEAK, "clear", strlen("clear"));
}

int count_leaks(char *report, unsigned long size)
{
	const char *leak;
	int nr = 0;

	report[0] = '\0';
	if (file_read(KMEMLEAK, report, size) < 0)
		return 0;
	sleep_ms(LEAK_AGE_MS);
	/* The first look may find a pointer in a register or on a stack */
	file_write(KMEMLEAK, "scan", strlen("scan"));
	file_write(KMEMLEAK, "scan", strlen("scan"));
	if (file_read(KMEMLEAK, report, size) < 0)
		return -EIO;
	for (leak = report; (leak = strstr(leak, "unreferenced object")); leak++)
		nr++;
	return nr;
}

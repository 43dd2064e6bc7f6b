/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_SLACK_H
#define _SELFTEST_HYPTRACE_SLACK_H
/*
 * Time limits of tests. A kernel with many debugging options is several times slower;
 * HYPTRACE_SLACK in the environment is the factor.
 */

#include <stdbool.h>
#include <sys/types.h>

unsigned int slack(void);

/* Longer than anything takes; a limit only so that a test ends */
#define PATIENCE_MS	(10000 * slack())

/* Does this child end in time? Then it has been waited for */
bool process_ends(pid_t pid);

#endif /* _SELFTEST_HYPTRACE_SLACK_H */

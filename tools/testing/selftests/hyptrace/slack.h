/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_SLACK_H
#define _SELFTEST_HYPTRACE_SLACK_H
/*
 * Time for tests: a kernel that checks all it does needs several times as much. The
 * environment says how many times, HYPTRACE_SLACK.
 */

unsigned int slack(void);

/* Nothing takes that long; a limit only so that a test ends */
#define PATIENCE_MS	(10000 * slack())

#endif /* _SELFTEST_HYPTRACE_SLACK_H */

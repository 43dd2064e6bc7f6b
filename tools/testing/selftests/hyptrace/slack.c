// SPDX-License-Identifier: GPL-2.0
/*
 * Time for tests: a kernel that checks all it does needs several times as much as the
 * harness gives. The environment says how many times, HYPTRACE_SLACK.
 */
#include <stdlib.h>
#include <unistd.h>

/* By the linker's --wrap: who calls alarm() gets the former, which calls the latter */
unsigned int __wrap_alarm(unsigned int seconds);
unsigned int __real_alarm(unsigned int seconds);

unsigned int __wrap_alarm(unsigned int seconds)
{
	const char *slack = getenv("HYPTRACE_SLACK");

	return __real_alarm(slack && atoi(slack) > 0 ? seconds * atoi(slack) : seconds);
}

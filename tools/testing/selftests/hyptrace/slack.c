// SPDX-License-Identifier: GPL-2.0
/*
 * Time for tests; see slack.h. That of the harness, too.
 */
#include <stdlib.h>
#include <unistd.h>

#include "slack.h"

/* By the linker's --wrap: who calls alarm() gets the former, which calls the latter */
unsigned int __wrap_alarm(unsigned int seconds);
unsigned int __real_alarm(unsigned int seconds);

unsigned int slack(void)
{
	const char *text = getenv("HYPTRACE_SLACK");

	return text && atoi(text) > 0 ? atoi(text) : 1;
}

unsigned int __wrap_alarm(unsigned int seconds)
{
	return __real_alarm(seconds * slack());
}

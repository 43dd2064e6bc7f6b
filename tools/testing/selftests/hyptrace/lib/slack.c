// SPDX-License-Identifier: GPL-2.0
/*
 * Time limits of tests, also that of the harness; see slack.h.
 */
#include <stdlib.h>
#include <unistd.h>

#include "slack.h"

/* With the linker's --wrap=alarm, callers of alarm() get __wrap_alarm() */
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

// SPDX-License-Identifier: GPL-2.0
/*
 * Time limits of tests, also that of the harness; see slack.h.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "remote.h"
#include "slack.h"

/* With the linker's --wrap=alarm, callers of alarm() get __wrap_alarm() */
unsigned int __wrap_alarm(unsigned int seconds);
unsigned int __real_alarm(unsigned int seconds);

unsigned int slack(void)
{
	const char *text = getenv("HYPTRACE_SLACK");

	return text && atoi(text) > 0 ? atoi(text) : 1;
}

bool process_ends(pid_t pid)
{
	__u64 end = now_ms() + PATIENCE_MS;

	while (waitpid(pid, NULL, WNOHANG) != pid) {
		if (now_ms() > end)
			return false;
		sleep_ms(1);
	}
	return true;
}

unsigned int __wrap_alarm(unsigned int seconds)
{
	return __real_alarm(seconds * slack());
}

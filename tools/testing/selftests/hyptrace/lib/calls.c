// SPDX-License-Identifier: GPL-2.0
/*
 * Hypercalls by hyp_calls.ko; see calls.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"

int run_hyp_calls(const char *parameter)
{
	int fd = open("hyp_calls.ko", O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, parameter, 0) ? -errno : 0;
	close(fd);
	if (!ret && syscall(SYS_delete_module, "hyp_calls", O_NONBLOCK))
		ret = -errno;
	return ret;
}

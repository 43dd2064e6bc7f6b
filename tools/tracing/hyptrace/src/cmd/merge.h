/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_CMD_MERGE_H
#define HYPTRACE_CMD_MERGE_H

#include "lib/types.h"

/**
 * struct merge_options - what is merged
 * @host:	recording of the host
 * @guest:	recording of the guest
 * @output:	path of the result; may be @host, which is replaced then
 * @name:	of the guest; NULL for that of its file
 * @counter_of:	recording by hyptrace of the same boot of the guest, if that of the guest is
 *		another program's; or NULL
 * @task:	a task that runs one of its vCPUs, or 0
 * @quiet:	print no summary
 */
struct merge_options {
	const char *host;
	const char *guest;
	const char *output;
	const char *name;
	const char *counter_of;
	u64 task;
	bool quiet;
};

/** merge_files - merge two recordings. Return: 0, or -1 with a message. */
int merge_files(const struct merge_options *o);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Names of labels. See labels.h.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/labels.h"
#include "lib/log.h"
#include "lib/util.h"

struct named {
	struct label label;
	char *name;
};

struct labels {
	void *tree;
};

static int compare(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->label.part != y->label.part)
		return x->label.part < y->label.part ? -1 : 1;
	return compare_u64(x->label.id, y->label.id);
}

struct labels *labels_new(void)
{
	struct labels *l = calloc(1, sizeof(*l));

	if (!l)
		log_oom();
	return l;
}

static void free_named(void *node)
{
	struct named *n = node;

	free(n->name);
	free(n);
}

void labels_free(struct labels *l)
{
	if (!l)
		return;
	tdestroy(l->tree, free_named);
	free(l);
}

const char *labels_name(const struct labels *l, const struct label *label)
{
	const struct named wanted = { .label = *label };
	struct named **found = tfind(&wanted, &l->tree, compare);

	return found ? (*found)->name : NULL;
}

int labels_set_name(struct labels *l, const struct label *label, const char *name)
{
	struct named *n = calloc(1, sizeof(*n));

	if (!n)
		return log_oom();
	n->label = *label;
	n->name = strdup(name);
	if (n->name && tsearch(n, &l->tree, compare))
		return 0;
	free_named(n);
	return log_oom();
}

/* Those in which a VMM is likely to be; include/uapi/asm-generic/unistd.h has all */
const char *labels_call(u64 id)
{
	static const struct {
		u64 id;
		const char *name;
	} calls[] = {
		{ LABEL_KVM_RUN, "KVM_RUN" }, { 22, "epoll_pwait" }, { 29, "ioctl" },
		{ 56, "openat" }, { 57, "close" }, { 62, "lseek" }, { 63, "read" },
		{ 64, "write" }, { 65, "readv" }, { 66, "writev" }, { 67, "pread64" },
		{ 68, "pwrite64" }, { 69, "preadv" }, { 70, "pwritev" }, { 72, "pselect6" },
		{ 73, "ppoll" }, { 82, "fsync" }, { 83, "fdatasync" }, { 93, "exit" },
		{ 94, "exit_group" }, { 98, "futex" }, { 101, "nanosleep" },
		{ 113, "clock_gettime" }, { 115, "clock_nanosleep" }, { 122, "sched_setaffinity" },
		{ 124, "sched_yield" }, { 133, "rt_sigsuspend" }, { 137, "rt_sigtimedwait" },
		{ 206, "sendto" }, { 207, "recvfrom" }, { 211, "sendmsg" }, { 212, "recvmsg" },
		{ 215, "munmap" }, { 222, "mmap" }, { 226, "mprotect" }, { 227, "msync" },
		{ 233, "madvise" }, { 260, "wait4" }, { 281, "execveat" },
		{ 426, "io_uring_enter" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (calls[i].id == id)
			return calls[i].name;
	}
	return NULL;
}

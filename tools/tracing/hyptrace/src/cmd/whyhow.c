// SPDX-License-Identifier: GPL-2.0
/*
 * Which delays are printed, and where the page shows them. See whyhow.h.
 */
#include <string.h>

#include "cmd/whyhow.h"
#include "lib/util.h"

static bool is_task(const struct filedelays *f, const char *task, s32 pid)
{
	u64 number;

	if (!parse_number(task, INT32_MAX, &number))
		return (u64)pid == number;
	return !strcmp(task, evdb_comm(f->db, pid));
}

bool why_wants(const struct filedelays *f, const struct why_how *how,
	       const struct worst_vcpu *v)
{
	const struct delay_vcpu *whose = &v->whose;

	if (how->task && !is_task(f, how->task, whose->task))
		return false;
	if (how->has_vm && (!whose->named || whose->vm != how->vm))
		return false;
	return !how->has_vcpu || (whose->named && whose->vcpu == how->vcpu);
}

char *why_link(const struct why_how *how, const struct delay *d)
{
	return xasprintf("%s#from=%llu.%09llu&to=%llu.%09llu", how->page,
			 d->start / NSEC_PER_SEC, d->start % NSEC_PER_SEC,
			 d->end / NSEC_PER_SEC, d->end % NSEC_PER_SEC);
}

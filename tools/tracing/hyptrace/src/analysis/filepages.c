// SPDX-License-Identifier: GPL-2.0
/*
 * The transitions of pages in a file. See filepages.h.
 */
#include <string.h>

#include "analysis/account.h"
#include "analysis/filepages.h"
#include "lib/log.h"
#include "trace/merge.h"

struct pages_reading {
	struct filepages *p;
	struct account *account;
};

static int check_recorded(const struct datr *d, struct evdb *db)
{
	static const char op[] = "hypervisor/mem_transition", guest[] = "hypervisor/guest_mem";

	if (pagelog_complete(d, db))
		return 0;
	return log_error("%s: transitions of pages were %s: expected a file of hyptrace record that has mem_transition, and guest_mem if the kernel has it, without a filter",
			 datr_name(d), datr_filtered(d, op) || datr_filtered(d, guest) ?
			 "filtered" : "not recorded");
}

static int take_event(void *ctx, const struct merged *ev)
{
	struct pages_reading *r = ctx;

	account_feed(r->account, ev);
	corrupt_take(&r->p->corrupt, ev);
	return pagelog_feed(r->p->log, ev);
}

static int read_events(struct datr *d, struct filepages *p)
{
	struct pages_reading r = { .p = p, .account = account_new(d) };
	int ret = r.account ? merge_each(d, NULL, take_event, &r) : -1;

	if (!ret)
		pagelog_finish(p->log, r.account);
	account_free(r.account);
	return ret;
}

int filepages_read(struct datr *d, struct filepages *p)
{
	memset(p, 0, sizeof(*p));
	p->db = evdb_load(d);
	if (!p->db || check_recorded(d, p->db))
		return -1;
	p->log = pagelog_new(d, p->db);
	return p->log ? read_events(d, p) : -1;
}

void filepages_free(struct filepages *p)
{
	pagelog_free(p->log);
	evdb_free(p->db);
}

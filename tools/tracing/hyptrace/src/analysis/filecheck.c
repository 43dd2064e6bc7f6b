// SPDX-License-Identifier: GPL-2.0
/*
 * Checks a file. See filecheck.h.
 */
#include <stdlib.h>

#include "analysis/filecheck.h"
#include "lib/log.h"
#include "trace/evdb.h"
#include "trace/merge.h"

/**
 * struct filecheck - a check in progress
 * @d:		the file
 * @db:		its events
 * @account:	counts them
 * @checker:	looks at their order
 * @entries:	all entries to and exits from EL2 were recorded
 * @windows:	and all of kvm_entry and kvm_exit
 * @out:	where the findings go
 * @corrupt:	corrupt sub-buffers so far
 */
struct filecheck {
	struct datr *d;
	struct evdb *db;
	struct account *account;
	struct checker *checker;
	bool entries;
	bool windows;
	FILE *out;
	struct corrupt corrupt;
};

static int open_all(struct filecheck *k)
{
	bool host = datr_enabled(k->d, "kvm/kvm_entry") &&
		    datr_enabled(k->d, "kvm/kvm_exit");
	bool hyp = datr_enabled(k->d, "hypervisor/hyp_enter") &&
		   datr_enabled(k->d, "hypervisor/hyp_exit");

	k->entries = hyp;
	k->windows = host && hyp;
	k->db = evdb_load(k->d);
	k->account = account_new(k->d);
	if (!k->db || !k->account)
		return -1;
	k->checker = checker_new(host, hyp, k->out);
	return k->checker ? 0 : -1;
}

struct filecheck *filecheck_new(struct datr *d, FILE *out)
{
	struct filecheck *k = calloc(1, sizeof(*k));

	if (!k) {
		log_oom();
		return NULL;
	}
	k->d = d;
	k->out = out;
	if (!open_all(k))
		return k;
	filecheck_free(k);
	return NULL;
}

bool filecheck_entries(const struct filecheck *k)
{
	return k->entries;
}

bool filecheck_windows(const struct filecheck *k)
{
	return k->windows;
}

static int check_event(struct filecheck *k, const struct merged *ev)
{
	struct check_event c = {
		.cpu = ev->cpu, .ts = ev->ev.ts, .lost = ev->lost,
		.side = datr_side(k->d, ev->buffer),
	};

	if (!ev->ev.data) {
		corrupt_take(&k->corrupt, ev);
		return checker_corrupt(k->checker, &c, ev->offset);
	}
	c.kind = evdb_kind(k->db, &ev->ev, &c.reason);
	c.name = evdb_name(k->db, &ev->ev);
	return checker_feed(k->checker, &c);
}

static int take_event(void *ctx, const struct merged *ev)
{
	struct filecheck *k = ctx;

	account_feed(k->account, ev);
	return check_event(k, ev);
}

int filecheck_run(struct filecheck *k, const struct cpulist *cpus,
		  struct filecheck_result *result)
{
	int ret = merge_each(k->d, cpus, take_event, k);

	result->corrupt = k->corrupt;
	if (ret)
		return ret;
	account_finish(k->account, cpus, k->out, &result->account);
	return checker_finish(k->checker, result->account.no_counters, &result->order);
}

void filecheck_free(struct filecheck *k)
{
	if (!k)
		return;
	checker_free(k->checker);
	account_free(k->account);
	evdb_free(k->db);
	free(k);
}

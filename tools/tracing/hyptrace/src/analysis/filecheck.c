// SPDX-License-Identifier: GPL-2.0
/*
 * Checks a file. See filecheck.h.
 */
#include <stdlib.h>

#include "analysis/callcheck.h"
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
 * @calls:	looks at calls of functions; NULL if it cannot
 * @log:	transitions of pages
 * @guests:	looks at the times of guests' events
 * @guest:	counts the events of each guest
 * @entries:	all entries to and exits from EL2 were recorded
 * @windows:	and all of kvm_entry and kvm_exit
 * @pages:	all transitions of pages were recorded
 * @violations:	the findings
 * @corrupt:	corrupt sub-buffers so far
 */
struct filecheck {
	struct datr *d;
	struct evdb *db;
	struct account *account;
	struct checker *checker;
	struct callcheck *calls;
	struct pagelog *log;
	struct guestcheck *guests;
	struct account **guest;
	bool entries;
	bool windows;
	bool pages;
	struct violations violations;
	struct corrupt corrupt;
};

static int open_guests(struct filecheck *k)
{
	unsigned int i, nr = datr_nr_guests(k->d);

	k->guests = guestcheck_new(k->d, &k->violations);
	k->guest = calloc(nr + 1, sizeof(*k->guest));
	if (!k->guests || !k->guest)
		return log_oom();
	for (i = 0; i < nr; i++) {
		k->guest[i] = account_new(datr_guest(k->d, i)->d);
		if (!k->guest[i])
			return -1;
	}
	return 0;
}

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
	k->pages = pagelog_complete(k->d, k->db);
	k->log = pagelog_new(k->d, k->db);
	k->checker = checker_new(host, hyp, &k->violations);
	if (hyp)
		k->calls = callcheck_new(k->db, &k->violations);
	if (hyp && !k->calls)
		return -1;
	return k->log && k->checker ? open_guests(k) : -1;
}

struct filecheck *filecheck_new(struct datr *d, FILE *out)
{
	struct filecheck *k = calloc(1, sizeof(*k));

	if (!k) {
		log_oom();
		return NULL;
	}
	k->d = d;
	k->violations.out = out;
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

bool filecheck_pages(const struct filecheck *k, const struct cpulist *cpus)
{
	return k->pages && !cpus;
}

static int check_event(struct filecheck *k, const struct merged *ev)
{
	struct check_event c = {
		.cpu = ev->cpu, .ts = ev->ev.ts, .lost = ev->lost,
		.side = merged_side(k->d, ev),
	};

	if (k->calls && c.side == HYP && callcheck_feed(k->calls, ev))
		return -1;
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
	if (k->pages && pagelog_feed(k->log, ev))
		return -1;
	return check_event(k, ev);
}

static int take_guest(struct filecheck *k, const struct merged *ev)
{
	account_feed(k->guest[ev->guest - 1], ev);
	corrupt_take(&k->corrupt, ev);
	return guestcheck_feed(k->guests, k->db, ev);
}

/* Also of guests */
static int take_any(void *ctx, const struct merged *ev)
{
	struct filecheck *k = ctx;

	if (ev->guest)
		return take_guest(k, ev);
	return guestcheck_feed(k->guests, k->db, ev) || take_event(k, ev) ? -1 : 0;
}

static int each_event(struct filecheck *k, const struct cpulist *cpus)
{
	if (!cpus && datr_nr_guests(k->d))
		return merge_each_world(k->d, take_any, k);
	return merge_each(k->d, cpus, take_event, k);
}

static int check_pages(struct filecheck *k, struct pagecheck_counts *sum)
{
	struct pagecheck_counts counts[NR_PAGE_OPS] = { 0 };
	int ret;

	pagelog_finish(k->log, k->account);
	ret = pagecheck_run(k->log, NULL, &k->violations, counts);
	*sum = pagecheck_sum(counts);
	return ret;
}

int filecheck_run(struct filecheck *k, const struct cpulist *cpus,
		  struct filecheck_result *result)
{
	int ret = each_event(k, cpus);

	result->corrupt = k->corrupt;
	if (ret)
		return ret;
	account_finish(k->account, cpus, k->violations.out, &result->account);
	ret = checker_finish(k->checker, result->account.no_counters, &result->order);
	if (!ret && filecheck_pages(k, cpus))
		ret = check_pages(k, &result->pages);
	result->calls = k->calls ? callcheck_calls(k->calls) : 0;
	result->violations = k->violations.nr;
	return ret;
}

void filecheck_guest(struct filecheck *k, unsigned int i, struct guestcheck_result *times,
		     struct account_result *account)
{
	guestcheck_finish(k->guests, i, times);
	account_finish(k->guest[i], NULL, k->violations.out, account);
}

void filecheck_free(struct filecheck *k)
{
	unsigned int i;

	if (!k)
		return;
	for (i = 0; k->guest && i < datr_nr_guests(k->d); i++)
		account_free(k->guest[i]);
	free(k->guest);
	guestcheck_free(k->guests);
	checker_free(k->checker);
	callcheck_free(k->calls);
	pagelog_free(k->log);
	account_free(k->account);
	evdb_free(k->db);
	free(k);
}

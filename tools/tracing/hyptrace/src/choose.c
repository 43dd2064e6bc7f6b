// SPDX-License-Identifier: GPL-2.0
/*
 * What is to be traced. See choose.h.
 */
#include <stdlib.h>
#include <string.h>

#include "choose.h"
#include "evset.h"
#include "log.h"

static int add_events(struct strlist *set, const struct tdir *d,
		      const struct strlist *names)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++) {
		if (evset_add(set, d, names->str[i]))
			return -1;
	}
	return 0;
}

static int add_default_events(struct strlist *set, const struct tdir *d)
{
	return evset_add_if(set, d, "kvm", "kvm_entry") ||
	       evset_add_if(set, d, "kvm", "kvm_exit") ||
	       evset_add_if(set, d, "sched", "sched_switch") ? -1 : 0;
}

/* In the top directory: the instance will have the same ones */
static int choose_host_events(struct recording *r, const struct session_options *o)
{
	struct strlist *set = &r->events[HOST];
	struct tdir *d = tdir_open_host();
	int ret;

	if (!d)
		return -1;
	ret = o->events[HOST].nr ?
		add_events(set, d, &o->events[HOST]) :
		add_default_events(set, d);
	tdir_free(d);
	return ret;
}

static int choose_hyp_events(struct recording *r, const struct session_options *o)
{
	if (o->events[HYP].nr)
		return add_events(&r->events[HYP], r->dir[HYP],
				  &o->events[HYP]);
	return evset_add_all(&r->events[HYP], r->dir[HYP]);
}

static int check_cpus(const struct cpulist *want)
{
	struct cpulist online;
	unsigned int i;
	int ret = 0;

	if (cpulist_online(&online))
		return -1;
	for (i = 0; !ret && i < want->nr; i++) {
		if (!cpulist_has(&online, want->cpu[i]))
			ret = log_error("CPU %u is not online", want->cpu[i]);
	}
	cpulist_free(&online);
	return ret;
}

static int choose_cpus(struct recording *r, const struct session_options *o)
{
	const struct cpulist *want = &o->cpus;

	if (!want->nr)
		return cpulist_online(&r->cpus);
	if (check_cpus(want))
		return -1;
	r->cpus.cpu = calloc(want->nr, sizeof(*want->cpu));
	if (!r->cpus.cpu)
		return log_oom();
	memcpy(r->cpus.cpu, want->cpu, want->nr * sizeof(*want->cpu));
	r->cpus.nr = want->nr;
	return 0;
}

int choose_all(struct recording *r, const struct session_options *o)
{
	r->dir[HYP] = tdir_open_remote(o->remote);
	if (!r->dir[HYP] || choose_cpus(r, o) || choose_hyp_events(r, o))
		return -1;
	return choose_host_events(r, o);
}

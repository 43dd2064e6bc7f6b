// SPDX-License-Identifier: GPL-2.0
/*
 * Chooses what to trace. See choose.h.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "record/choose.h"
#include "record/evset.h"
#include "trace/whyevents.h"

/* If an event is given twice, the last filter is used */
static int take_event(struct recording *r, const char *id, const char *filter,
		      enum side side)
{
	struct strlist *events = &r->events[side], *filters = &r->filters[side];
	unsigned int i = strlist_find(events, id);
	char *copy;

	if (i == events->nr)
		return strlist_add(events, id) || strlist_add(filters, filter) ? -1 : 0;
	if (!*filter)
		return 0;
	copy = xasprintf("%s", filter);
	if (!copy)
		return -1;
	free(filters->str[i]);
	filters->str[i] = copy;
	return 0;
}

static int take_events(struct recording *r, const struct strlist *ids,
		       const char *filter, enum side side)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < ids->nr; i++)
		ret = take_event(r, ids->str[i], filter, side);
	return ret;
}

static int choose_named(struct recording *r, const struct tdir *d,
			const struct choices *choices, enum side side)
{
	const struct choice *c = choices->choice;
	struct strlist ids = { 0 };
	int ret = 0;

	for (; !ret && c < choices->choice + choices->nr; c++) {
		ret = evset_add(&ids, d, c->name);
		if (!ret)
			ret = take_events(r, &ids, c->filter, side);
		strlist_free(&ids);
	}
	return ret;
}

static int add_default_host(struct strlist *set, const struct tdir *d)
{
	return evset_add_if(set, d, "kvm", "kvm_entry") ||
	       evset_add_if(set, d, "kvm", "kvm_exit") ||
	       evset_add_if(set, d, "sched", "sched_switch") ? -1 : 0;
}

static int add_default_hyp(struct strlist *set, const struct tdir *d,
			   const char * const *names)
{
	int ret = 0;

	if (!names)
		return evset_add_all(set, d);
	for (; !ret && *names; names++)
		ret = evset_add_if(set, d, "hypervisor", *names);
	return ret;
}

static int choose_default(struct recording *r, const struct tdir *d,
			  const struct session_options *o, enum side side)
{
	struct strlist ids = { 0 };
	int ret = side == HYP ? add_default_hyp(&ids, d, o->default_hyp) :
				add_default_host(&ids, d);

	if (!ret)
		ret = take_events(r, &ids, "", side);
	strlist_free(&ids);
	return ret;
}

/* If the kernel has it; else say what that means */
static int choose_why_event(struct recording *r, const struct tdir *d, enum why_event ev)
{
	const struct why_source *s = whyevents_source(ev);
	struct strlist ids = { 0 };
	int ret = evset_add_if(&ids, d, s->system, s->name);

	if (!ret && !ids.nr && s->without)
		log_note("--why: the kernel has no event %s/%s; hyptrace why will not know %s",
			 s->system, s->name, s->without);
	if (!ret)
		ret = take_events(r, &ids, "", s->side);
	strlist_free(&ids);
	return ret;
}

static int choose_why(struct recording *r, const struct tdir *d, enum side side)
{
	enum why_event ev;
	int ret = 0;

	for (ev = WHY_OTHER + 1; !ret && ev < NR_WHY_EVENTS; ev++) {
		if (whyevents_source(ev)->side == side)
			ret = choose_why_event(r, d, ev);
	}
	return ret;
}

static int choose_events(struct recording *r, const struct tdir *d,
			 const struct session_options *o, enum side side)
{
	int ret = o->events[side].nr ? choose_named(r, d, &o->events[side], side) :
				       choose_default(r, d, o, side);

	return !ret && o->why ? choose_why(r, d, side) : ret;
}

/* In the top directory: the instance will have the same events */
static int choose_host_events(struct recording *r, const struct session_options *o)
{
	struct tdir *d = tdir_open_host();
	int ret = d ? choose_events(r, d, o, HOST) : -1;

	tdir_free(d);
	return ret;
}

/* Those that the last boot had, of which some may not be online, or not be there any more */
static int last_boot_cpus(const char *info, struct cpulist *list)
{
	static const char key[] = "\ncpus: ";
	const char *at = strstr(info, key);
	char *text;
	int ret;

	if (!at)
		return log_error("last_boot_info does not say which CPUs there are");
	at += sizeof(key) - 1;
	if (*at == '\n')
		return log_error("the last boot has events of no CPU that this machine has");
	text = strndup(at, strcspn(at, "\n"));
	ret = text ? cpulist_parse(text, list) : log_oom();
	free(text);
	return ret;
}

static int find_cpus(const struct recording *r, struct cpulist *list)
{
	return r->last_boot ? last_boot_cpus(r->last_boot, list) : cpulist_online(list);
}

static int check_cpus(const struct recording *r, const struct cpulist *want)
{
	struct cpulist there;
	unsigned int i;
	int ret = 0;

	if (find_cpus(r, &there))
		return -1;
	for (i = 0; !ret && i < want->nr; i++) {
		if (!cpulist_has(&there, want->cpu[i]))
			ret = log_error(r->last_boot ? "CPU %u has no buffer of the last boot" :
						       "CPU %u is not online", want->cpu[i]);
	}
	cpulist_free(&there);
	return ret;
}

static int choose_cpus(struct recording *r, const struct session_options *o)
{
	const struct cpulist *want = &o->cpus;

	if (!want->nr)
		return find_cpus(r, &r->cpus);
	if (check_cpus(r, want))
		return -1;
	r->cpus.cpu = calloc(want->nr, sizeof(*want->cpu));
	if (!r->cpus.cpu)
		return log_oom();
	memcpy(r->cpus.cpu, want->cpu, want->nr * sizeof(*want->cpu));
	r->cpus.nr = want->nr;
	return 0;
}

bool chosen_whole(const struct recording *r, const char *event, enum side side)
{
	unsigned int i = strlist_find(&r->events[side], event);

	return i < r->events[side].nr && !*r->filters[side].str[i];
}

static const char *remote_name(const struct session_options *o)
{
	return o->remote ?: "hypervisor";
}

/* The kernel keeps what it has of the last boot in a directory of its own */
static int choose_last_boot(struct recording *r, const struct session_options *o)
{
	char *name = xasprintf("%s_last_boot", remote_name(o));

	r->dir[HYP] = name ? tdir_find_remote(name) : NULL;
	free(name);
	if (!r->dir[HYP])
		return -1;
	r->last_boot = tdir_read(r->dir[HYP], "last_boot_info", NULL);
	r->last_log = tdir_read(r->dir[HYP], "last_boot_log", NULL);
	return r->last_boot && r->last_log ? choose_events(r, r->dir[HYP], o, HYP) : -1;
}

static int choose_hyp(struct recording *r, const struct session_options *o)
{
	if (o->last_boot)
		return choose_last_boot(r, o);
	r->dir[HYP] = tdir_open_remote(remote_name(o));
	return r->dir[HYP] ? choose_events(r, r->dir[HYP], o, HYP) : -1;
}

/* What an event's file has, "" for no filter; NULL with a message */
static char *filter_of(const struct tdir *d, const char *event)
{
	char *file = xasprintf("events/%s/filter", event), *text = NULL;

	if (file && tdir_has(d, file))
		text = tdir_read(d, file, NULL);
	else if (file)
		text = strdup("none\n");
	free(file);
	if (!text)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	if (!strcmp(text, "none"))
		*text = '\0';
	return text;
}

/* What is on already */
static int choose_enabled(struct recording *r, enum side side)
{
	struct strlist ids = { 0 };
	int ret = r->dir[side] ? evset_add_enabled(&ids, r->dir[side]) : -1;
	unsigned int i;
	char *filter;

	for (i = 0; !ret && i < ids.nr; i++) {
		filter = filter_of(r->dir[side], ids.str[i]);
		ret = filter ? take_event(r, ids.str[i], filter, side) : -1;
		free(filter);
	}
	strlist_free(&ids);
	return ret;
}

static int choose_from_boot(struct recording *r, const struct session_options *o)
{
	r->dir[HYP] = tdir_open_remote(remote_name(o));
	if (choose_enabled(r, HYP) || choose_cpus(r, o))
		return -1;
	r->dir[HOST] = tdir_open_host();
	return choose_enabled(r, HOST);
}

int choose_all(struct recording *r, const struct session_options *o)
{
	r->from_boot = o->from_boot;
	if (r->from_boot)
		return choose_from_boot(r, o);
	if (!o->host_only && choose_hyp(r, o))
		return -1;
	if (choose_cpus(r, o))
		return -1;
	return o->last_boot ? 0 : choose_host_events(r, o);
}

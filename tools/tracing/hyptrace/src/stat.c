// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace stat
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmdline.h"
#include "commands.h"
#include "log.h"
#include "merge.h"
#include "stat.h"

/* What vcpu_exit tells: the exit's code, and the class of its syndrome */
#define CLASS_BITS	6
#define CLASS_SHIFT	26
#define NR_EXITS	(256 << CLASS_BITS)

/* Keys of exits, among those of reasons */
#define EXIT_KEY	BIT(16)

/**
 * struct reading - a file being read
 * @d:		the file
 * @cpus:	the CPUs to look at, NULL for all
 * @watch:	who looks on, or NULL
 * @account:	counts events
 * @exits:	what a code and class are called, as found so far
 * @out:	what comes out
 */
struct reading {
	struct datr *d;
	const struct cpulist *cpus;
	const struct stat_watch *watch;
	struct account *account;
	struct dist *exits[NR_EXITS];
	struct stat_data out;
};

/* What takes the durations */

static u64 number(struct reading *r, const struct rbevent *ev,
		  const char *field)
{
	u64 value;

	return evdb_number(r->out.db, ev, field, &value) ? value : 0;
}

/* By the number in a field, named as the event prints it */
static struct dist *dist_by_field(struct reading *r, struct dists *dists,
				  const struct rbevent *ev, const char *field)
{
	u64 value = number(r, ev, field);
	struct dist *d = dists_get(dists, value);
	const char *name;
	char text[32];

	if (!d || dist_name(d))
		return d;
	name = evdb_word(r->out.db, ev, field);
	if (!name)
		snprintf(text, sizeof(text), "%llu", value);
	return dist_set_name(d, name ? name : text) ? NULL : d;
}

/* A trap is called by its class, all else by its code */
static int name_exit(struct reading *r, const struct rbevent *ev, char *name,
		     size_t size)
{
	const char *word = evdb_word(r->out.db, ev, "code");

	if (word && !strcmp(word, "TRAP"))
		word = evdb_word(r->out.db, ev, "ec");
	return snprintf(name, size, "guest_exit %s", word ? word : "?");
}

static struct dist *dist_by_name(struct dists *dists, const char *name, u64 key)
{
	struct dist *d = dists_find(dists, name);

	if (d)
		return d;
	d = dists_get(dists, key);
	return d && !dist_set_name(d, name) ? d : NULL;
}

static struct dist *dist_by_exit(struct reading *r, const struct rbevent *ev)
{
	u32 code = number(r, ev, "code") & 0xff;
	u32 class = number(r, ev, "esr") >> CLASS_SHIFT & (BIT(CLASS_BITS) - 1);
	u32 index = code << CLASS_BITS | class;
	char name[64];

	if (!r->exits[index]) {
		name_exit(r, ev, name, sizeof(name));
		r->exits[index] = dist_by_name(r->out.reasons, name,
					       EXIT_KEY + index);
	}
	return r->exits[index];
}

/* Events */

/* Fill in what depends on the kind. Return: 0, or -1 with a message. */
static int describe(struct reading *r, const struct rbevent *ev,
		    struct times_event *t)
{
	switch (t->kind) {
	case EV_HYP_ENTER:
		t->dist = dist_by_field(r, r->out.reasons, ev, "reason");
		return t->dist ? 0 : -1;
	case EV_HOST_HCALL:
		t->dist = dist_by_field(r, r->out.hcalls, ev, "id");
		return t->dist ? 0 : -1;
	case EV_VCPU_EXIT:
		t->dist = dist_by_exit(r, ev);
		return t->dist ? 0 : -1;
	case EV_HYP_EXIT:
		t->other = number(r, ev, "vcpu");
		if (!t->other)
			t->other = t->pid;
		break;
	case EV_VCPU_ENTER:
		t->vm = number(r, ev, "vm");
		t->vcpu = number(r, ev, "vcpu");
		break;
	case EV_SCHED_SWITCH:
		t->other = number(r, ev, "next_pid");
		break;
	case EV_KVM_ENTRY:
	case EV_KVM_EXIT:
	case EV_TRACE_ON:
	case EV_TRACE_OFF:
	case EV_OTHER:
		break;
	}
	return 0;
}

static int take_event(struct reading *r, const struct merged *ev)
{
	struct times_event t = {
		.cpu = ev->cpu, .ts = ev->ev.ts, .lost = ev->lost,
		.hyp = buffer_is_hyp(datr_buffer(r->d, ev->buffer)),
	};
	bool chosen = !r->cpus || cpulist_has(r->cpus, ev->cpu);

	if (chosen && r->watch &&
	    r->watch->event(r->watch->times.ctx, r->out.db, ev))
		return -1;
	if (!ev->ev.data) {
		r->out.corrupt++;
		if (chosen)
			times_lose(r->out.times, ev->cpu, t.hyp);
		return 0;
	}
	times_see(r->out.times, t.ts);
	if (!chosen)
		return 0;
	t.kind = evdb_kind(r->out.db, &ev->ev, &t.reason);
	t.pid = evdb_pid(&ev->ev);
	if (describe(r, &ev->ev, &t))
		return -1;
	return times_feed(r->out.times, &t);
}

/* All CPUs' events, as the first and the last one give the time */
static int walk_events(struct reading *r)
{
	struct merge *m = merge_new(r->d, NULL);
	struct merged ev;
	int ret = m ? 0 : -1;

	while (!ret && merge_next(m, &ev)) {
		account_feed(r->account, &ev);
		ret = take_event(r, &ev);
	}
	merge_free(m);
	return ret;
}

static int add_chosen_cpu(struct reading *r, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < datr_nr_buffers(r->d); i++) {
		if (datr_has_cpu(datr_buffer(r->d, i), cpu))
			return times_add_cpu(r->out.times, cpu);
	}
	return log_error("%s: CPU %u was not recorded", datr_name(r->d), cpu);
}

static int add_all_cpus(struct reading *r)
{
	const struct datr_buffer *b;
	unsigned int i, j;

	for (i = 0; i < datr_nr_buffers(r->d); i++) {
		b = datr_buffer(r->d, i);
		for (j = 0; j < b->nr_cpus; j++) {
			if (times_add_cpu(r->out.times, b->cpu[j].cpu))
				return -1;
		}
	}
	return 0;
}

static int add_cpus(struct reading *r)
{
	unsigned int i;

	if (!r->cpus)
		return add_all_cpus(r);
	for (i = 0; i < r->cpus->nr; i++) {
		if (add_chosen_cpu(r, r->cpus->cpu[i]))
			return -1;
	}
	return 0;
}

static int begin(struct reading *r)
{
	bool switches = datr_enabled(r->d, "sched/sched_switch");

	r->out.db = evdb_load(r->d);
	r->account = account_new(r->d);
	r->out.times = times_new(switches);
	r->out.reasons = dists_new();
	r->out.hcalls = dists_new();
	if (!r->out.db || !r->account || !r->out.times || !r->out.reasons ||
	    !r->out.hcalls)
		return -1;
	if (r->watch)
		times_set_watch(r->out.times, &r->watch->times);
	return add_cpus(r);
}

static int finish(struct reading *r)
{
	if (times_finish(r->out.times, &r->out.result))
		return -1;
	account_finish(r->account, r->cpus, NULL, &r->out.events);
	dists_sort(r->out.reasons);
	dists_sort(r->out.hcalls);
	return 0;
}

static int read_events(struct reading *r)
{
	if (!datr_enabled(r->d, "hypervisor/hyp_enter") ||
	    !datr_enabled(r->d, "hypervisor/hyp_exit"))
		return log_error("%s: hyp_enter and hyp_exit were not recorded: want a file of hyptrace record with both",
				 datr_name(r->d));
	if (begin(r) || walk_events(r))
		return -1;
	return finish(r);
}

int stat_read(struct datr *d, const struct cpulist *cpus,
	      const struct stat_watch *watch, struct stat_data *out)
{
	struct reading *r = calloc(1, sizeof(*r));
	int ret;

	memset(out, 0, sizeof(*out));
	if (!r)
		return log_oom();
	r->d = d;
	r->cpus = cpus;
	r->watch = watch;
	ret = read_events(r);
	account_free(r->account);
	*out = r->out;
	free(r);
	return ret;
}

int stat_check(const struct stat_data *s, const struct datr *d, int ret)
{
	if (!s->corrupt)
		return ret;
	log_error("%s: %llu corrupt sub-buffers", datr_name(d), s->corrupt);
	return ret ? ret : 1;
}

void stat_free(struct stat_data *s)
{
	times_free(s->times);
	dists_free(s->reasons);
	dists_free(s->hcalls);
	evdb_free(s->db);
}

int stat_file(struct datr *d, const struct cpulist *cpus, bool json,
	      bool histogram, FILE *out)
{
	struct stat_data s;
	int ret = stat_read(d, cpus, NULL, &s);

	if (!ret && json)
		stat_print_json(&s, histogram, out);
	else if (!ret)
		stat_print_text(&s, histogram, out);
	ret = stat_check(&s, d, ret);
	stat_free(&s);
	return ret;
}

/* The command line */

static const char doc[] =
	"Says where time went while FILE was recorded: in the host, at EL2 or in\n"
	"guests. All times are microseconds, to the nanosecond; all shares are of the\n"
	"recording's time, from its first event to its last.\n"
	"\n"
	"  CPU        these times of each CPU; they add up to the recording's time\n"
	"  TASK       of each task; the host's part takes sched_switch\n"
	"  VCPU       of each vCPU, as VM:VCPU, and of the task that runs it\n"
	"  EL2 ENTRY  durations, from hyp_enter to hyp_exit, by reason; after a\n"
	"             guest's run by what ended it, if vcpu_exit was recorded\n"
	"  HYPERCALL  durations of the host's calls, without the time in a guest;\n"
	"             takes host_hcall\n"
	"  SWITCH     host kvm_entry to the guest, guest to kvm_exit\n"
	"\vPercentiles are exact: the least value that so many do not exceed. EL2's\n"
	"time has that of the firmware which it calls for the host. Where events were\n"
	"lost, time is 'unknown', and what they interrupt is not measured.\n"
	"\n"
	"Exit status: 0; 1 on errors; 2 for a wrong command line.";

static const struct argp_option options[] = {
	{ "histogram", 'H', NULL, 0, "also count durations by powers of two of ns", 0 },
	{ "json", 'j', NULL, 0, "one JSON document, all times in ns", 0 },
	{ 0 }
};

struct options {
	struct input in;
	bool histogram;
	bool json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->in;
		return 0;
	case 'H':
		o->histogram = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = doc,
	.children = cmdline_input,
};

static int run(const struct options *o)
{
	struct datr *d = datr_open(o->in.path[0]);
	int ret;

	if (!d)
		return EXIT_ERROR;
	ret = stat_file(d, input_cpus(&o->in), o->json, o->histogram, stdout);
	datr_free(d);
	return cmdline_exit(ret);
}

int stat_main(int argc, char **argv)
{
	struct options o = { .in.want = 1 };
	int ret = EXIT_USAGE;

	if (!cmdline_parse(&argp, argc, argv, 0, &o))
		ret = run(&o);
	input_free(&o.in);
	return ret;
}

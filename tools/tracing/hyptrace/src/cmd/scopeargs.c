// SPDX-License-Identifier: GPL-2.0
/*
 * Options of what statistics are of. See scopeargs.h.
 */
#include <string.h>

#include "cmd/cmdline.h"
#include "cmd/scopeargs.h"
#include "lib/log.h"
#include "trace/merge.h"

/* Twice as many are less than 2^64 ns */
#define MAX_SECONDS	4000000000ULL

/* "16.3", or "+0.5"; as far as @end. Return: 0, or -1 without a message. */
static int take_time(const char *text, const char *end, u64 *ns, bool *since_first)
{
	*since_first = *text == '+';
	text = parse_stamp(text + *since_first, ns);
	return text == end && *ns / NSEC_PER_SEC <= MAX_SECONDS ? 0 : -1;
}

static int set_time(struct scopeargs *a, const char *arg)
{
	const char *comma = strchr(arg, ',');
	const char *end = arg + strlen(arg);
	struct scope *s = &a->scope;

	s->from = 0;
	s->to = 0;
	if (comma && end - arg > 1 &&
	    (comma == arg || !take_time(arg, comma, &s->from, &a->since_first[0])) &&
	    (comma + 1 == end || (!take_time(comma + 1, end, &s->to, &a->since_first[1]) && s->to)))
		return 0;
	return log_error("bad time '%s': expected FROM,TO in seconds, such as 16.3,16.5 or +0.5,+0.7",
			 arg);
}

/* "0x1003", or "4099". Return: what follows it, or NULL without a message. */
static const char *take_u32(const char *text, u32 *out)
{
	u64 number;

	text = parse_id(text, UINT32_MAX, &number);
	if (text)
		*out = number;
	return text;
}

static int set_vm(struct scope *s, const char *arg)
{
	const char *end = take_u32(arg, &s->vm);

	s->by_vm = true;
	s->by_vcpu = false;
	if (end && !*end)
		return 0;
	return log_error("bad VM '%s': expected its handle, such as 0x1003", arg);
}

static int set_vcpu(struct scope *s, const char *arg)
{
	const char *end = take_u32(arg, &s->vm);

	s->by_vm = true;
	s->by_vcpu = true;
	end = end && *end == ':' ? take_u32(end + 1, &s->vcpu) : NULL;
	if (end && !*end)
		return 0;
	return log_error("bad vCPU '%s': expected VM:VCPU, such as 0x1003:0", arg);
}

enum { OPT_TIME = SCOPE_KEYS, OPT_TASK, OPT_VM, OPT_VCPU };

static const struct argp_option options[] = {
	{ "time", OPT_TIME, "WHEN", 0,
	  "only what happened at FROM,TO: seconds as report prints them or, with a '+', since the first event; one of them can be left out",
	  0 },
	{ "task", OPT_TASK, "TASK", 0, "only the task of this pid, or tasks of this name", 0 },
	{ "vm", OPT_VM, "VM", 0, "only tasks while they run a vCPU of this VM, such as 0x1003", 0 },
	{ "vcpu", OPT_VCPU, "VCPU", 0, "only tasks while they run this vCPU, such as 0x1003:0",
	  0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct scopeargs *a = state->input;

	switch (key) {
	case OPT_TIME:
		return cmdline_told(set_time(a, arg));
	case OPT_TASK:
		a->scope.task = arg;
		return 0;
	case OPT_VM:
		return cmdline_told(set_vm(&a->scope, arg));
	case OPT_VCPU:
		return cmdline_told(set_vcpu(&a->scope, arg));
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp scope_argp = {
	.options = options,
	.parser = parse,
};

bool scopeargs_given(const struct scopeargs *a)
{
	const struct scope *s = &a->scope;

	return s->from || s->to || scope_limits(s);
}

int scopeargs_resolve(const struct scopeargs *a, const struct datr *d, struct scope *scope)
{
	u64 first;

	if (merge_first(d, &first))
		return -1;
	*scope = a->scope;
	if (a->since_first[0])
		scope->from += first;
	if (a->since_first[1])
		scope->to += first;
	if (!scope->to || scope->to > scope->from)
		return 0;
	return log_error("%s: the time from %llu.%09llu to %llu.%09llu is empty", datr_name(d),
			 scope->from / NSEC_PER_SEC, scope->from % NSEC_PER_SEC,
			 scope->to / NSEC_PER_SEC, scope->to % NSEC_PER_SEC);
}

typedef const struct times_row *(*row_at)(const struct times *t, unsigned int i);

/* Whether a row of @at is in the scope, as a task or as a vCPU */
static bool has_row(const struct scope *s, const struct times *t, row_at at)
{
	const struct times_row *r;
	unsigned int i;

	for (i = 0; (r = at(t, i)); i++) {
		if (scope_has_row(s, r, r))
			return true;
	}
	return false;
}

int scopeargs_check(const struct scopeargs *a, const struct datr *d, const struct profile *s)
{
	struct scope task = { .task = a->scope.task, .db = s->db };
	struct scope vcpu = a->scope;

	vcpu.task = NULL;
	if (!s->result.wall)
		return log_error("%s: nothing was recorded at that time: expected one that report prints",
				 datr_name(d));
	if (!has_row(&task, s->times, times_task))
		return log_error("%s: no task '%s': expected one of the table of stat",
				 datr_name(d), task.task);
	if (a->scope.by_vm && !has_row(&vcpu, s->times, times_vcpu))
		return log_error("%s: no such VM or vCPU: expected one of the table of stat",
				 datr_name(d));
	return 0;
}

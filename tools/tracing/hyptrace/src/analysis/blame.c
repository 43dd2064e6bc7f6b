// SPDX-License-Identifier: GPL-2.0
/*
 * What is to blame for a delay. See blame.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/blame.h"
#include "lib/log.h"
#include "lib/util.h"

static const struct {
	const char *word, *title;
} parts[NR_PARTS] = {
	[PART_RUNNABLE]	= { "runnable", "could run, but did not; instead ran" },
	[PART_ASLEEP]	= { "asleep", "asleep in" },
	[PART_LOCK]	= { "lock", "waited for a lock:" },
	[PART_KERNEL]	= { "kernel", "host, kernel:" },
	[PART_IRQ]	= { "interrupt", "host, interrupt" },
	[PART_SOFTIRQ]	= { "softirq", "host, softirq" },
	[PART_IPI]	= { "ipi", "host, IPI" },
	[PART_USER]	= { "user", "VMM, user space" },
	[PART_HOST]	= { "host", "host, kernel or user space" },
	[PART_EL2]	= { "el2", "EL2:" },
	[PART_TLB]	= { "tlb_flush", "EL2, TLB flush:" },
	[PART_FIRMWARE]	= { "firmware", "firmware:" },
	[PART_OFF]	= { "cpu_off", "could run, but the CPU was off" },
	[PART_UNKNOWN]	= { "unknown", "unknown" },
};

const char *part_word(enum part part)
{
	return parts[part].word;
}

const char *part_title(enum part part)
{
	return parts[part].title;
}

/* Names */

static char *task_name(const struct filedelays *f, u64 task)
{
	if (task == LABEL_UNKNOWN_TASK)
		return xasprintf("something unknown");
	if (task == LABEL_IDLE)
		return xasprintf("nothing");
	return xasprintf("%s-%d", evdb_comm(f->db, task), (s32)task);
}

static char *call_name(u64 id)
{
	const char *name = labels_call(id);

	if (id == LABEL_UNKNOWN_CALL)
		return xasprintf("an unknown system call");
	if (id == LABEL_NO_CALL)
		return xasprintf("no system call");
	return name ? xasprintf("%s", name) : xasprintf("system call %llu", id);
}

char *blame_what(const struct filedelays *f, const struct label *label)
{
	const char *name;

	switch (label->part) {
	case PART_RUNNABLE:
		return task_name(f, label->id);
	case PART_KERNEL:
	case PART_ASLEEP:
		return call_name(label->id);
	case PART_LOCK:
	case PART_IRQ:
	case PART_SOFTIRQ:
	case PART_EL2:
	case PART_TLB:
	case PART_FIRMWARE:
		name = labels_name(f->labels, label);
		return xasprintf("%s", name ? name : "");
	case PART_IPI:
	case PART_USER:
	case PART_HOST:
	case PART_OFF:
	case PART_UNKNOWN:
	case NR_PARTS:
		break;
	}
	return xasprintf("%s", "");
}

/* What it follows */

static bool tells_mmio(const struct filedelays *f)
{
	return !filedelays_missing(f, WHY_MMIO);
}

char *blame_after(const struct filedelays *f, const struct delay *d)
{
	const char *name = labels_name(f->labels, &d->exit);
	const char *fault = d->mmio ? "an MMIO access" :
			    tells_mmio(f) ? "a stage-2 fault" : "a stage-2 fault or an MMIO access";

	if (d->woken)
		return xasprintf("the wake-up");
	if (d->exit_kind == EXIT_KIND_ABORT && d->ipa)
		return xasprintf("%s (%s) at 0x%llx", fault, name, d->ipa);
	if (d->exit_kind == EXIT_KIND_ABORT)
		return xasprintf("%s (%s)", fault, name);
	return xasprintf("%s", name ? name : "an exit");
}

/* Kinds of parts that are blamed together */

enum group {
	/* parts of their own: enum part */
	GROUP_INTERRUPTS = NR_PARTS,
	GROUP_FAULT,
	NR_GROUPS
};

static unsigned int group_of(const struct delay *d, const struct label *l)
{
	switch (l->part) {
	case PART_IRQ:
	case PART_SOFTIRQ:
	case PART_IPI:
		return GROUP_INTERRUPTS;
	case PART_KERNEL:
		if (l->id != LABEL_KVM_RUN)
			return l->part;
		break;
	case PART_EL2:
	case PART_TLB:
		break;
	default:	/* of their own */
		return l->part;
	}
	return d->exit_kind == EXIT_KIND_ABORT && !d->mmio && !d->woken ? GROUP_FAULT : l->part;
}

/**
 * struct culprit - what is to blame
 * @group:	the kind
 * @ns:		how long that took
 * @nr:		in how many pieces
 * @t:		the longest part of it
 */
struct culprit {
	unsigned int group;
	u64 ns;
	u64 nr;
	const struct total *t;
};

/* The totals come with the longest first; of groups that are equal, so does the culprit */
static struct culprit find_culprit(const struct delay *d, const struct total *t, size_t nr)
{
	struct culprit c[NR_GROUPS] = { 0 }, *one, *worst = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		one = &c[group_of(d, &t[i].label)];
		one->group = one - c;
		one->ns += t[i].ns;
		one->nr += t[i].nr;
		if (!one->t)
			one->t = &t[i];
	}
	for (i = 0; i < nr; i++) {
		one = &c[group_of(d, &t[i].label)];
		if (!worst || one->ns > worst->ns)
			worst = one;
	}
	return *worst;
}

/*
 * The sentence, for one part:	SUBJECT took N % of the time after EVENT, and others of its
 *				kind N %.
 * for many:			SUBJECT took N % of the time after EVENT, most of it PART (N %).
 */

static bool is_collective(const struct culprit *c)
{
	return c->group == GROUP_INTERRUPTS || c->group == GROUP_FAULT ||
	       (c->group == PART_RUNNABLE && c->t->ns <= c->ns / 2);
}

static char *runnable_subject(const struct culprit *c, const char *what)
{
	unsigned int cpu = c->t->longest->cpu;

	if (c->t->label.id == LABEL_IDLE)
		return xasprintf("CPU %u, which was idle although the vCPU's task could run,", cpu);
	if (is_collective(c))
		return xasprintf("other tasks, which ran instead of the vCPU's,");
	return xasprintf("%s, which ran on CPU %u instead of the vCPU's task,", what, cpu);
}

static char *asleep_subject(const struct culprit *c, const char *what)
{
	if (c->t->label.id == LABEL_KVM_RUN)
		return xasprintf("the vCPU's task, which slept in the kernel, in KVM_RUN,");
	if (c->t->label.id == LABEL_NO_CALL)
		return xasprintf("the VMM, stopped by a signal or in a page fault,");
	return xasprintf("the VMM, which slept in %s,", what);
}

static char *kernel_subject(const struct culprit *c, const char *what)
{
	if (c->t->label.id == LABEL_KVM_RUN)
		return xasprintf("the host's kernel, which handled the exit,");
	return xasprintf("the host's kernel, which executed %s for the VMM,", what);
}

static char *part_subject(const struct culprit *c, const char *what)
{
	switch (c->t->label.part) {
	case PART_RUNNABLE:
		return runnable_subject(c, what);
	case PART_ASLEEP:
		return asleep_subject(c, what);
	case PART_LOCK:
		return xasprintf("the wait for a lock of the kernel, a %s,", what);
	case PART_KERNEL:
		return kernel_subject(c, what);
	case PART_USER:
		return xasprintf("the VMM in user space");
	case PART_HOST:
		return xasprintf("the host, its kernel or the VMM,");
	case PART_EL2:
		return xasprintf("EL2, which executed %s,", what);
	case PART_TLB:
		return xasprintf("EL2, which flushed the TLB (%s),", what);
	case PART_FIRMWARE:
		return xasprintf("firmware, which executed %s,", what);
	case PART_OFF:
		return xasprintf("CPU %u, which was off although the vCPU's task could run,",
				 c->t->longest->cpu);
	case PART_IRQ:
	case PART_SOFTIRQ:
	case PART_IPI:
	case PART_UNKNOWN:
	case NR_PARTS:
		break;
	}
	return xasprintf("something unknown");
}

static char *subject(const struct culprit *c, const char *what)
{
	if (c->group == GROUP_INTERRUPTS)
		return xasprintf("interrupts on CPU %u, in %llu pieces,", c->t->longest->cpu,
				 c->nr);
	if (c->group == GROUP_FAULT)
		return xasprintf("the handling of the fault");
	return part_subject(c, what);
}

static char *sentence(const struct delay *d, const struct culprit *c, const char *what,
		      const char *who, const char *after)
{
	double percent = (d->end - d->start) / 100.0;
	double others = (c->ns - c->t->ns) / percent;

	if (is_collective(c))
		return xasprintf("%s took %.1f %% of the time after %s, most of it %s%s%s (%.1f %%).",
				 who, c->ns / percent, after, part_title(c->t->label.part),
				 *what ? " " : "", what, c->t->ns / percent);
	if (others < 0.05)	/* printed as 0.0 */
		return xasprintf("%s took %.1f %% of the time after %s.", who,
				 c->t->ns / percent, after);
	return xasprintf("%s took %.1f %% of the time after %s, and others of its kind %.1f %%.",
			 who, c->t->ns / percent, after, others);
}

char *blame_sentence(const struct filedelays *f, const struct delay *d,
		     const struct total *t, size_t nr)
{
	const struct culprit c = find_culprit(d, t, nr);
	char *what = blame_what(f, &c.t->label), *after = blame_after(f, d);
	char *who = what ? subject(&c, what) : NULL;
	char *text = who && after ? sentence(d, &c, what, who, after) : NULL;

	free(what);
	free(after);
	free(who);
	return text;
}

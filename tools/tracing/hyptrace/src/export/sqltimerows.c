// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of where time goes. See timerows.h.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/fileprofile.h"
#include "export/sqltimerows.h"
#include "lib/log.h"

/**
 * struct open_window - a window that has not ended
 * @open:	there is one
 * @ts:		when it began
 * @pid:	the task
 * @entries:	EL2 entries in it
 * @runs:	times that the guest was entered
 * @lost:	events of the hypervisor were lost in it
 */
struct open_window {
	bool open;
	u64 ts;
	s32 pid;
	u64 entries;
	u64 runs;
	bool lost;
};

/**
 * struct timerows - a recording being read
 * @recording:	the recording
 * @out:	gets the rows
 * @reading:	computes them
 * @watch:	what the table has as @how
 * @window:	of each CPU; only of the table of windows
 */
struct timerows {
	struct query_recording *recording;
	struct cells *out;
	struct profile_reading *reading;
	struct profile_watch watch;
	struct open_window *window;
};

/* Cells that several tables have */

static void add_time(struct cells *out, unsigned int cpu, u64 start, u64 end)
{
	cells_integer(out, cpu);
	cells_integer(out, start);
	cells_integer(out, end);
}

static void add_task(const struct timerows *t, s32 pid)
{
	if (pid < 0) {
		cells_null(t->out);
		cells_null(t->out);
		return;
	}
	cells_integer(t->out, pid);
	cells_text(t->out, evdb_comm(t->recording->db, pid));
}

static void add_vcpu(struct cells *out, const struct times_row *vcpu)
{
	if (!vcpu || !vcpu->named) {
		cells_null(out);
		cells_null(out);
		return;
	}
	cells_integer(out, vcpu->vm);
	cells_integer(out, vcpu->vcpu);
}

static void add_name(struct cells *out, const struct dist *d)
{
	cells_text(out, d ? dist_name(d) : NULL);
}

/* Rows */

static void take_stay(void *ctx, const struct times_stay *s)
{
	struct timerows *t = ctx;

	add_time(t->out, s->cpu, s->start, s->end);
	cells_integer(t->out, s->end - s->start);
	add_name(t->out, s->reason);
	add_name(t->out, s->call);
	add_task(t, s->task);
	add_vcpu(t->out, s->vcpu);
}

static void take_call(void *ctx, const struct times_call *c)
{
	struct timerows *t = ctx;

	add_time(t->out, c->cpu, c->start, c->end);
	cells_integer(t->out, c->ns);
	add_name(t->out, c->call);
	add_task(t, c->task);
}

static void take_switch(void *ctx, const struct times_switch *s)
{
	struct timerows *t = ctx;

	add_time(t->out, s->cpu, s->start, s->end);
	cells_integer(t->out, s->end - s->start);
	cells_text(t->out, way_name(s->way));
	add_task(t, s->task);
	add_vcpu(t->out, s->vcpu);
}

static void take_span(void *ctx, const struct times_span *s)
{
	struct timerows *t = ctx;

	add_time(t->out, s->cpu, s->start, s->start + s->ns);
	cells_integer(t->out, s->ns);
	cells_text(t->out, place_name(s->place));
	add_task(t, s->task->id);
	add_vcpu(t->out, s->vcpu);
	cells_integer(t->out, s->vcpu ? 1 : 0);
}

static void take_entry(void *ctx, const struct times_entry *e)
{
	struct timerows *t = ctx;

	cells_integer(t->out, e->cpu);
	cells_integer(t->out, e->ts);
	add_task(t, e->task);
	add_vcpu(t->out, e->vcpu);
}

/* Windows */

static void end_window(struct timerows *t, const struct merged *ev)
{
	struct open_window *w = &t->window[ev->cpu];

	if (!w->open || w->pid != evdb_pid(&ev->ev))
		return;
	add_time(t->out, ev->cpu, w->ts, ev->ev.ts);
	cells_integer(t->out, ev->ev.ts - w->ts);
	add_task(t, w->pid);
	cells_integer(t->out, w->entries);
	cells_integer(t->out, w->runs);
	cells_integer(t->out, w->lost);
}

static void window_host(struct timerows *t, const struct merged *ev, enum ev_kind kind)
{
	struct open_window *w = &t->window[ev->cpu];

	if (ev->lost)
		w->open = false;
	if (kind == EV_KVM_EXIT)
		end_window(t, ev);
	if (kind == EV_KVM_ENTRY || kind == EV_KVM_EXIT)
		*w = (struct open_window) {
			.open = kind == EV_KVM_ENTRY, .ts = ev->ev.ts, .pid = evdb_pid(&ev->ev),
		};
}

static void window_hyp(struct open_window *w, const struct merged *ev, enum ev_kind kind,
		       enum ev_reason reason)
{
	if (ev->lost || kind == EV_TRACE_OFF)
		w->lost = true;
	w->entries += kind == EV_HYP_ENTER;
	w->runs += kind == EV_HYP_EXIT && reason == REASON_ERET_GUEST;
}

static int take_event(void *ctx, struct evdb *db, const struct merged *ev)
{
	struct timerows *t = ctx;
	bool host = datr_side(t->recording->d, ev->buffer) == HOST;
	enum ev_reason reason;
	enum ev_kind kind;

	if (!ev->ev.data) {
		if (host)
			t->window[ev->cpu].open = false;
		t->window[ev->cpu].lost = true;
		return 0;
	}
	kind = evdb_kind(db, &ev->ev, &reason);
	if (host)
		window_host(t, ev, kind);
	else
		window_hyp(&t->window[ev->cpu], ev, kind, reason);
	return 0;
}

/* Beginning and end */

static void end(void *rows)
{
	struct timerows *t = rows;

	fileprofile_end(t->reading);
	free(t->window);
	free(t);
}

static void *begin(const struct computed_table *table, struct query_recording *r,
		   struct cells *out)
{
	const struct profile_watch *watch = table->how;
	struct timerows *t = calloc(1, sizeof(*t));

	if (t && watch->event)
		t->window = calloc(MAX_CPUS, sizeof(*t->window));
	if (!t || (watch->event && !t->window)) {
		log_oom();
		free(t);
		return NULL;
	}
	t->recording = r;
	t->out = out;
	t->watch = *watch;
	t->watch.times.ctx = t;
	t->reading = fileprofile_begin(r->d, &t->watch);
	if (t->reading)
		return t;
	end(t);
	return NULL;
}

static int step(void *rows)
{
	struct timerows *t = rows;
	int ret = fileprofile_step(t->reading);

	if (!ret)
		recording_corrupt(t->recording, &fileprofile_so_far(t->reading)->corrupt);
	return ret;
}

/* The row follows from all events */
static int step_summary(void *rows)
{
	struct timerows *t = rows;
	const struct profile *s = fileprofile_so_far(t->reading);
	int ret = step(t);

	if (ret)
		return ret;
	cells_integer(t->out, s->events.seen[HYP]);
	cells_integer(t->out, s->events.seen[HOST]);
	if (s->events.vague)
		cells_null(t->out);
	else
		cells_integer(t->out, s->events.lost);
	cells_integer(t->out, s->events.unmarked);
	cells_integer(t->out, s->corrupt.nr);
	cells_integer(t->out, s->result.losses);
	cells_integer(t->out, s->result.misplaced);
	cells_integer(t->out, s->result.no_exit);
	cells_integer(t->out, s->result.no_entry);
	return 0;
}

/* The tables */

static const struct query_column entry_columns[] = {
	RECORDING_COLUMN, CPU_COLUMN, TS_COLUMN, END_COLUMN,
	{ "ns", "INTEGER", "duration, in ns" },
	{ "reason", "TEXT", "why EL2 was entered; of a guest's exit, what ended its run" },
	{ "hypercall", "TEXT", "name of the hypercall, or NULL" },
	PID_COLUMN, COMM_COLUMN, VM_COLUMN, VCPU_COLUMN, { 0 }
};

const struct computed_table entry_table = {
	.name = "entry",
	.what = "an EL2 entry, from hyp_enter to hyp_exit",
	.column = entry_columns,
	.by = "reason",
	.rollup = ROLLUP_TIMES,
	.how = &(const struct profile_watch) { .times.stay = take_stay },
	.begin = begin,
	.step = step,
	.end = end,
};

static const struct query_column hypercall_columns[] = {
	RECORDING_COLUMN, CPU_COLUMN, TS_COLUMN, END_COLUMN,
	{ "ns", "INTEGER", "time at EL2, in ns: without that in a guest" },
	{ "name", "TEXT", "name of the hypercall" },
	PID_COLUMN, COMM_COLUMN, { 0 }
};

const struct computed_table hypercall_table = {
	.name = "hypercall",
	.what = "a hypercall of the host, from hyp_enter to the return to the host",
	.column = hypercall_columns,
	.by = "name",
	.rollup = ROLLUP_TIMES,
	.how = &(const struct profile_watch) { .times.call = take_call },
	.begin = begin,
	.step = step,
	.end = end,
};

static const struct query_column switch_columns[] = {
	RECORDING_COLUMN, CPU_COLUMN, TS_COLUMN, END_COLUMN,
	{ "ns", "INTEGER", "latency, in ns" },
	{ "way", "TEXT", "the direction: 'kvm_entry to guest' or 'guest to kvm_exit'" },
	PID_COLUMN, COMM_COLUMN, VM_COLUMN, VCPU_COLUMN, { 0 }
};

const struct computed_table switch_table = {
	.name = "switch",
	.what = "a world switch between the host's kvm_entry or kvm_exit and the guest",
	.column = switch_columns,
	.by = "way",
	.rollup = ROLLUP_TIMES,
	.how = &(const struct profile_watch) { .times.way = take_switch },
	.begin = begin,
	.step = step,
	.end = end,
};

static const struct query_column window_columns[] = {
	RECORDING_COLUMN, CPU_COLUMN, TS_COLUMN, END_COLUMN,
	{ "ns", "INTEGER", "duration, in ns" },
	PID_COLUMN, COMM_COLUMN,
	{ "entries", "INTEGER", "EL2 entries in it" },
	{ "runs", "INTEGER", "how often the guest was entered in it" },
	{ "lost", "INTEGER", "1 if events of the hypervisor were lost in it, else 0" },
	{ 0 }
};

const struct computed_table window_table = {
	.name = "window",
	.what = "a run of a vCPU as the host sees it, from kvm_entry to kvm_exit",
	.column = window_columns,
	.how = &(const struct profile_watch) { .event = take_event },
	.begin = begin,
	.step = step,
	.end = end,
};

static const struct query_column cpu_time_columns[] = {
	RECORDING_COLUMN, CPU_COLUMN, TS_COLUMN, END_COLUMN,
	{ "ns", "INTEGER", "duration, in ns" },
	{ "place", "TEXT", "'task', 'irq', 'softirq', 'idle', 'el2', 'guest', 'unknown': as stat" },
	PID_COLUMN, COMM_COLUMN, VM_COLUMN, VCPU_COLUMN,
	{ "vcpu_thread", "INTEGER", "1 if the task has run a vCPU, else 0" },
	{ 0 }
};

const struct computed_table cpu_time_table = {
	.name = "cpu_time",
	.what = "a stretch of time of a CPU; those of a CPU are the whole recording, without a gap",
	.column = cpu_time_columns,
	.by = "place",
	.rollup = ROLLUP_SUMS,
	.how = &(const struct profile_watch) { .times.span = take_span },
	.begin = begin,
	.step = step,
	.end = end,
};

static const struct query_column guest_entry_columns[] = {
	RECORDING_COLUMN, CPU_COLUMN,
	{ "ts", "INTEGER", "timestamp, in ns" },
	PID_COLUMN, COMM_COLUMN,
	{ "vm", "INTEGER", "handle of its VM, or NULL if that is not known" },
	{ "vcpu", "INTEGER", "index of the vCPU in the VM, or NULL" },
	{ 0 }
};

const struct computed_table guest_entry_table = {
	.name = "guest_entry",
	.what = "an entry of a guest",
	.column = guest_entry_columns,
	.how = &(const struct profile_watch) { .times.entry = take_entry },
	.begin = begin,
	.step = step,
	.end = end,
};

static const struct query_column summary_columns[] = {
	RECORDING_COLUMN,
	{ "events", "INTEGER", "events of the hypervisor" },
	{ "host_events", "INTEGER", "events of the host" },
	{ "lost", "INTEGER", "events lost, as the kernel has counted them; NULL if it did not" },
	{ "dropped", "INTEGER", "of these, those without a mark where they are missing" },
	{ "corrupt", "INTEGER", "corrupt sub-buffers" },
	{ "losses", "INTEGER", "places where events were lost" },
	{ "misplaced", "INTEGER", "events that contradict the state before them" },
	{ "entries_without_exit", "INTEGER", "EL2 entries that are not in the table entry" },
	{ "exits_without_entry", "INTEGER", "exits from EL2 whose entry was not seen" },
	{ 0 }
};

const struct computed_table summary_table = {
	.name = "summary",
	.what = "what a recording has, and what of it could not be measured",
	.column = summary_columns,
	.how = &(const struct profile_watch) { 0 },
	.begin = begin,
	.step = step_summary,
	.end = end,
};

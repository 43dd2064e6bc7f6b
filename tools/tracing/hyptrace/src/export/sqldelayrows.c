// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of delays. See delayrows.h.
 */
#include <stdlib.h>

#include "analysis/blame.h"
#include "analysis/filedelays.h"
#include "export/sqldelayrows.h"
#include "lib/log.h"

struct delayrows;

/**
 * struct delayhow - what a table has of each delay
 * @add:	adds its rows; NULL for none. Return: 0, or -1 with a message
 */
struct delayhow {
	int (*add)(struct delayrows *r, const struct delay *d);
};

/**
 * struct delayrows - a recording being read
 * @recording:	the recording
 * @out:	gets the rows
 * @reading:	finds the delays
 * @how:	what becomes of them
 * @nr:		delays so far
 */
struct delayrows {
	struct query_recording *recording;
	struct cells *out;
	struct delays_reading *reading;
	const struct delayhow *how;
	u64 nr;
};

static int add_blame(struct delayrows *r, const struct delay *d)
{
	size_t nr;
	struct total *t = pieces_totals(&d->pieces, &nr);

	if (!t)
		return -1;
	if (nr)
		cells_owned(r->out, blame_sentence(filedelays_so_far(r->reading), d, t, nr));
	else
		cells_null(r->out);
	free(t);
	return 0;
}

static int add_delay(struct delayrows *r, const struct delay *d)
{
	const struct delay_vcpu *whose = &d->whose;

	cells_integer(r->out, r->nr);
	cells_integer(r->out, d->cpu);
	cells_integer(r->out, d->start);
	cells_integer(r->out, d->end);
	cells_integer(r->out, d->end - d->start);
	cells_integer(r->out, whose->task);
	cells_copy(r->out, evdb_comm(r->recording->db, whose->task));
	if (whose->named) {
		cells_integer(r->out, whose->vm);
		cells_integer(r->out, whose->vcpu);
	} else {
		cells_null(r->out);
		cells_null(r->out);
	}
	cells_owned(r->out, blame_after(filedelays_so_far(r->reading), d));
	return add_blame(r, d);
}

static void add_label(struct delayrows *r, const struct label *label)
{
	cells_text(r->out, part_word(label->part));
	cells_owned(r->out, blame_what(filedelays_so_far(r->reading), label));
}

static int add_parts(struct delayrows *r, const struct delay *d)
{
	size_t i, nr;
	struct total *t = pieces_totals(&d->pieces, &nr);

	if (!t)
		return -1;
	for (i = 0; i < nr; i++) {
		cells_integer(r->out, r->nr);
		cells_integer(r->out, t[i].ns);
		add_label(r, &t[i].label);
		cells_integer(r->out, t[i].nr);
	}
	free(t);
	return 0;
}

static int add_pieces(struct delayrows *r, const struct delay *d)
{
	const struct piece *p;
	size_t i;

	for (i = 0; i < d->pieces.nr; i++) {
		p = &d->pieces.piece[i];
		cells_integer(r->out, r->nr);
		cells_integer(r->out, p->cpu);
		cells_integer(r->out, p->start);
		cells_integer(r->out, p->end);
		cells_integer(r->out, p->end - p->start);
		add_label(r, &p->label);
	}
	return 0;
}

static int take_delay(void *ctx, struct delay *d)
{
	struct delayrows *r = ctx;

	r->nr++;
	if (r->how->add && r->how->add(r, d))
		return -1;
	return r->out->failed ? -1 : 0;
}

static void end(void *rows)
{
	struct delayrows *r = rows;

	filedelays_end(r->reading);
	free(r);
}

static void *begin(const struct computed_table *t, struct query_recording *recording,
		   struct cells *out)
{
	struct delayrows *r = calloc(1, sizeof(*r));

	if (!r) {
		log_oom();
		return NULL;
	}
	*r = (struct delayrows) { .recording = recording, .out = out, .how = t->how };
	r->reading = filedelays_begin(recording->d, take_delay, r);
	if (r->reading)
		return r;
	end(r);
	return NULL;
}

static int step(void *rows)
{
	struct delayrows *r = rows;
	int ret = filedelays_step(r->reading);

	if (!ret)
		recording_corrupt(r->recording, &filedelays_so_far(r->reading)->corrupt);
	return ret;
}

/* The row follows from all events */
static int step_summary(void *rows)
{
	struct delayrows *r = rows;
	const struct delays_result *result = &filedelays_so_far(r->reading)->result;
	int ret = step(r);

	if (ret)
		return ret;
	cells_integer(r->out, r->nr);
	cells_integer(r->out, result->idle);
	cells_integer(r->out, result->lost);
	cells_integer(r->out, result->cut);
	return 0;
}

static const struct query_column delay_columns[] = {
	RECORDING_COLUMN,
	{ "id", "INTEGER", "its number in the recording, from 1 on" },
	{ "cpu", "INTEGER", "number of the CPU on which it ends" },
	TS_COLUMN, END_COLUMN,
	{ "ns", "INTEGER", "duration, in ns" },
	{ "pid", "INTEGER", "the task that runs the vCPU" }, COMM_COLUMN,
	{ "vm", "INTEGER", "handle of its VM, or NULL if that is not known" },
	{ "vcpu", "INTEGER", "its index in the VM, or NULL" },
	{ "after", "TEXT", "what it follows" },
	{ "blame", "TEXT", "one sentence that says what was to blame" },
	{ 0 }
};

const struct computed_table delay_table = {
	.name = "delay",
	.what = "a time in which a vCPU could run, and did not: see hyptrace-why(1)",
	.column = delay_columns,
	.how = &(const struct delayhow) { .add = add_delay },
	.begin = begin,
	.step = step,
	.end = end,
};

#define PART_COLUMN	{ "part", "TEXT", \
			  "what the vCPU waited for, in general, such as 'el2' or 'runnable'" }
#define WHAT_COLUMN	{ "what", "TEXT", \
			  "what exactly: a task, a system call, an interrupt, a hypercall" }

static const struct query_column part_columns[] = {
	RECORDING_COLUMN,
	{ "delay", "INTEGER", "the delay: delay.id" },
	{ "ns", "INTEGER", "how long, in ns; the parts of a delay add up to it" },
	PART_COLUMN, WHAT_COLUMN,
	{ "pieces", "INTEGER", "of how many pieces it consists" },
	{ 0 }
};

const struct computed_table delay_part_table = {
	.name = "delay_part",
	.what = "what a vCPU waited for in a delay",
	.column = part_columns,
	.by = "part",
	.rollup = ROLLUP_SUMS,
	.how = &(const struct delayhow) { .add = add_parts },
	.begin = begin,
	.step = step,
	.end = end,
};

static const struct query_column piece_columns[] = {
	RECORDING_COLUMN,
	{ "delay", "INTEGER", "the delay: delay.id" },
	{ "cpu", "INTEGER", "number of the CPU of the task, or of the one that it waited for" },
	TS_COLUMN, END_COLUMN,
	{ "ns", "INTEGER", "duration, in ns" },
	PART_COLUMN, WHAT_COLUMN, { 0 }
};

const struct computed_table delay_piece_table = {
	.name = "delay_piece",
	.what = "a stretch of a delay; those of a delay are all of it, without a gap",
	.column = piece_columns,
	.by = "part",
	.how = &(const struct delayhow) { .add = add_pieces },
	.begin = begin,
	.step = step,
	.end = end,
};

static const struct query_column delay_summary_columns[] = {
	RECORDING_COLUMN,
	{ "delays", "INTEGER", "rows of the table delay" },
	{ "idle", "INTEGER", "how often a vCPU waited for something to do" },
	{ "lost", "INTEGER", "delays in which events of the hypervisor were lost" },
	{ "cut", "INTEGER", "delays that had not ended when the recording did" },
	{ 0 }
};

const struct computed_table delay_summary_table = {
	.name = "delay_summary",
	.what = "how many delays a recording has, and what could not be measured",
	.column = delay_summary_columns,
	.how = &(const struct delayhow) { 0 },
	.begin = begin,
	.step = step_summary,
	.end = end,
};

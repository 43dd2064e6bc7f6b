// SPDX-License-Identifier: GPL-2.0
/*
 * Delays and what was to blame for them, as text.
 */
#include <stdlib.h>

#include "analysis/blame.h"
#include "cmd/whytext.h"
#include "lib/visible.h"

static void put_stamp(FILE *out, u64 ts)
{
	fprintf(out, "%llu.%09llu", ts / NSEC_PER_SEC, ts % NSEC_PER_SEC);
}

/* What is not known since it was not recorded */

static bool told_before(const struct filedelays *f, enum why_event ev, const char *text)
{
	enum why_event i;

	for (i = WHY_OTHER + 1; i < ev; i++) {
		if (filedelays_missing(f, i) == text)
			return true;
	}
	return false;
}

static void put_missing(const struct filedelays *f, FILE *out)
{
	static const char head[] =
		"Not known, since events were not recorded (see record --why):\n";
	const char *text;
	enum why_event ev;
	bool begun = false;

	for (ev = WHY_OTHER + 1; ev < NR_WHY_EVENTS; ev++) {
		text = filedelays_missing(f, ev);
		if (!text || told_before(f, ev, text))
			continue;
		fputs(begun ? "" : head, out);
		begun = true;
		fprintf(out, "  %s (%s)\n", text, whyevents_source(ev)->name);
	}
	if (begun)
		fputc('\n', out);
}

/* A delay */

static int put_label(const struct filedelays *f, const struct label *label, FILE *out)
{
	char *what = blame_what(f, label);

	if (!what)
		return -1;
	fputs(part_title(label->part), out);
	if (*what)
		fputc(' ', out);
	visible_put(out, what);
	fputc('\n', out);
	free(what);
	return 0;
}

static int put_totals(const struct filedelays *f, const struct delay *d,
		      const struct total *t, size_t nr, FILE *out)
{
	double percent = (d->end - d->start) / 100.0;
	size_t i;

	fprintf(out, "     %12s %7s\n", "us", "%");
	for (i = 0; i < nr; i++) {
		fprintf(out, "     %12.3f %7.2f  ", t[i].ns / 1e3, t[i].ns / percent);
		if (put_label(f, &t[i].label, out))
			return -1;
	}
	return 0;
}

static int put_timeline(const struct filedelays *f, const struct delay *d, FILE *out)
{
	const struct pieces *p = &d->pieces;
	size_t i;

	for (i = 0; i < p->nr; i++) {
		fputs("     ", out);
		put_stamp(out, p->piece[i].start);
		fprintf(out, " [%03u] %12.3f  ", p->piece[i].cpu,
			(p->piece[i].end - p->piece[i].start) / 1e3);
		if (put_label(f, &p->piece[i].label, out))
			return -1;
	}
	return 0;
}

static int put_place(const struct why_how *how, const struct delay *d, FILE *out)
{
	char *link = why_link(how, d);

	if (!link)
		return -1;
	fputs("     from ", out);
	put_stamp(out, d->start);
	fputs(" to ", out);
	put_stamp(out, d->end);
	fputs(": ", out);
	visible_put(out, link);
	fputc('\n', out);
	free(link);
	return 0;
}

static int put_sentence(const struct filedelays *f, const struct delay *d,
			const struct total *t, size_t nr, FILE *out)
{
	char *text = blame_sentence(f, d, t, nr);

	if (!text)
		return -1;
	fputs("     To blame: ", out);
	visible_put(out, text);
	fputc('\n', out);
	free(text);
	return 0;
}

static int put_parts(const struct filedelays *f, const struct why_how *how,
		     const struct delay *d, FILE *out)
{
	size_t nr;
	struct total *t = pieces_totals(&d->pieces, &nr);
	int ret = 0;

	if (!t)
		return -1;
	if (nr)
		ret = put_sentence(f, d, t, nr, out);
	if (!ret)
		ret = put_place(how, d, out);
	if (!ret)
		ret = put_totals(f, d, t, nr, out);
	free(t);
	return !ret && how->timeline ? put_timeline(f, d, out) : ret;
}

static int put_delay(const struct filedelays *f, const struct why_how *how,
		     const struct delay *d, unsigned int number, FILE *out)
{
	char *after = blame_after(f, d);

	if (!after)
		return -1;
	fprintf(out, "\n%3u. %.3f us after ", number, (d->end - d->start) / 1e3);
	visible_put(out, after);
	fputc('\n', out);
	free(after);
	return put_parts(f, how, d, out);
}

/* A vCPU */

static void put_vcpu(const struct filedelays *f, const struct worst_vcpu *v, FILE *out)
{
	const struct delay_vcpu *whose = &v->whose;

	fputs("vCPU ", out);
	if (whose->named && whose->vm)
		fprintf(out, "%u of VM 0x%x, ", whose->vcpu, whose->vm);
	else if (whose->named)
		fprintf(out, "%u, ", whose->vcpu);
	fputs("task ", out);
	visible_put(out, evdb_comm(f->db, whose->task));
	fprintf(out, "-%d: delays=%llu total=%.3f us; the worst:\n", whose->task, v->count,
		v->ns / 1e3);
}

int why_text(const struct filedelays *f, const struct why_how *how, FILE *out)
{
	const struct worst_vcpu *v;
	size_t i, j;

	put_missing(f, out);
	for (i = 0; (v = worst_vcpu(f->worst, i)); i++) {
		if (!why_wants(f, how, v))
			continue;
		put_vcpu(f, v, out);
		for (j = 0; j < v->nr; j++) {
			if (put_delay(f, how, &v->worst[j], j + 1, out))
				return -1;
		}
		fputc('\n', out);
	}
	fprintf(out, "no delays: idle=%llu lost=%llu cut=%llu\n", f->result.idle, f->result.lost,
		f->result.cut);
	return 0;
}

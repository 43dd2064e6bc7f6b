// SPDX-License-Identifier: GPL-2.0
/*
 * Delays and what was to blame for them, as JSON.
 */
#include <stdlib.h>

#include "analysis/blame.h"
#include "cmd/whyjson.h"
#include "lib/json.h"

static void put_missing(const struct filedelays *f, FILE *out)
{
	const char *before = "";
	const struct why_source *s;
	enum why_event ev;

	for (ev = WHY_OTHER + 1; ev < NR_WHY_EVENTS; ev++) {
		if (!filedelays_missing(f, ev))
			continue;
		s = whyevents_source(ev);
		fprintf(out, "%s\"%s/%s\"", before, s->system, s->name);
		before = ", ";
	}
}

/* Of one string, which is freed */
static int put_owned(FILE *out, const char *key, char *text)
{
	if (!text)
		return -1;
	fprintf(out, "\"%s\": ", key);
	json_string(out, text);
	free(text);
	return 0;
}

static int put_label(const struct filedelays *f, const struct label *label, FILE *out)
{
	fprintf(out, "\"part\": \"%s\", ", part_word(label->part));
	return put_owned(out, "what", blame_what(f, label));
}

static int put_totals(const struct filedelays *f, const struct total *t, size_t nr, FILE *out)
{
	size_t i;

	fputs(", \"parts\": [", out);
	for (i = 0; i < nr; i++) {
		fputs(i ? ", {" : "{", out);
		if (put_label(f, &t[i].label, out))
			return -1;
		fprintf(out, ", \"ns\": %llu, \"pieces\": %llu}", t[i].ns, t[i].nr);
	}
	fputs("]", out);
	return 0;
}

static int put_timeline(const struct filedelays *f, const struct pieces *p, FILE *out)
{
	size_t i;

	fputs(", \"timeline\": [", out);
	for (i = 0; i < p->nr; i++) {
		fprintf(out, "%s{\"start\": %llu, \"end\": %llu, \"cpu\": %u, ", i ? ", " : "",
			p->piece[i].start, p->piece[i].end, p->piece[i].cpu);
		if (put_label(f, &p->piece[i].label, out))
			return -1;
		fputs("}", out);
	}
	fputs("]", out);
	return 0;
}

static int put_parts(const struct filedelays *f, const struct delay *d, FILE *out)
{
	size_t nr;
	struct total *t = pieces_totals(&d->pieces, &nr);
	int ret = 0;

	if (!t)
		return -1;
	if (nr)
		ret = put_owned(out, "blame", blame_sentence(f, d, t, nr));
	else
		fputs("\"blame\": null", out);
	if (!ret)
		ret = put_totals(f, t, nr, out);
	free(t);
	return ret ? ret : put_timeline(f, &d->pieces, out);
}

static int put_delay(const struct filedelays *f, const struct why_how *how,
		     const struct delay *d, FILE *out)
{
	int ret;

	fprintf(out, "{\"start\": %llu, \"end\": %llu, \"ns\": %llu, \"cpu\": %u, ",
		d->start, d->end, d->end - d->start, d->cpu);
	ret = put_owned(out, "page", why_link(how, d));
	fputs(", ", out);
	if (!ret)
		ret = put_owned(out, "after", blame_after(f, d));
	fputs(", ", out);
	if (!ret)
		ret = put_parts(f, d, out);
	fputs("}", out);
	return ret;
}

static int put_vcpu(const struct filedelays *f, const struct why_how *how,
		    const struct worst_vcpu *v, FILE *out)
{
	size_t i;

	fprintf(out, "{\"task\": %d, \"comm\": ", v->whose.task);
	json_string(out, evdb_comm(f->db, v->whose.task));
	if (v->whose.named)
		fprintf(out, ", \"vm\": %u, \"vcpu\": %u", v->whose.vm, v->whose.vcpu);
	fprintf(out, ", \"delays\": %llu, \"total\": %llu, \"worst\": [", v->count, v->ns);
	for (i = 0; i < v->nr; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		if (put_delay(f, how, &v->worst[i], out))
			return -1;
	}
	fputs("]}", out);
	return 0;
}

int why_json(const struct filedelays *f, const struct why_how *how, FILE *out)
{
	const struct worst_vcpu *v;
	const char *before = "\n ";
	size_t i;

	fputs("{\"missing\": [", out);
	put_missing(f, out);
	fprintf(out, "], \"idle\": %llu, \"lost\": %llu, \"cut\": %llu,\n\"vcpus\": [",
		f->result.idle, f->result.lost, f->result.cut);
	for (i = 0; (v = worst_vcpu(f->worst, i)); i++) {
		if (!why_wants(f, how, v))
			continue;
		fputs(before, out);
		before = ",\n ";
		if (put_vcpu(f, how, v, out))
			return -1;
	}
	fputs("]}\n", out);
	return 0;
}

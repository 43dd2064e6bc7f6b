// SPDX-License-Identifier: GPL-2.0
/*
 * Where faults are. See heattext.h.
 */
#include "cmd/heattext.h"

static void text_block(const struct pageheat_block *b, const struct dist_summary *s, FILE *out)
{
	char vm[16] = "host";

	if (b->guest && !b->vm)
		snprintf(vm, sizeof(vm), "?");
	else if (b->guest)
		snprintf(vm, sizeof(vm), "0x%x", b->vm);
	fprintf(out, "%-12s 0x%-15llx %9llu %14.3f %11.3f %11.3f %11.3f %11.3f %11.3f\n", vm,
		b->address, s->count, s->total / 1e3, s->mean / 1e3, s->p50 / 1e3,
		s->p90 / 1e3, s->p99 / 1e3, s->max / 1e3);
}

static void json_block(const struct pageheat_block *b, const struct dist_summary *s, FILE *out)
{
	fputs("{\"vm\": ", out);
	if (b->guest)
		fprintf(out, "%u", b->vm);
	else
		fputs("null", out);
	fprintf(out, ", \"address\": %llu, \"count\": %llu, \"total\": %llu, \"mean\": %llu, \"p50\": %llu, \"p90\": %llu, \"p99\": %llu, \"max\": %llu}",
		b->address, s->count, s->total, s->mean, s->p50, s->p90, s->p99, s->max);
}

void heattext_print(const struct pageheat *h, bool json, FILE *out)
{
	struct pageheat_block b;
	struct dist_summary s;
	unsigned int i;
	struct dist *d;

	if (json)
		fprintf(out, "{\"unmeasured\": %llu, \"blocks\": [", h->unmeasured);
	else
		fprintf(out, "%-12s %-17s %9s %14s %11s %11s %11s %11s %11s\n", "VM", "BLOCK",
			"faults", "total", "mean", "p50", "p90", "p99", "max");
	for (i = 0; (d = dists_at(h->blocks, i)); i++) {
		b = pageheat_block(d);
		dist_summarize(d, &s);
		if (json)
			fputs(i ? ",\n  " : "\n  ", out);
		(json ? json_block : text_block)(&b, &s, out);
	}
	if (json)
		fputs("]}\n", out);
	else
		fprintf(out, "not measured: faults=%llu\n", h->unmeasured);
}

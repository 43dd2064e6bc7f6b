// SPDX-License-Identifier: GPL-2.0
/*
 * Finds corrupt timestamps. See stamps.h.
 */
#include "lib/util.h"
#include "trace/clocksnap.h"
#include "trace/stamps.h"

/* 100 days */
#define FAR		(100ULL * 24 * 3600 * NSEC_PER_SEC)
/* The clocks of CPUs may differ by as much, and the file's times are rounded */
#define TOLERANCE	NSEC_PER_SEC

void stamps_init(struct stamps *s, const struct datr *d, const char *clock)
{
	struct clocksnap snap;
	const char *text;
	unsigned int i;

	*s = (struct stamps) { .end = UINT64_MAX, .limit = UINT64_MAX };
	for (i = 0; (text = datr_text(d, i)); i++) {
		if (clocksnap_parse(text, clock, &snap))
			continue;
		if (s->begun) {
			s->end = snap.now + TOLERANCE;
			return;
		}
		s->begun = true;
		s->last = snap.now > TOLERANCE ? snap.now - TOLERANCE : 0;
	}
}

static bool possible(const struct stamps *s, u64 ts)
{
	return ts >= s->last && ts <= s->end && !(s->begun && ts - s->last > FAR);
}

static void take(struct stamps *s, u64 ts)
{
	s->last = ts;
	s->begun = true;
}

bool stamps_page(struct stamps *s, const u64 *ts, unsigned int nr)
{
	unsigned int i, before = 0;

	s->limit = s->end;
	if (!possible(s, ts[0]))
		return false;
	for (i = 1; i < nr; i++) {
		if (ts[i] >= ts[0]) {
			s->limit = ts[i] < s->end ? ts[i] : s->end;
			break;
		}
		before += possible(s, ts[i]);
	}
	/* a later one is in order: those between are not, if any */
	if (before && i == nr)
		return false;
	take(s, ts[0]);
	return true;
}

bool stamps_event(struct stamps *s, u64 ts)
{
	if (!possible(s, ts) || ts > s->limit)
		return false;
	take(s, ts);
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * On which CPU of the machine the CPUs of guests run. See vcpuplace.h.
 */
#include <stdlib.h>

#include "analysis/vcpuclock.h"
#include "analysis/vcpuplace.h"
#include "lib/log.h"
#include "lib/util.h"

/**
 * struct vcpuplaces - what is known
 * @d:		the file
 * @clocks:	its VMs
 * @place:	of each CPU of each guest: 1 + the CPU of the machine, 0 if that is not known
 */
struct vcpuplaces {
	const struct datr *d;
	struct vcpuclocks *clocks;
	u32 (*place)[MAX_CPUS];
};

struct vcpuplaces *vcpuplaces_new(const struct datr *d)
{
	struct vcpuplaces *v = calloc(1, sizeof(*v));

	if (!v) {
		log_oom();
		return NULL;
	}
	v->d = d;
	v->clocks = vcpuclocks_new();
	v->place = calloc(datr_nr_guests(d) + 1, sizeof(*v->place));
	if (v->clocks && v->place)
		return v;
	if (!v->place)
		log_oom();
	vcpuplaces_free(v);
	return NULL;
}

int vcpuplaces_feed(struct vcpuplaces *v, struct evdb *db, const struct merged *ev)
{
	struct vcpuclock_run run;
	unsigned int i;

	if (!ev->ev.data || !datr_nr_guests(v->d))
		return 0;
	if (!vcpuclocks_run(v->clocks, db, &ev->ev, &run))
		return vcpuclocks_feed(v->clocks, db, &ev->ev);
	for (i = 0; i < datr_nr_guests(v->d); i++) {
		if (datr_guest(v->d, i)->cntvoff == run.offset)
			v->place[i][run.vcpu] = 1 + ev->cpu;
	}
	return 0;
}

bool vcpuplaces_cpu(const struct vcpuplaces *v, const struct merged *ev, unsigned int *cpu)
{
	u32 place = v->place[ev->guest - 1][ev->cpu];

	*cpu = place - 1;
	return place;
}

void vcpuplaces_free(struct vcpuplaces *v)
{
	if (!v)
		return;
	vcpuclocks_free(v->clocks);
	free(v->place);
	free(v);
}

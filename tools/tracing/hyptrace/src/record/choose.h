/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks up the remote, CPUs and events that the user gave.
 */
#ifndef HYPTRACE_CHOOSE_H
#define HYPTRACE_CHOOSE_H

#include "lib/types.h"
#include "lib/util.h"
#include "record/recording.h"

/**
 * struct choice - what follows one option -e or -E
 * @name:	the events
 * @filter:	their filter, "" for none
 */
struct choice {
	const char *name;
	const char *filter;
};

/**
 * struct choices - all of one side; all 0 at first
 * @nr:		how many
 * @room:	how many fit
 * @choice:	in the order of the command line
 */
struct choices {
	unsigned int nr;
	size_t room;
	struct choice *choice;
};

/**
 * struct session_options - what the user wants to trace
 * @from_boot:	take what has been traced since the boot; only @remote and @cpus count
 * @host_only:	leave the hypervisor out
 * @last_boot:	what the hypervisor did before this boot, and nothing of the host
 * @remote:	name of the remote, or a path; NULL for "hypervisor"
 * @clock:	trace clock, or NULL for the remote's
 * @size_kb:	of each buffer
 * @duration_ms: end after this time; 0: do not
 * @overwrite:	a full buffer drops its oldest events, else new ones
 * @events:	the events that are named, of each side
 * @default_hyp: events of the hypervisor if none is given, ends with NULL; NULL for all
 * @why:	besides, all events that hyptrace why needs
 * @stacks:	besides, the hypervisor's call chain with each of its events
 * @graph:	besides, the calls of the hypervisor's functions
 * @functions:	of them, only calls of these, and what they call; empty for all
 * @last:	the choice that a filter belongs to, or NULL
 * @cpus:	the CPUs; empty for all that are online
 * @command:	ends with NULL, or NULL for none
 */
struct session_options {
	bool from_boot;
	bool host_only;
	bool last_boot;
	const char *remote;
	const char *clock;
	const char *size_kb;
	u64 duration_ms;
	bool overwrite;
	struct choices events[NR_SIDES];
	const char * const *default_hyp;
	bool why;
	bool stacks;
	bool graph;
	struct strlist functions;
	struct choice *last;
	struct cpulist cpus;
	char **command;
};

/**
 * choose_all - look up everything that can be known before anything is changed
 * @r:		gets the remote, the events of both sides, the CPUs
 * @o:		what the user wants
 *
 * Return: 0, or -1 with a message.
 */
int choose_all(struct recording *r, const struct session_options *o);

/** chosen_whole - whether "system/event" is recorded, without a filter */
bool chosen_whole(const struct recording *r, const char *event, enum side side);

#endif

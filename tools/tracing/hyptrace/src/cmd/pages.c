// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace pages
 */
#include <stdio.h>

#include "analysis/filepages.h"
#include "analysis/pagecheck.h"
#include "analysis/pageheat.h"
#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/heattext.h"
#include "cmd/pages.h"
#include "cmd/pagestext.h"
#include "lib/log.h"

static int print_counts(const struct pagelog *l, const struct pages_how *how, FILE *out)
{
	struct pagecheck_counts counts[NR_PAGE_OPS] = { 0 };

	if (pagecheck_run(l, how->cpus, NULL, counts))
		return -1;
	pagestext_counts(counts, how->json, out);
	return 0;
}

static int print_history(const struct filepages *p, const struct pages_how *how, FILE *out)
{
	struct pagehistory h = { 0 };
	int ret = pagehistory_read(&h, p->log, &how->pages, how->cpus);

	if (!ret)
		pagestext_history(&h, p->db, how->json, out);
	pagehistory_free(&h);
	return ret;
}

static int heat_file(struct datr *d, const struct pages_how *how, FILE *out)
{
	struct pageheat h;
	int ret = pageheat_read(&h, d, how->cpus);

	if (!ret) {
		heattext_print(&h, how->json, out);
		ret = corrupt_tell(&h.corrupt, d) ? -1 : 0;
	}
	pageheat_free(&h);
	return ret;
}

static int owners_file(struct datr *d, const struct pages_how *how, FILE *out)
{
	struct filepages p;
	int ret = filepages_read(d, &p);

	if (!ret)
		ret = how->pages.nr ? print_history(&p, how, out) :
				      print_counts(p.log, how, out);
	if (!ret)
		ret = corrupt_tell(&p.corrupt, d) ? -1 : 0;
	filepages_free(&p);
	return ret;
}

int pages_file(struct datr *d, const struct pages_how *how, FILE *out)
{
	return how->heat ? heat_file(d, how, out) : owners_file(d, how, out);
}

/* The command line */

static const char doc[] =
	"Prints which pages changed hands, in protected mode, between the host, EL2\n"
	"(hyp), the secure world (ffa) and guests. Without --pfn, prints how many pages\n"
	"were shared, unshared and donated:\n"
	"\n"
	"  pages      pages for which EL2 did it\n"
	"  unknown    those of them whose state before was not known\n"
	"  refused    pages for which EL2 refused it\n"
	"  illegal    pages whose state did not allow what EL2 did, or its refusal\n"
	"\n"
	"--heat prints the stage-2 faults of the host and of each VM in each block of\n"
	"2 MiB: their number and how long they took, in microseconds.\n"
	"\vA transition has the name of the function at EL2. A line of --pfn has the CPU,\n"
	"the time, the transition, its caller, which is the host's hypercall or why EL2\n"
	"was entered, the task, and the states before and after. A state in brackets\n"
	"was not known, since the recording begins later, or events were lost: it\n"
	"follows from the transition.\n"
	"\n"
	"That needs mem_transition, and guest_mem if the kernel has it, without a\n"
	"filter. All CPUs are replayed; --cpus selects what is printed.\n"
	"\n"
	"A fault of the host lasts from hyp_enter to hyp_exit, and needs\n"
	"host_mem_abort. One of a guest lasts until its vCPU is entered again, and\n"
	"needs vcpu_enter and vcpu_exit. EL2 does not show the faults of protected VMs.\n"
	"Outside of protected mode, VMs have no handle: '?' has the faults of all.\n"
	"\n"
	"Exit status: 0 on success; 1 on errors, or if FILE is corrupt in places; 2 for\n"
	"a wrong command line.";

static const struct argp_option options[] = {
	{ "pfn", 'p', "PFNLIST", 0,
	  "the history of these pages, by frame number, such as 0x8421,0x9000-0x90ff", 0 },
	{ "heat", 'H', NULL, 0, "where faults are in memory, and how long they take", 0 },
	{ "json", 'j', NULL, 0, "print one JSON document, all times in ns", 0 },
	{ 0 }
};

struct options {
	struct input in;
	struct pages_how how;
};

/* "0x8421", or "0x9000-0x90ff". Return: what follows it, or NULL without a message. */
static const char *take_range(const char *text, u64 *first, u64 *last)
{
	text = parse_id(text, UINT64_MAX, first);
	if (!text)
		return NULL;
	*last = *first;
	if (*text != '-')
		return text;
	text = parse_id(text + 1, UINT64_MAX, last);
	return *last < *first ? NULL : text;
}

static int parse_pfns(const char *text, struct page_ranges *pages)
{
	const char *at = text;
	u64 first, last;

	page_ranges_free(pages);
	for (;;) {
		at = take_range(at, &first, &last);
		if (!at || (*at && *at != ','))
			return log_error("bad list of pages '%s': expected frame numbers such as 0x8421,0x9000-0x90ff",
					 text);
		if (page_ranges_add(pages, first, last))
			return -1;
		if (!*at++)
			return 0;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->in;
		return 0;
	case 'p':
		return cmdline_told(parse_pfns(arg, &o->how.pages));
	case 'H':
		o->how.heat = true;
		return 0;
	case 'j':
		o->how.json = true;
		return 0;
	case ARGP_KEY_END:
		if (!o->how.heat || !o->how.pages.nr)
			return 0;
		return cmdline_told(log_error("--pfn and --heat: expected one of them"));
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = doc,
	.children = cmdline_input,
};

static int print(struct datr *d, const void *options)
{
	const struct options *o = options;
	struct pages_how how = o->how;

	how.cpus = input_cpus(&o->in);
	return pages_file(d, &how, stdout);
}

int pages_main(int argc, char **argv)
{
	struct options o = { .in.want = 1 };
	int ret = input_main(&argp, argc, argv, &o, &o.in, print);

	page_ranges_free(&o.how.pages);
	return ret;
}

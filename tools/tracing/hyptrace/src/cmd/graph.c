// SPDX-License-Identifier: GPL-2.0
/*
 * hyptrace graph
 */
#include <stdio.h>
#include <string.h>

#include "cmd/cmdline.h"
#include "cmd/commands.h"
#include "cmd/graph.h"
#include "cmd/graphjson.h"
#include "cmd/graphtext.h"
#include "cmd/table.h"
#include "lib/log.h"

/* What there is to print */

static int find_function(struct graph_view *v, const struct graph_how *how, const struct datr *d)
{
	size_t i;
	u32 what;

	for (i = 0; !v->function && i < v->functions.nr; i++) {
		if (!strcmp(v->functions.row[i].name, how->function))
			v->function = &v->functions.row[i];
	}
	if (!v->function)
		return log_error("%s: no calls of '%s': expected a function of the table of graph",
				 datr_name(d), how->function);
	what = v->function->what;
	if (callrows_callers(v->f->graph, what, how->key, &v->callers))
		return -1;
	return callrows_callees(v->f->graph, what, how->key, &v->callees);
}

static int view(struct graph_view *v, const struct graph_how *how, const struct datr *d)
{
	if (callorder_new(v->f->graph, v->tree, how->joined, how->key, &v->order) ||
	    callrows_functions(v->f->graph, how->key, &v->functions))
		return -1;
	return how->function ? find_function(v, how, d) : 0;
}

static int print_view(struct graph_view *v, const struct graph_how *how, const struct datr *d,
		      FILE *out)
{
	int ret = view(v, how, d);

	if (!ret && how->table.json)
		graph_json(v, how, out);
	else if (!ret)
		ret = graph_text(v, how, out);
	callorder_free(&v->order);
	callrows_free(&v->functions);
	callrows_free(&v->callers);
	callrows_free(&v->callees);
	return ret;
}

static int print_joined(const struct filegraph *f, const struct graph_how *how,
			const struct datr *d, FILE *out)
{
	struct calltree tree;
	struct graph_view v = { .f = f, .tree = &tree };
	int ret = calltree_init(&tree);

	if (!ret)
		ret = calltree_join(callgraph_tree(f->graph), &tree);
	if (!ret) {
		calltree_sum(&tree);
		ret = print_view(&v, how, d, out);
	}
	calltree_free(&tree);
	return ret;
}

static int print_graph(const struct filegraph *f, const struct graph_how *how, struct datr *d,
		       FILE *out)
{
	struct graph_view v = { .f = f, .tree = callgraph_tree(f->graph) };
	int ret;

	if (scopeargs_given(&how->table.part) &&
	    scopeargs_check(&how->table.part, d, profiler_profile(f->profiler)))
		return -1;
	ret = how->joined ? print_joined(f, how, d, out) : print_view(&v, how, d, out);
	return ret ?: fileprofile_check(f->profiler, d);
}

int graph_file(struct datr *d, const struct cpulist *cpus, const struct graph_how *how,
	       FILE *out)
{
	struct filegraph_rule rule = { .cpus = cpus, .pattern = how->pattern };
	struct filegraph *f;
	struct scope scope;
	int ret;

	if (scopeargs_resolve(&how->table.part, d, &scope))
		return -1;
	if (scopeargs_given(&how->table.part))
		rule.scope = &scope;
	f = filegraph_read(d, &rule);
	if (!f)
		return -1;
	ret = print_graph(f, how, d, out);
	filegraph_free(f);
	return ret;
}

/* The command line */

static const char doc[] =
	"Prints where time goes inside of EL2, by function: a tree of calls for each\n"
	"kind of EL2 entry, and a table of all functions. The recording needs the\n"
	"events of the hypervisor's tracer function_graph.\n"
	"\n"
	"  CALLS      how often; of an EL2 entry, how many there were. After a +, how\n"
	"             many calls of earlier EL2 entries went on there\n"
	"  TOTAL      time in the function and in those that it calls\n"
	"  SELF       time in the function itself; of an EL2 entry, in no function that\n"
	"             was traced. The times of self of an entry add up to its duration\n"
	"  %          share of the total in the time of all EL2 entries that were\n"
	"             measured; in the table of functions, %self is that of self\n"
	"\vOf a function that runs a guest, only the time at EL2 counts. What follows a\n"
	"guest's run is an EL2 entry of its own, below which the functions that were\n"
	"running are again; a call counts in the entry in which it is made. Of\n"
	"recursive calls, the total has each moment once. Percentiles are of the\n"
	"durations of complete calls.\n"
	"\n"
	"An EL2 entry in which events were lost, or of which it is not known which\n"
	"functions ran when it began, is not measured; the first lines say how many\n"
	"there were.\n"
	"\n"
	"Exit status: 0 on success; 1 on errors, or if FILE is corrupt in places; 2 for\n"
	"a wrong command line.";

static const struct argp_option options[] = {
	{ "by", 'b', "WHICH", 0,
	  "one tree for each kind of EL2 entry (entry), or one for all (all) [entry]", 0 },
	{ "entry", 'e', "PATTERN", 0,
	  "only EL2 entries whose reason, hypercall, or both match PATTERN, such as '__pkvm_*'",
	  0 },
	{ "function", 'f', "FUNCTION", 0,
	  "print the callers of FUNCTION and what it calls instead", 0 },
	{ "sort", 's', "COLUMN", 0,
	  "sort by total, self, calls or name; the table of functions also by mean, min, p50, p99 or max [total]",
	  0 },
	{ "depth", 'd', "N", 0, "print at most N levels of functions", 0 },
	{ 0 }
};

struct options {
	struct input in;
	struct graph_how how;
};

static int set_by(struct graph_how *how, const char *arg)
{
	static const char * const words[] = { "entry", "all", NULL };
	int word = cmdline_word("by", arg, words);

	how->joined = word == 1;
	return word < 0 ? -1 : 0;
}

static int set_sort(struct graph_how *how, const char *arg)
{
	static const char * const words[] = {
		[CALLROWS_TOTAL] = "total", [CALLROWS_SELF] = "self",
		[CALLROWS_CALLS] = "calls", [CALLROWS_NAME] = "name",
		[CALLROWS_MEAN] = "mean", [CALLROWS_MIN] = "min", [CALLROWS_P50] = "p50",
		[CALLROWS_P99] = "p99", [CALLROWS_MAX] = "max", NULL
	};
	int word = cmdline_word("sort", arg, words);

	how->key = word;
	return word < 0 ? -1 : 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->how.table;
		state->child_inputs[1] = &o->in;
		return 0;
	case 'b':
		return cmdline_told(set_by(&o->how, arg));
	case 'e':
		o->how.pattern = arg;
		return 0;
	case 'f':
		o->how.function = arg;
		return 0;
	case 's':
		return cmdline_told(set_sort(&o->how, arg));
	case 'd':
		return cmdline_told(cmdline_number("depth", arg, UINT32_MAX, &o->how.depth));
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &table_argp, 0, NULL, 0 },
	{ &input_argp, 0, NULL, 0 },
	{ 0 }
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = doc,
	.children = children,
};

static int print(struct datr *d, const void *options)
{
	const struct options *o = options;

	return graph_file(d, input_cpus(&o->in), &o->how, stdout);
}

int graph_main(int argc, char **argv)
{
	struct options o = { .in.want = 1, .how.table.width = table_width() };

	return input_main(&argp, argc, argv, &o, &o.in, print);
}

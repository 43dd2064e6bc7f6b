/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options --time, --task, --vm and --vcpu, which choose what statistics are of.
 */
#ifndef HYPTRACE_SCOPEARGS_H
#define HYPTRACE_SCOPEARGS_H

#include <argp.h>

#include "analysis/profiler.h"
#include "analysis/scope.h"
#include "trace/datr.h"

/**
 * struct scopeargs - the options; all 0 at first
 * @scope:	what they choose, before scopeargs_resolve()
 * @since_first: @from and @to are relative to the recording's first event
 */
struct scopeargs {
	struct scope scope;
	bool since_first[2];
};

/** scope_argp - the options, for argp.children; the input is a struct scopeargs */
extern const struct argp scope_argp;

/** scopeargs_given - whether one of the options was given */
bool scopeargs_given(const struct scopeargs *a);

/**
 * scopeargs_resolve - what the options choose in a file
 *
 * Return: 0 with the scope in @scope, or -1 with a message.
 */
int scopeargs_resolve(const struct scopeargs *a, const struct datr *d, struct scope *scope);

/**
 * scopeargs_check - whether the file has what the options choose
 *
 * Return: 0, or -1 with a message.
 */
int scopeargs_check(const struct scopeargs *a, const struct datr *d, const struct profile *s);

#endif

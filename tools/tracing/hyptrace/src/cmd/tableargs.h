/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of commands that print tables about a recording, or a part of one: --unit, --top,
 * --json, and those of scopeargs.h.
 */
#ifndef HYPTRACE_TABLEARGS_H
#define HYPTRACE_TABLEARGS_H

#include <argp.h>

#include "cmd/scopeargs.h"
#include "lib/types.h"
#include "lib/unit.h"

/**
 * struct tableargs - the options; all 0 at first
 * @json:	as JSON, else as tables
 * @unit:	of times in tables
 * @top:	at most so many rows of each table; 0 for all
 * @width:	how long a line may be; 0 for any length. This is no option
 * @part:	what of the recording
 */
struct tableargs {
	bool json;
	enum unit unit;
	u64 top;
	unsigned int width;
	struct scopeargs part;
};

/** table_argp - the options, for argp.children; the input is a struct tableargs */
extern const struct argp table_argp;

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Filter programs that were not checked: a writer may run one for a moment while a filter
 * is replaced, and must not read outside its record then.
 */
#include <errno.h>
#include <linux/trace_remote_filter.h>

#include "lib.h"

#define REC_SIZE	24

/* AddressSanitizer notices any access right after the record */
static void test_unchecked(void)
{
	struct remote_filter filter;
	u64 state = 1;
	u32 i, byte, round;
	u8 *rec;

	rec = calloc(1, REC_SIZE);
	CHECK(rec);
	for (round = 0; round < 100000; round++) {
		for (i = 0; i < REMOTE_FILTER_MAX; i++) {
			for (byte = 0; byte < sizeof(filter.insns[i]); byte++)
				((u8 *)&filter.insns[i])[byte] = rnd(&state, 256);
			filter.insns[i].offset = rnd(&state, REC_SIZE + 1);
			filter.insns[i].size = rnd(&state, 10);
			filter.insns[i].yes = rnd(&state, REMOTE_FILTER_MAX);
		}
		filter.nr = REMOTE_FILTER_MAX;
		remote_filter_match(&filter, rec, REC_SIZE);
	}
	free(rec);
}

/* A field of an invalid size has the value 0 */
static void test_sizes(void)
{
	static const u64 rec[] = { ~0ULL, ~0ULL };
	struct remote_filter filter = { .nr = 1 };
	u32 size;

	for (size = 0; size <= 16; size++) {
		bool known = size == 1 || size == 2 || size == 4 || size == 8;

		filter.insns[0] = (struct remote_filter_insn) {
			.size = size, .op = REMOTE_FILTER_NE,
			.yes = REMOTE_FILTER_PASS, .no = REMOTE_FILTER_FAIL,
		};
		CHECK_EQ(remote_filter_match(&filter, rec, sizeof(rec)), known);
		CHECK_EQ(remote_filter_check(&filter, sizeof(rec)), known ? 0 : -EINVAL);
	}
}

const struct test filter_tests[] = {
	{ "filter_unchecked", test_unchecked },
	{ "filter_sizes", test_sizes },
};

const int nr_filter_tests = ARRAY_SIZE(filter_tests);

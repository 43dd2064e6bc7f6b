// SPDX-License-Identifier: GPL-2.0
/*
 * writer_test [test] - run all tests of the ring-buffer writer, or the one named
 *
 * Built with ThreadSanitizer it runs only those with threads, which cover all of the
 * writer; the others would only be slow.
 */
#include "lib.h"

#define MAX_TESTS	64

static struct test tests[MAX_TESTS];
static int nr_tests;

static void add(const struct test *more, int nr)
{
	CHECK(nr_tests + nr <= MAX_TESTS);
	memcpy(tests + nr_tests, more, nr * sizeof(*more));
	nr_tests += nr;
}

int main(int argc, char **argv)
{
#ifndef SHIM_TSAN
	add(format_tests, nr_format_tests);
	add(ring_tests, nr_ring_tests);
	add(model_tests, nr_model_tests);
	add(filter_tests, nr_filter_tests);
	add(dump_tests, nr_dump_tests);
	add(image_tests, nr_image_tests);
#endif
	add(thread_tests, nr_thread_tests);
	return run_tests(tests, nr_tests, argc > 1 ? argv[1] : NULL);
}

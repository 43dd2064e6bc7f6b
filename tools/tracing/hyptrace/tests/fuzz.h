/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared parts of the fuzzers. See FUZZING.rst.
 */
#ifndef HYPTRACE_FUZZ_H
#define HYPTRACE_FUZZ_H

#include <stdlib.h>

#include "lib/types.h"

/* The interface of libFuzzer */
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max,
			       unsigned int seed);

/* An assertion; libFuzzer reports the signal as a finding */
static inline void must(bool holds)
{
	if (!holds)
		abort();
}

#endif

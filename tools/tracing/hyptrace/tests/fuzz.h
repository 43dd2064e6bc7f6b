/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzers share. See FUZZING.rst.
 */
#ifndef HYPTRACE_FUZZ_H
#define HYPTRACE_FUZZ_H

#include <stdlib.h>

#include "../src/types.h"

/* Of libFuzzer, and what it calls */
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max,
			       unsigned int seed);

/* What must hold; a fuzzer takes the signal for a finding */
static inline void must(bool holds)
{
	if (!holds)
		abort();
}

#endif

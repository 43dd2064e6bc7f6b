/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_VARIANTS_H
#define _SELFTEST_HYPTRACE_VARIANTS_H
/*
 * The variants of a fixture: each remote, or each source, with buffers of one or more
 * sizes. These macros declare the FIXTURE_VARIANT(); the setup of the fixture passes
 * @remote and @size_kb to setup_source(). If there is no such remote, the test skips.
 *
 * For use after kselftest_harness.h.
 */
#include "lib/remote.h"

#define VARIANT(fixture, name, source, kb)					\
	FIXTURE_VARIANT_ADD(fixture, name) { .remote = source, .size_kb = kb }

#define DECLARE_VARIANT(fixture)						\
	FIXTURE_VARIANT(fixture) {						\
		const char	*remote;					\
		unsigned long	size_kb;					\
	}

/* The smallest buffer, for a size less than that, and a larger one */
#define VARIANTS_OF_SMALL_SIZES(fixture, name, source)				\
	VARIANT(fixture, name##_minimum, source, 1);				\
	VARIANT(fixture, name##_64k, source, 64)

/* Each remote, with a buffer of @kb */
#define FIXTURE_FOR_REMOTES(fixture, kb)					\
	DECLARE_VARIANT(fixture);						\
	VARIANT(fixture, hypervisor, HYPERVISOR, kb);				\
	VARIANT(fixture, software, SOFTWARE, kb)

/* Each remote, with two sizes */
#define FIXTURE_FOR_REMOTES_AND_SIZES(fixture)					\
	DECLARE_VARIANT(fixture);						\
	VARIANTS_OF_SMALL_SIZES(fixture, hypervisor, HYPERVISOR);		\
	VARIANTS_OF_SMALL_SIZES(fixture, software, SOFTWARE)

/* An ordinary instance, with two sizes, and each remote as well */
#define FIXTURE_FOR_SOURCES_AND_SIZES(fixture)					\
	FIXTURE_FOR_REMOTES_AND_SIZES(fixture);					\
	VARIANTS_OF_SMALL_SIZES(fixture, ordinary, NULL)

/* Open @src, with a buffer of @kb; false if the test is to be skipped */
static inline bool setup_source(struct __test_metadata *_metadata, struct source *src,
				const char *remote, unsigned long kb)
{
	int ret = source_open(src, remote);

	if (skip_reason(ret))
		SKIP(return false, "%s", skip_reason(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, source_set_size(src, kb));
	return true;
}

#endif /* _SELFTEST_HYPTRACE_VARIANTS_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTEST_HYPTRACE_CALLS_H
#define _SELFTEST_HYPTRACE_CALLS_H
/*
 * Hypercalls that only the kernel can make, by the module hyp_calls.ko.
 */

/**
 * run_hyp_calls - load hyp_calls.ko with a parameter, and remove it again
 * @parameter: what it is to do, such as "text=1"
 *
 * Return: 0; -ENOENT without the module; or what it returned when it was loaded, -EOPNOTSUPP if
 * the kernel has no such call.
 */
int run_hyp_calls(const char *parameter);

#endif /* _SELFTEST_HYPTRACE_CALLS_H */

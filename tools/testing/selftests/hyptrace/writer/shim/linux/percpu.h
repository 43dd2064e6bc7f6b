/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_PERCPU_H
#define _SHIM_LINUX_PERCPU_H

#define SHIM_NR_CPUS			4

#define DEFINE_PER_CPU(type, name)	type name[SHIM_NR_CPUS]
#define per_cpu_ptr(ptr, cpu)		(&(*(ptr))[cpu])
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < SHIM_NR_CPUS; (cpu)++)

#endif /* _SHIM_LINUX_PERCPU_H */

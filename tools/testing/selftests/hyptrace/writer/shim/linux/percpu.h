/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_PERCPU_H
#define _SHIM_LINUX_PERCPU_H

#define SHIM_NR_CPUS			4

#define DEFINE_PER_CPU(type, name)	type name[SHIM_NR_CPUS]
#define per_cpu_ptr(ptr, cpu)		(&(*(ptr))[cpu])
struct cpumask;

/* Only the mask of all CPUs is in use */
#define for_each_cpu(cpu, mask)						\
	for ((cpu) = 0, (void)(mask); (cpu) < SHIM_NR_CPUS; (cpu)++)

#endif /* _SHIM_LINUX_PERCPU_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * absent - while this module is loaded, the offline CPU of its parameter "cpu" counts as
 * one that is not there (possible, but not present), as a CPU that can still be added.
 */
#include <linux/cpu.h>
#include <linux/module.h>

static int cpu = -1;
module_param(cpu, int, 0);
MODULE_PARM_DESC(cpu, "an offline CPU");

static int __init absent_init(void)
{
	if (cpu < 0 || cpu >= nr_cpu_ids || !cpu_present(cpu) || cpu_online(cpu))
		return -EINVAL;

	set_cpu_present(cpu, false);
	return 0;
}
module_init(absent_init);

static void __exit absent_exit(void)
{
	set_cpu_present(cpu, true);
}
module_exit(absent_exit);

MODULE_DESCRIPTION("A CPU that is not there, for tests of trace remotes");
MODULE_LICENSE("GPL");

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HYPTRACE_TASKSTATE_H
#define HYPTRACE_TASKSTATE_H

/* Bits of prev_state of sched_switch: the task cannot run; and it has ended */
#define TASK_SLEEPS	0xff
#define TASK_ENDED	0x30

#endif

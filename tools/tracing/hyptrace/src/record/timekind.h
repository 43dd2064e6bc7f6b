/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether this machine is on real time or on virtual time, where each instruction takes the same
 * time. It is stored as a CPUSTAT option, a line of text: "hyptrace: time=real" or
 * "hyptrace: time=virtual".
 *
 * Nothing tells a program on which it runs. So two loops of as many instructions are measured:
 * of divisions that wait for each other, and of instructions that do nothing. On virtual time
 * both take the same time.
 */
#ifndef HYPTRACE_TIMEKIND_H
#define HYPTRACE_TIMEKIND_H

/** timekind_text - the text for the file, to be freed; NULL if it is not known */
char *timekind_text(void);

#endif

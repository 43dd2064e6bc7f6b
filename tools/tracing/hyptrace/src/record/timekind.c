// SPDX-License-Identifier: GPL-2.0
/*
 * Real or virtual time. See timekind.h.
 */
#include <stdlib.h>
#include <sys/param.h>

#include "lib/types.h"
#include "lib/util.h"
#include "record/timekind.h"

#ifdef __aarch64__

#define ROUNDS		1000

/* Interrupts make a loop longer: the shortest one counts */
#define ATTEMPTS	16

/* Ticks by which the shortest ones may differ: reading the counter is no part of the loop */
#define TOLERANCE	2

/* %2 times eight times the instruction, and two for the loop; the counter before and after it */
#define LOOP(instruction)			\
	"isb; mrs %0, cntvct_el0\n"		\
	"1: .rept 8; " instruction "; .endr\n"	\
	"subs %2, %2, #1; b.ne 1b\n"		\
	"isb; mrs %1, cntvct_el0"

static u64 divide(void)
{
	u64 from, to, rounds = ROUNDS, x = ~0UL;

	asm volatile(LOOP("udiv %3, %3, %4") : "=&r" (from), "=&r" (to), "+&r" (rounds), "+&r" (x)
		     : "r" (1UL) : "cc", "memory");
	return to - from;
}

static u64 idle(void)
{
	u64 from, to, rounds = ROUNDS;

	asm volatile(LOOP("nop") : "=&r" (from), "=&r" (to), "+&r" (rounds) : : "cc", "memory");
	return to - from;
}

static u64 shortest(u64 (*loop)(void))
{
	u64 least = UINT64_MAX, ticks;
	unsigned int i;

	for (i = 0; i < ATTEMPTS; i++) {
		ticks = loop();
		least = MIN(least, ticks);
	}
	return least;
}

char *timekind_text(void)
{
	u64 slow = shortest(divide), fast = shortest(idle);

	return xasprintf("hyptrace: time=%s\n", MAX(slow, fast) - MIN(slow, fast) <= TOLERANCE ?
			 "virtual" : "real");
}

#else

char *timekind_text(void)
{
	return NULL;
}

#endif

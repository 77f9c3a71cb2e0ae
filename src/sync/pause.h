/* SPDX-License-Identifier: MIT */
/*
 * Pausing before a word is tried or checked again.
 *
 * A thread that waits for another one, which is about to do something but does not notify the
 * waiter, uses pause_briefly(). The other thread may need the waiter's CPU, and under SCHED_FIFO
 * never gets it if the waiter only yields. So after some pauses the waiter sleeps.
 */
#ifndef NAP_PAUSE_H
#define NAP_PAUSE_H

#include <stdint.h>

#include "arch/atomic.h"
#include "os/futex.h"
#include "sync/deadline.h"

#define PAUSES_AWAKE	64u
#define PAUSE_BRIEF_NS	100000u

/*
 * Called after a compare-exchange on a contended word has failed, before the next attempt: makes
 * *@pauses pauses, and doubles *@pauses, up to @most. The reason: each success makes the attempts
 * of all others fail, and each failure moves the word's cache line, which delays the next success.
 * (Dice, Hendler and Mirsky, "Lightweight Contention Management for Efficient Compare-and-Swap
 * Operations", 2013.)
 */
static inline void pause_after_failure(uint32_t *pauses, uint32_t most)
{
	/* Not noticed in tests when 1 for 0, <= for < or operands of < swapped: a guess. */
	for (uint32_t i = 0; i < *pauses; i++)
		nap_cpu_relax();	/* Not noticed in tests when dropped: as above. */
	/* Not noticed in tests when dropped or <= for <: as above. */
	if (*pauses < most)
		/* Not noticed in tests when dropped, 3 for 2 or 1 for 2: as above. */
		*pauses *= 2;
}

/* Pauses between two checks; *@pauses counts them, and is 0 at first. */
static inline void pause_briefly(uint32_t *pauses)
{
	uint32_t never = 0;

	nap_cpu_relax();
	if (*pauses < PAUSES_AWAKE)
		++*pauses;
	else
		nap__futex_wait(&never, 0, deadline_after(PAUSE_BRIEF_NS));
}

#endif /* NAP_PAUSE_H */

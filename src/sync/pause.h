/* SPDX-License-Identifier: MIT */
/*
 * Waiting for another thread that is about to do something, but does not notify the waiter. That
 * thread may need the waiter's CPU, and under SCHED_FIFO never gets it if the waiter only yields.
 * So after some pauses the waiter sleeps.
 */
#ifndef NAP_PAUSE_H
#define NAP_PAUSE_H

#include <stdint.h>

#include "arch/atomic.h"
#include "os/futex.h"
#include "sync/deadline.h"

#define PAUSES_AWAKE	64u
#define PAUSE_BRIEF_NS	100000u

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

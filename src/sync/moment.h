/* SPDX-License-Identifier: MIT */
/*
 * Waiting for another thread that is about to do something, and tells nobody. It may need this CPU,
 * and not get it from a thread that only yields: under SCHED_FIFO that goes on for ever.
 */
#ifndef NAP_MOMENT_H
#define NAP_MOMENT_H

#include <stdint.h>

#include "arch/atomic.h"
#include "os/futex.h"
#include "sync/deadline.h"

#define MOMENT_LOOKS	64u
#define MOMENT_NS	100000u

/* Between two looks; *@looks is 0 at first. */
static inline void wait_a_moment(uint32_t *looks)
{
	uint32_t never = 0;

	nap_cpu_relax();
	if (*looks < MOMENT_LOOKS)
		++*looks;
	else
		nap__futex_wait(&never, 0, deadline_after(MOMENT_NS));
}

#endif /* NAP_MOMENT_H */

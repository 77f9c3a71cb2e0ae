/* SPDX-License-Identifier: MIT */
/* A thread's places in classes while it sleeps in a wait: it gives them up (src/sched/class_take.c). */
#ifndef NAP_PERMITS_H
#define NAP_PERMITS_H

#include <stdint.h>

#include "sync/event.h"
#include "worker/self.h"

/* The calling thread, which has places: gives them up for the time of a sleep in a wait. */
void nap__permits_lend(void);
void nap__permits_back(void);

static inline void permits_lend(void)
{
	if (nap__self()->places)
		nap__permits_lend();
}

static inline void permits_back(void)
{
	if (nap__self()->places)
		nap__permits_back();
}

/* event_wait() in a wait that may have to do with the pool, and last. */
static inline uint32_t sleep_on_event(uint32_t *event, uint32_t reasons, uint64_t deadline)
{
	uint32_t woken;

	permits_lend();
	woken = event_wait(event, reasons, deadline);
	permits_back();
	return woken;
}

#endif /* NAP_PERMITS_H */

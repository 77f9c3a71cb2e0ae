/* SPDX-License-Identifier: MIT */
/*
 * Permits: what a thread holds while it runs a task of a class with a limit (src/kit/class_take.c),
 * and gives up while it sleeps in a wait. Its struct nap__self lists them, the innermost first;
 * they lie on its stack.
 */
#ifndef NAP_PERMITS_H
#define NAP_PERMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/event.h"
#include "worker/self.h"

struct nap__permit {
	struct nap__permit *outer;
	/* The holder: @lend: gives the permit up for a sleep; or takes it back. */
	void (*move)(struct nap__permit *permit, bool lend);
};

/* Lends or takes back all permits of the calling thread, which has some. */
void nap__permits_move(bool lend);

static inline void permits_lend(void)
{
	if (nap__self()->permits)
		nap__permits_move(true);
}

static inline void permits_back(void)
{
	if (nap__self()->permits)
		nap__permits_move(false);
}

/* As event_wait(), without the thread's permits: for waits on the pool, which may last. */
static inline uint32_t sleep_on_event(uint32_t *event, uint32_t reasons, uint64_t deadline)
{
	uint32_t woken;

	permits_lend();
	woken = event_wait(event, reasons, deadline);
	permits_back();
	return woken;
}

#endif /* NAP_PERMITS_H */

/* SPDX-License-Identifier: MIT */
/*
 * What a thread holds while it runs a task, and gives up while it sleeps in a wait: a permit in a
 * class with a limit (src/kit/class_take.c). They are listed in its struct nap__self, the innermost
 * first, and lie on its stack.
 */
#ifndef NAP_PERMITS_H
#define NAP_PERMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/event.h"
#include "worker/self.h"

struct nap__permit {
	struct nap__permit *outer;
	/* The holder: @lend: give it up for a sleep; or take it back. */
	void (*move)(struct nap__permit *permit, bool lend);
};

/* The calling thread, which has some. */
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

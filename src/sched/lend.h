/* SPDX-License-Identifier: MIT */
/*
 * Lending permits during a sleep. src/kit/class_take.c counts the permits.
 *
 * A thread that runs a task of a class with a limit holds a permit, and gives it up while it sleeps
 * in a wait. The permits of a thread are listed in its struct nap__self, the innermost first, and
 * lie on its stack.
 */
#ifndef NAP_LEND_H
#define NAP_LEND_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/event.h"

struct nap__permit {
	struct nap__permit *outer;
	/* Called by the holder: gives the permit up for a sleep (@lend), or takes it back. */
	void (*move)(struct nap__permit *permit, bool lend);
};

/* Lends or takes back all permits of the calling thread, if it has any. */
void nap__permits_move(bool lend);

static inline void permits_lend(void)
{
	nap__permits_move(true);
}

static inline void permits_back(void)
{
	nap__permits_move(false);
}

/*
 * As event_wait(), but lends the thread's permits during the sleep: for waits on the pool, which
 * may be long.
 */
static inline uint32_t sleep_on_event(uint32_t *event, uint32_t reasons, uint64_t deadline)
{
	uint32_t woken;

	permits_lend();
	woken = event_wait(event, reasons, deadline);
	permits_back();
	return woken;
}

#endif /* NAP_LEND_H */

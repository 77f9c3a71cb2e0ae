/* SPDX-License-Identifier: MIT */
/*
 * Fibers of other pools that wait for something in this pool. A stop of this pool, and its join,
 * notify these fibers, because the pool does nothing more then. A fiber is a visitor of this pool
 * while it waits (src/sync/gate.h), so the pool stays as long as the fiber may read it.
 *
 * The notifying thread also ends the fiber's visit. (If the fiber's own pool is stopped, no thread
 * runs the fiber before that pool's join, and the program may join this pool first.) So the
 * notifying thread also removes what the visitor has listed in this pool's memory.
 *
 * The list has a lock, so that a fiber can remove its own entry from the middle. The list is in
 * struct nap_pool, because the pool may have no fibers of its own, and no memory to allocate.
 */
#ifndef NAP_FIBER_FOREIGN_H
#define NAP_FIBER_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "async/fiber/fiber.h"
#include "async/fiber/wait.h"

/*
 * A wait for something of @pool, over one or more sleeps. The waiter sets @pool, @inside, @joiner
 * and @listed; the other members begin with zero.
 */
struct nap__visit {
	struct nap_pool *pool;	/* NULL: there is none, or it has ended */
	bool inside;		/* the waiter is a visitor of @pool, which is not its own pool */
	bool stopped;		/* the pool has ended by a stop */
	uintptr_t *joiner;	/* the word in the pool's memory that holds @listed, or NULL */
	uintptr_t listed;	/* value that is removed from *@joiner when the visit ends */
	bool taken_out;		/* the end of the visit has removed @listed */
};

struct nap__foreign {
	struct nap__foreign *next, **link;	/* link is NULL while not listed */
	struct nap__fiber_wait *wait;
	uint32_t number;
	uint32_t taken;		/* A: the first thread to set this leaves the gate */
	/* @stopped and @taken_out are set by the notifying thread */
	struct nap__visit *visit;
};

/* The part of foreign_sleep() for a pool that is not the fiber's own. */
int nap__foreign_sleep(struct nap__visit *visit, struct nap__sleeper *sleeper, uint64_t deadline);

/*
 * As nap__sleep(), for a fiber that waits for something of @visit->pool. The end of that pool also
 * ends the sleep, unless that pool is the fiber's own, whose joiner ends the wait
 * (src/async/fiber/stop.c). For a thread, and without a pool, this is nap__sleep(). Returns
 * FOREIGN_ENDS if the pool does nothing more: the waiter has to check, because its wait may also be
 * over. @visit->inside is updated.
 */
#define FOREIGN_ENDS 1
static inline int foreign_sleep(struct nap__visit *visit, struct nap__sleeper *sleeper,
				uint64_t deadline)
{
	struct nap_fiber *fiber = sleeper->wait->fiber;

	if (!fiber || !visit->pool || visit->pool == fiber->pool)
		return nap__sleep(sleeper, deadline);
	return nap__foreign_sleep(visit, sleeper, deadline);
}

#endif /* NAP_FIBER_FOREIGN_H */

/* SPDX-License-Identifier: MIT */
/*
 * Fibers of other pools that wait for something of this pool. They are notified when this pool will
 * do nothing more: after a stop, and when it is joined. Each of them is a visitor while it waits
 * (src/sync/gate.h), so this pool stays as long as they may read it.
 *
 * The thread that notifies a fiber also ends its visit, because the fiber's own pool may have no
 * thread to run the fiber before the join of that pool, which may come after this pool's. So that
 * thread also removes what the visitor has listed in this pool's memory.
 *
 * The list has a lock, so that a fiber that leaves removes itself alone. The list is in the pool
 * itself, which may have no fibers of its own, and no memory to allocate.
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
 * and @listed; all others begin with zero.
 */
struct nap__visit {
	struct nap_pool *pool;	/* NULL: none, or the pool has ended */
	bool inside;		/* the waiter is a visitor of @pool, which is not the fiber's own */
	bool stopped;		/* the pool has ended by a stop */
	uintptr_t *joiner;	/* where in the pool's memory @listed stands, or NULL. The */
	uintptr_t listed;	/* thread that ends the visit removes it from there, */
	bool taken_out;		/* and sets this if it was still there */
};

struct nap__foreign {
	struct nap__foreign *next, **link;	/* link is NULL: not listed */
	struct nap__fiber_wait *wait;
	uint32_t number;
	uint32_t taken;		/* A: the first to set it, leaving or notifying, leaves the gate */
	struct nap__visit *visit;	/* the notifying thread writes stopped and taken_out */
};

/* foreign_sleep() where the pool is not the fiber's own. */
int nap__foreign_sleep(struct nap__visit *visit, struct nap__sleeper *sleeper, uint64_t deadline);

/*
 * nap__sleep() of a fiber that waits for something of @visit->pool. The end of that pool also ends
 * the sleep, if that is not the fiber's own pool. (The joiner of the fiber's own pool ends its
 * waits: src/async/fiber/stop.c.) For a thread, and without a pool, it is nap__sleep().
 * FOREIGN_ENDS: the pool does nothing more, or the wait may have ended for its own reason: the
 * waiter has to check. @visit->inside is right afterwards, too.
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

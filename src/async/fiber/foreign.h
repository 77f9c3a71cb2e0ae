/* SPDX-License-Identifier: MIT */
/*
 * Fibers of other pools that wait for something of this one, and are told when nothing more comes
 * of it: after a stop, and when it is joined. Each is a visitor as long as it waits
 * (src/sync/gate.h): so this pool is not gone as long as they may look at it.
 *
 * The teller ends the visit, because the fiber's own pool may have nobody to run the fiber before
 * its join, which may come after this pool's. So the teller takes out what a visitor has listed in
 * this pool's memory.
 *
 * A list with a lock, so that who leaves takes out itself alone. It is in the pool itself, which may
 * have no fibers of its own, nor memory for anything.
 */
#ifndef NAP_FIBER_FOREIGN_H
#define NAP_FIBER_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "async/fiber/fiber.h"
#include "async/fiber/wait.h"

/*
 * A wait for something of @pool, from one sleep to the next. @pool, @inside and @joiner are the
 * waiter's to set, the rest all zero.
 */
struct nap__visit {
	struct nap_pool *pool;	/* NULL: none, or it has ended */
	bool inside;		/* a visitor there, where it is another than the fiber's */
	bool stopped;		/* it has ended, by a stop */
	uintptr_t *joiner;	/* that pool's memory in which @listed is; NULL: nothing is. */
	uintptr_t listed;	/* no longer there when the visit is over; */
	bool taken_out;		/* this says that it was there until then */
};

struct nap__foreign {
	struct nap__foreign *next, **link;	/* link is NULL: not listed */
	struct nap__wait *wait;
	uint32_t number;
	uint32_t taken;		/* A: the first, leaving or telling, sees to the gate */
	struct nap__visit *visit;	/* stopped and taken_out are written by the teller */
};

/* What foreign_sleep() does where the pool is another than the fiber's own. */
int nap__foreign_sleep(struct nap__visit *visit, struct nap__sleeper *sleeper, uint64_t deadline);

/*
 * nap__sleep() of a fiber that waits for something of @visit->pool: the end of that one ends it
 * too, where it is another than the fiber's own. (That one's is seen to by its joiner:
 * src/async/fiber/stop.c.) A thread, and where there is no pool: nap__sleep(). FOREIGN_ENDS:
 * nothing more comes of the pool, or it has ended otherwise by now, which the waiter finds out.
 * @visit->inside: afterwards, too.
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

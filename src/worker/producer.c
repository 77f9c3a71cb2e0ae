/* SPDX-License-Identifier: MIT */
/* Taking a producer slot, and waiting until all slots are empty: src/worker/producer.h. */
#include "worker/producer.h"

#include <errno.h>

#include "os/futex.h"
#include "os/os.h"
#include "sync/deadline.h"

/* How long to wait if membarrier is no longer allowed, and the time between two checks. */
#define DRAINED_NS	10000000u
#define LOOK_NS		100000u

/* Returns a slot that the calling thread owns, or takes a free one; or returns NULL. */
static struct nap__producer *find(struct nap_pool *pool, uintptr_t me)
{
	for (uint32_t i = 0; i < NAP__PRODUCERS; i++) {
		struct nap__producer *producer = &pool->producers[i];
		/*
		 * Relaxed, because the gate orders this store for the thread that has closed the
		 * gate. [G1]
		 */
		uintptr_t owner = nap_cmpxchg_relaxed(&producer->owner, 0, me);

		/*
		 * If the owner is inside, the caller is a signal handler that has interrupted the
		 * owner.
		 */
		if (!owner || (owner & ~PRODUCER_INSIDE) == me)
			return producer;
	}
	return NULL;
}

void nap__producer_take(struct nap_pool *pool)
{
	struct nap__self *self = nap__self();

	if (self->visited != pool) {
		self->visited = pool;
		self->visits = 0;
	}
	/*
	 * The thread tries to get a slot at its second visit in a row and, if it got none, at the
	 * fourth, the eighth and so on.
	 */
	if (++self->visits < 2 || self->visits & (self->visits - 1))
		return;
	self->own_producer = nap__os_membarrier_works() ? find(pool, (uintptr_t)self) : NULL;
	if (self->own_producer)
		self->visits = 0;
	nap_store_relaxed(&self->producer, self->own_producer);
}

int nap__producers_wait_empty(struct nap_pool *pool, uint64_t deadline)
{
	uint32_t never = 0;
	bool barrier = false;

	for (uint32_t i = 0; i < NAP__PRODUCERS && nap_load_relaxed(&pool->producers[i].owner);
	     i++) {
		struct nap__producer *producer = &pool->producers[i];

		/*
		 * All threads see the gate closed before the slots are read below; pairs with
		 * producer_enter(). [G3]
		 */
		if (!barrier && !nap__os_membarrier()) {
			/*
			 * Without membarrier wait instead: no processor delays a store for this
			 * long.
			 */
			if (nap__os_now() + DRAINED_NS > deadline)
				return -ETIMEDOUT;
			nap__futex_wait(&never, 0, deadline_after(DRAINED_NS));
		}
		barrier = true;
		/* Sees what was done inside: pairs with producer_leave(). [G1] */
		while (nap_load_acquire(&producer->owner) & PRODUCER_INSIDE) {
			if (deadline_passed(deadline))
				return -ETIMEDOUT;
			nap__futex_wait(&never, 0, deadline_after(LOOK_NS));
		}
	}
	return 0;
}

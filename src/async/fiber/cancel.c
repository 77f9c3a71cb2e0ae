/* SPDX-License-Identifier: MIT */
/*
 * Canceling a fiber: nap/fiber.h. A fiber that is canceled by its id may have ended. The memory of
 * a fiber holds this fiber or a later one until the pool is joined; the generation says which.
 *
 *	the canceler                        the spawner on the same stack
 *	------------                        -----------------------------
 *	load the wait's word (acquire)      store the generation
 *	is the generation that of the id?   store a new number to the wait's word (release)
 *	compare-exchange of the word
 *
 * The word has a number, which differs from fiber to fiber of a stack. So if the compare-exchange
 * succeeds, no later fiber had the stack yet, and the generation was still right.
 */
#include <nap/fiber.h>

#include <errno.h>

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"
#include "async/fiber/wait.h"
#include "os/happens.h"
#include "sync/gate.h"
#include "worker/enter.h"
#include "worker/phase.h"
#include "worker/self.h"

/* The id: the generation above, and 1 more than the stack's index below, which is never 0. */
#define GENERATION_SHIFT 32

int nap_fiber_cancel(struct nap_fiber *fiber)
{
	uint32_t number;

	if (!fiber)
		return -EINVAL;
	unseen_begin();
	if (wait_ask(&fiber->wait, WAIT_ASKED, &number))
		nap__fiber_wait_end(&fiber->wait, number, WAIT_CANCELED);
	unseen_end();
	return 0;
}

uint64_t nap_fiber_id(const struct nap_fiber *fiber)
{
	if (!fiber)
		return 0;
	return (uint64_t)nap_load_relaxed(&fiber->generation) << GENERATION_SHIFT |
	       (fiber->index + 1);
}

static bool fiber_is_over(struct nap_fiber *fiber)
{
	uint32_t life = nap_load_relaxed(&fiber->life);

	return life == FIBER_FREE || life == FIBER_ENDED;
}

int nap__fiber_cancel_the(struct nap_fiber *fiber, uint32_t generation)
{
	for (;;) {
		/*
		 * After a failed compare-exchange the word is loaded again, because the failure
		 * orders nothing.
		 */
		/* pairs with the release in fiber_renew() [U3] */
		uint32_t word = nap_load_acquire(&fiber->wait.state);

		if (nap_load_relaxed(&fiber->generation) != generation || fiber_is_over(fiber))
			return -ESRCH;
		if (!nap_try_cmpxchg_relaxed(&fiber->wait.state, &word, word | WAIT_ASKED))
			continue;
		if ((word & WAIT_OPEN) && !(word & WAIT_SHIELDED))
			nap__fiber_wait_end(&fiber->wait, word, WAIT_CANCELED);
		return 0;
	}
}

/* As nap_fiber_cancel_id(), for a caller inside. */
static int fiber_cancel(struct nap_pool *pool, uint64_t id)
{
	struct nap__fibers *fibers = fibers_if_any(pool);
	uint32_t index = (uint32_t)id - 1;

	if (!fibers || !stacks_are_sized(fibers) || index >= nap_load_relaxed(&fibers->used))
		return -ESRCH;
	return nap__fiber_cancel_the(nap__fiber_at(fibers, index),
				     (uint32_t)(id >> GENERATION_SHIFT));
}

int nap_fiber_cancel_id(struct nap_pool *pool, uint64_t id)
{
	int err = -ESHUTDOWN;

	if (!pool || !id)
		return -EINVAL;
	unseen_begin();
	if (!pool_forked(pool) && insider(pool)) {
		err = fiber_cancel(pool, id);
	} else if (visits_enter(pool)) {
		err = fiber_cancel(pool, id);
		gate_leave(&pool->visits);
	}
	unseen_end();
	return err;
}

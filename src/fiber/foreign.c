/* SPDX-License-Identifier: MIT */
#include "fiber/foreign.h"

#include "atomic.h"
#include "enter.h"
#include "fiber/stacks.h"
#include "gate.h"
#include "lock.h"
#include "phase.h"

static void unlink_one(struct nap__foreign *foreign)
{
	*foreign->link = foreign->next;
	if (foreign->next)
		foreign->next->link = foreign->link;
	foreign->link = NULL;
}

static void link_one(struct nap__fibers *fibers, struct nap__foreign *foreign)
{
	foreign->next = fibers->foreign;
	foreign->link = &fibers->foreign;
	if (foreign->next)
		foreign->next->link = &foreign->next;
	fibers->foreign = foreign;
}

static struct nap__fibers *of(struct nap_pool *pool)
{
	return nap_container_of(pool_async(pool), struct nap__fibers, async);
}

bool nap__foreign_unlist(struct nap__foreign *foreign)
{
	struct nap_pool *pool = foreign->pool;
	struct nap__fibers *fibers;

	/* Who tells has left the gate for us, and the pool may be gone. Pairs with claim_all(). [U2] */
	if (nap_xchg_acquire(&foreign->taken, true))
		return false;
	/* In the child of a fork nobody is inside, and another may hold the lock for ever. */
	if (pool_forked(pool))
		return false;
	fibers = of(pool);
	lock_take(&fibers->lock);
	if (foreign->link)
		unlink_one(foreign);
	lock_give(&fibers->lock);
	return true;
}

/* True: it is listed, and not told yet. */
static bool list_and_look(struct nap__foreign *foreign, struct nap__fibers *fibers)
{
	struct nap_pool *pool = foreign->pool;

	lock_take(&fibers->lock);
	link_one(fibers, foreign);
	lock_give(&fibers->lock);
	/* List before looking; pairs with stop() in pool.c, send_all_home() in pool_join.c. [Q1] */
	nap_fence_seq_cst();
	return !pool_canceled(pool) && !gate_is_closed(&pool->visits);
}

bool nap__foreign_list(struct nap__foreign *foreign, struct nap_pool *pool,
		       struct nap__sleeper *sleeper, uint32_t winner, bool *stopped)
{
	struct nap__fibers *fibers = nap__fibers_of(pool);
	/* Once more: who tells leaves the gate for the listing, and we look at the pool behind that. */
	bool inside = fibers && gate_enter(&pool->visits);
	bool is_listed = false;

	*foreign = (struct nap__foreign){ .wait = sleeper->wait, .number = sleeper->number,
					  .winner = winner, .pool = pool };
	if (inside)
		is_listed = list_and_look(foreign, fibers);
	*stopped = pool_canceled(pool);
	if (!is_listed && (!inside || nap__foreign_unlist(foreign)))
		gate_leave(&pool->visits);
	if (inside)
		gate_leave(&pool->visits);
	return is_listed;
}

/*
 * Under the lock: all are listed no more. Those whose wait is claimed; @nr_left: gates to leave. What
 * is touched here last of one that is not claimed, pairs with nap__foreign_unlist(). [U2]
 */
static struct nap__foreign *claim_all(struct nap__fibers *fibers, uint32_t *nr_left)
{
	struct nap__foreign *claimed = NULL, *f;

	while ((f = fibers->foreign)) {
		unlink_one(f);
		f->stopped = pool_canceled(f->pool);
		if (nap__wait_claim(f->wait, f->number, WAIT_WOKEN)) {
			f->wait->winner = f->winner;
			f->next = claimed;
			claimed = f;
		}
		/* Unless it leaves already: its wait ended otherwise, or it has looked. [U2] */
		*nr_left += !nap_xchg_release(&f->taken, true);
	}
	return claimed;
}

/*
 * The gates are left for those who are told: their own pool may be stopped, and have nobody to run
 * them before it is joined, perhaps behind this one.
 */
void nap__foreign_tell(struct nap_pool *pool)
{
	struct nap__fibers *fibers = of(pool);
	struct nap__foreign *claimed, *next;
	uint32_t nr_left = 0;

	lock_take(&fibers->lock);
	claimed = claim_all(fibers, &nr_left);
	lock_give(&fibers->lock);
	for (; claimed; claimed = next) {
		next = claimed->next;
		nap__wait_ready(claimed->wait);
	}
	while (nr_left--)
		gate_leave(&pool->visits);
}

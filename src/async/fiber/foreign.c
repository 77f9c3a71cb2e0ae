/* SPDX-License-Identifier: MIT */
/* Fibers that wait for something in another pool than their own: src/async/fiber/foreign.h. */
#include "async/fiber/foreign.h"

#include <errno.h>

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "os/happens.h"
#include "sync/gate.h"
#include "sync/lock.h"
#include "worker/enter.h"
#include "worker/phase.h"

/* Values of wait->winner: what has ended the wait. */
enum { BY_OTHERS, BY_POOL };

static void unlink_one(struct nap__foreign *foreign)
{
	*foreign->link = foreign->next;
	if (foreign->next)
		foreign->next->link = foreign->link;
	foreign->link = NULL;
}

static void link_one(struct nap_pool *pool, struct nap__foreign *foreign)
{
	foreign->next = pool->foreign;
	foreign->link = &pool->foreign;
	if (foreign->next)
		foreign->next->link = &foreign->next;
	pool->foreign = foreign;
}

/*
 * Removes @foreign, whose fiber no longer waits. True: the caller is still a visitor. False: the
 * visit is over, and the pool may be gone.
 */
static bool unlist(struct nap__foreign *foreign)
{
	struct nap_pool *pool = foreign->visit->pool;

	/*
	 * If claim_all() was first to set taken, notify_all() leaves the gate for the caller, and
	 * the pool may already be gone. Pairs with the exchange in claim_all(). [U2]
	 */
	if (nap_xchg_acquire(&foreign->taken, true))
		return false;
	/* In the child of a fork no thread is inside, and the lock may be held for ever. */
	if (pool_forked(pool))
		return false;
	lock_take(&pool->foreign_lock);
	if (foreign->link)
		unlink_one(foreign);
	lock_give(&pool->foreign_lock);
	return true;
}

/* Removes what @visit, which is about to end, has listed in the pool. */
static void visit_take_out(struct nap__visit *visit)
{
	/* Only one thread, the waiter or the notifying one, finds the entry. */
	if (visit->joiner && nap_cmpxchg_relaxed(visit->joiner, visit->listed, JOINER_NONE) ==
			     visit->listed)
		visit->taken_out = true;
}

/*
 * Called under the lock: empties the list. Returns the entries whose waits were claimed; *@nr_left:
 * how often the caller has to leave the gate. The exchange of taken is the last touch of every
 * entry that was not claimed; pairs with unlist(). [U2]
 */
static struct nap__foreign *claim_all(struct nap_pool *pool, uint32_t *nr_left)
{
	struct nap__foreign *claimed = NULL, *f;

	while ((f = pool->foreign)) {
		unlink_one(f);
		f->visit->stopped = pool_canceled(pool);
		visit_take_out(f->visit);
		if (nap__fiber_wait_claim(f->wait, f->number, WAIT_WOKEN)) {
			f->wait->winner = BY_POOL;
			f->next = claimed;
			claimed = f;
		}
		/* If taken was already set, the fiber itself leaves the gate. [U2] */
		*nr_left += !nap_xchg_release(&f->taken, true);
	}
	return claimed;
}

/*
 * Wakes all waiters, which then check again. Called by the thread that stops or joins @pool.
 *
 * The calling thread leaves the gate for these waiters, because @pool's join waits until the gate
 * is left, and may come first: if the waiters' own pool is stopped, no thread runs them before the
 * join of that pool.
 */
static void notify_all(struct nap_pool *pool)
{
	struct nap__foreign *claimed, *next;
	uint32_t nr_left = 0;

	lock_take(&pool->foreign_lock);
	claimed = claim_all(pool, &nr_left);
	lock_give(&pool->foreign_lock);
	for (; claimed; claimed = next) {
		next = claimed->next;
		nap__fiber_wait_ready(claimed->wait);
	}
	while (nr_left--)
		gate_leave(&pool->visits);
}

/* Lists @foreign. True: listed, and the pool has not ended yet. */
static bool list_and_check(struct nap__foreign *foreign)
{
	struct nap_pool *pool = foreign->visit->pool;

	/* Stored before the fence below, as is the entry in the list. [Q1] */
	nap_store_relaxed(&pool->foreign_tell, notify_all);
	lock_take(&pool->foreign_lock);
	link_one(pool, foreign);
	lock_give(&pool->foreign_lock);
	/*
	 * List, then check; pairs with stop() in src/life/pool.c, send_all_home() in
	 * src/life/pool_end.c. [Q1]
	 */
	nap_fence_seq_cst();
	return !pool_canceled(pool) && !gate_is_closed(&pool->visits);
}

/*
 * Lists the wait that @sleeper has opened. The caller is inside the pool. From this call on, the
 * visit is ended by the thread that is first to set foreign->taken. False: the pool has ended, and
 * so has the visit; *@stopped: whether the pool has left tasks unrun.
 */
static bool foreign_list(struct nap__foreign *foreign, struct nap__sleeper *sleeper, bool *stopped)
{
	struct nap__visit *visit = foreign->visit;
	struct nap_pool *pool = visit->pool;
	/*
	 * Enters the gate a second time, because this function still reads the pool after the
	 * listing, when the notifying thread may have ended the visit.
	 */
	bool inside = gate_enter(&pool->visits);
	bool is_listed = false;

	foreign->wait = sleeper->wait;
	foreign->number = sleeper->number;
	if (inside)
		is_listed = list_and_check(foreign);
	*stopped = pool_canceled(pool);
	if (!is_listed && (!inside || unlist(foreign))) {
		visit_take_out(visit);
		gate_leave(&pool->visits);
	}
	if (inside)
		gate_leave(&pool->visits);
	return is_listed;
}

/* Enters the pool, if the fiber is not inside yet, and lists the fiber. */
static bool enter_and_list(struct nap__foreign *foreign, struct nap__sleeper *sleeper,
			   bool *stopped)
{
	struct nap__visit *visit = foreign->visit;

	if (visit->inside || visits_enter(visit->pool))
		return foreign_list(foreign, sleeper, stopped);
	*stopped = pool_canceled(visit->pool);
	return false;
}

/*
 * Sleeps, except after a stop. (After a drain the awaited event still comes, and ends the sleep.)
 */
static int foreign_sleep_listed(struct nap__foreign *foreign, struct nap__sleeper *sleeper,
				uint64_t deadline)
{
	bool stopped, is_listed = enter_and_list(foreign, sleeper, &stopped);
	struct nap__visit *visit = foreign->visit;
	int err;

	/* Not noticed in tests when || for &&: after a drain the waiter checks once more. */
	err = !is_listed && stopped ? nap__sleeper_withdraw(sleeper) :
				      nap__sleep(sleeper, deadline);
	visit->inside = is_listed && unlist(foreign);
	if (!is_listed)
		visit->stopped = stopped;
	if (!visit->inside)
		visit->pool = NULL;
	return err == -EAGAIN || (!err && sleeper->wait->winner == BY_POOL) ? FOREIGN_ENDS : err;
}

int nap__foreign_sleep(struct nap__visit *visit, struct nap__sleeper *sleeper, uint64_t deadline)
{
	struct nap__foreign foreign = { .visit = visit };
	int err;

	sleeper->wait->winner = BY_OTHERS;
	err = foreign_sleep_listed(&foreign, sleeper, deadline);
	is_given(&foreign, sizeof(foreign));
	return err;
}

/* SPDX-License-Identifier: MIT */
#include "async/fiber/foreign.h"

#include <errno.h>

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "os/happens.h"
#include "sync/gate.h"
#include "sync/lock.h"
#include "worker/enter.h"
#include "worker/phase.h"

/* Which of the two has ended the wait: the wait's winner. */
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
 * The caller has listed it, and no longer waits. True: the visit is the caller's again. False: it
 * is over, and the pool may be gone.
 */
static bool unlist(struct nap__foreign *foreign)
{
	struct nap_pool *pool = foreign->visit->pool;

	/*
	 * The telling thread has left the gate for us, and the pool may be gone. Pairs with
	 * claim_all(). [U2]
	 */
	if (nap_xchg_acquire(&foreign->taken, true))
		return false;
	/* In the child of a fork nobody is inside, and another may hold the lock for ever. */
	if (pool_forked(pool))
		return false;
	lock_take(&pool->foreign_lock);
	if (foreign->link)
		unlink_one(foreign);
	lock_give(&pool->foreign_lock);
	return true;
}

/* The visit is about to be over: nothing of it stays listed in the pool. */
static void visit_take_out(struct nap__visit *visit)
{
	/* The waiter may come after the thread that tells, and finds nothing then. */
	if (visit->joiner && nap_cmpxchg_relaxed(visit->joiner, visit->listed, JOINER_NONE) ==
			     visit->listed)
		visit->taken_out = true;
}

/*
 * Under the lock: none is listed from now on. Those whose wait is claimed; @nr_left: gates to
 * leave. What is touched here last of one that is not claimed, pairs with unlist(). [U2]
 */
static struct nap__foreign *claim_all(struct nap_pool *pool, uint32_t *nr_left)
{
	struct nap__foreign *claimed = NULL, *f;

	while ((f = pool->foreign)) {
		unlink_one(f);
		f->visit->stopped = pool_canceled(pool);
		visit_take_out(f->visit);
		if (nap__wait_claim(f->wait, f->number, WAIT_WOKEN)) {
			f->wait->winner = BY_POOL;
			f->next = claimed;
			claimed = f;
		}
		/* Unless it leaves already: its wait ended otherwise, or it has looked. [U2] */
		*nr_left += !nap_xchg_release(&f->taken, true);
	}
	return claimed;
}

/*
 * Called by the thread that stops or joins @pool: all waiters look again.
 *
 * The gates are left for those that are told: their own pool may be stopped, and have nobody to run
 * them before it is joined, perhaps after this one.
 */
static void tell_all(struct nap_pool *pool)
{
	struct nap__foreign *claimed, *next;
	uint32_t nr_left = 0;

	lock_take(&pool->foreign_lock);
	claimed = claim_all(pool, &nr_left);
	lock_give(&pool->foreign_lock);
	for (; claimed; claimed = next) {
		next = claimed->next;
		nap__wait_ready(claimed->wait);
	}
	while (nr_left--)
		gate_leave(&pool->visits);
}

/* True: it is listed, and not told yet. */
static bool list_and_look(struct nap__foreign *foreign)
{
	struct nap_pool *pool = foreign->visit->pool;

	nap_store_relaxed(&pool->foreign_tell, tell_all);	/* before looking, as the list [Q1] */
	lock_take(&pool->foreign_lock);
	link_one(pool, foreign);
	lock_give(&pool->foreign_lock);
	/* List before looking; pairs with stop() in pool.c, send_all_home() in pool_join.c. [Q1] */
	nap_fence_seq_cst();
	return !pool_canceled(pool) && !gate_is_closed(&pool->visits);
}

/*
 * List the wait that @sleeper has opened. The caller is inside the pool: that visit is the
 * listing's from here on. False: the pool is at its end; then the visit is over, and *@stopped says
 * whether it ended without having run everything.
 */
static bool foreign_list(struct nap__foreign *foreign, struct nap__sleeper *sleeper, bool *stopped)
{
	struct nap__visit *visit = foreign->visit;
	struct nap_pool *pool = visit->pool;
	/*
	 * Once more: the telling thread leaves the gate for the listing, and we look at the pool
	 * after that.
	 */
	bool inside = gate_enter(&pool->visits);
	bool is_listed = false;

	foreign->wait = sleeper->wait;
	foreign->number = sleeper->number;
	if (inside)
		is_listed = list_and_look(foreign);
	*stopped = pool_canceled(pool);
	if (!is_listed && (!inside || unlist(foreign))) {
		visit_take_out(visit);
		gate_leave(&pool->visits);
	}
	if (inside)
		gate_leave(&pool->visits);
	return is_listed;
}

/* Come in, if the fiber is not inside yet, and list it. */
static bool come_in_and_list(struct nap__foreign *foreign, struct nap__sleeper *sleeper, bool *stopped)
{
	struct nap__visit *visit = foreign->visit;

	if (visit->inside || visits_enter(visit->pool))
		return foreign_list(foreign, sleeper, stopped);
	*stopped = pool_canceled(visit->pool);
	return false;
}

/* After a stop it does not sleep; after a drain only what it waits for can tell. */
static int foreign_sleep_listed(struct nap__foreign *foreign, struct nap__sleeper *sleeper,
				uint64_t deadline)
{
	bool stopped, is_listed = come_in_and_list(foreign, sleeper, &stopped);
	struct nap__visit *visit = foreign->visit;
	int err;

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

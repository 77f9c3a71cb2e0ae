/* SPDX-License-Identifier: MIT */
/*
 * The join of a pool: one caller at a time ends it, by the steps of pool_end.c. The word
 * pool->join says with which step the next joiner begins, when a joiner has given up.
 */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "life/pool.h"
#include "os/happens.h"
#include "os/os.h"
#include "sched/lend.h"
#include "sync/deadline.h"
#include "sync/event.h"
#include "sync/waitlist.h"
#include "worker/enter.h"
#include "worker/jump.h"
#include "worker/phase.h"
#include "worker/self.h"

/*
 * Makes the caller the joiner, which ends the pool, or hands out the tasks that were left; other
 * callers wait while pool->join is JOIN_BUSY. *@join: the value of pool->join before. Returns 0 or
 * -ETIMEDOUT.
 */
static int begin_join(struct nap_pool *pool, uint64_t deadline, uint32_t *join)
{
	int err = 0;	/* Not noticed in tests when 1 for 0: only -ETIMEDOUT is compared with. */

	for (;;) {
		*join = nap_load_relaxed(&pool->join);
		if (*join == JOIN_BUSY) {
			if (err == -ETIMEDOUT)
				return err;
			permits_lend();
			err = nap__futex_wait(&pool->join, JOIN_BUSY, deadline);
			permits_back();
		/*
		 * Sees how far the end is, and the batch of remaining tasks: pairs with
		 * finish_join(). [J2]
		 */
		} else if (nap_cmpxchg_acquire(&pool->join, *join, JOIN_BUSY) == *join) {
			return 0;
		}
	}
}

static void finish_join(struct nap_pool *pool, enum nap__join join)
{
	nap_store_release(&pool->join, join);	/* pairs with begin_join() [J2] */
	/* Not noticed in tests when 2 for 1 or 0 for 1: each joiner wakes the next. */
	nap__futex_wake(&pool->join, UINT32_MAX >> 1);
}

/*
 * Called when the joiner gives up after step 2: wakes the waiters for quiet, because ending workers
 * no longer notify them, and perhaps no other joiner comes.
 */
static void give_up_quiet(struct nap_pool *pool)
{
	nap_store_release(&pool->join, JOIN_QUIET);	/* pairs with begin_join() [J2] */
	nap_fence_seq_cst();	/* store before reading the list; pairs with wait_visit() [Q1] */
	waitlist_wake(&pool->waiters, EVENT_POOL);
	/* Not noticed in tests when 2 for 1 or 0 for 1: as above. */
	nap__futex_wake(&pool->join, UINT32_MAX >> 1);
}

void nap__join_canceled(struct nap_pool *pool)
{
	unseen_still();	/* Not noticed in tests when dropped: only valgrind notices. */
	/*
	 * Not noticed in tests when dropped: a thread with permits is in a task, and its
	 * cancellation ends the program.
	 */
	permits_back();
	give_up_quiet(pool);
	unseen_end();	/* Not noticed in tests when dropped: no cancelled joiner has a detector. */
}

/* Returns 0: this caller has ended the pool; or an error: another joiner has to end it. */
static int join(struct nap_pool *pool, uint64_t deadline, bool quiet)
{
	int err = quiet ? 0 : nap__end_quiet(pool, deadline);

	/* A task that nap__end_quiet() ran has forked, and this is the child. */
	if (pool_forked(pool))
		return -ESHUTDOWN;
	if (err) {
		finish_join(pool, JOIN_NONE);
		return err;
	}
	err = nap__end_pool(pool, deadline);
	if (err)
		give_up_quiet(pool);
	return err;
}

static int join_in_turn(struct nap_pool *pool, struct nap_batch *left, uint64_t deadline)
{
	uint32_t before;
	int err;

	if (pool_forked(pool))
		return -ESHUTDOWN;
	/*
	 * Notes the process in the pool, so that a child that is forked from now on does not wait
	 * for a joiner of the parent (JOIN_BUSY). Not noticed in tests when dropped: the shutdown
	 * in nap__end_quiet() does it a moment later.
	 */
	pool_start(pool);
	err = begin_join(pool, deadline, &before);
	if (!err && before < JOIN_ENDED)
		err = join(pool, deadline, before == JOIN_QUIET);
	if (err)
		return err;
	happens_after(pool);
	if (left)
		nap_batch_concat(left, &pool->left);
	happens_before(pool);
	is_given(pool, sizeof(*pool));
	if (pool->config.classes)
		is_given(pool->config.classes, sizeof(*pool->config.classes));
	finish_join(pool, JOIN_DONE);
	return before == JOIN_DONE ? -EALREADY : 0;
}

int nap__pool_end(struct nap_pool *pool, uint64_t deadline)
{
	int cancelable = nap__os_cancel_off();
	uint32_t before;
	int err = begin_join(pool, deadline, &before);

	if (!err && before < JOIN_ENDED)
		err = join(pool, deadline, before == JOIN_QUIET);
	if (!err)
		/* Not noticed in tests when <= for <: both have the same value then. */
		finish_join(pool, before < JOIN_ENDED ? JOIN_ENDED : (enum nap__join)before);
	nap__os_cancel_back(cancelable);
	return err;
}

int nap_pool_join_until(struct nap_pool *pool, struct nap_batch *left, uint64_t deadline)
{
	int err;

	if (left)
		*left = (struct nap_batch)NAP_BATCH_INIT;
	if (!pool)
		return -EINVAL;
	check_jump(__builtin_return_address(0));
	if (nap__is_inside(pool))
		return -EDEADLK;
	unseen_begin();
	err = join_in_turn(pool, left, deadline);
	unseen_end();
	return err;
}

int nap_pool_join_for(struct nap_pool *pool, struct nap_batch *left, uint64_t timeout_ns)
{
	return nap_pool_join_until(pool, left, deadline_after(timeout_ns));
}

int nap_pool_join(struct nap_pool *pool, struct nap_batch *left)
{
	return nap_pool_join_until(pool, left, NAP_FOREVER);
}

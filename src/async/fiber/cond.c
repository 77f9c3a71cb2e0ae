/* SPDX-License-Identifier: MIT */
/* Condition variables: nap/sync.h. */
#include <nap/sync.h>

#include <nap/fiber.h>

#include "arch/atomic.h"
#include "async/fiber/budget.h"
#include "async/fiber/fiber.h"
#include "async/fiber/waiters.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "sync/pause.h"
#include "worker/leaving.h"
#include "worker/phase.h"

/*
 * Lets the mutex's owner run. After a stop of the pool a wait for the mutex returns at once, with
 * an error. The owner may be another fiber of the pool, and the thread that joins the pool runs
 * both (src/async/fiber/stop.c). So a fiber gives way to the other fibers. A task that is no fiber
 * can only pause and try again, because it must not continue without the mutex (nap/sync.h). (The
 * joiner runs fibers only after all workers have left, the task's worker included.)
 */
static void let_the_owner_on(uint32_t *looks)
{
	struct nap_fiber *fiber;

	unseen_begin();
	fiber = nap__fiber_waiting();
	if (fiber && !pool_forked(fiber->pool))
		/* Not noticed in tests when dropped: nap_mutex_lock() spends the budget. */
		nap__fiber_yield(fiber);
	else
		/* Not noticed in tests when dropped: it tries again without a pause. */
		pause_briefly(looks);
	unseen_end();
}

/* Locks the mutex, and retries after each error, because the caller has to own the mutex. */
static void lock_mutex(void *mutex)
{
	/* Not noticed in tests when 1 for 0: it sleeps one pause earlier. */
	uint32_t looks = 0;

	while (nap_mutex_lock(mutex))
		let_the_owner_on(&looks);
}

static void unlock_mutex(void *mutex)
{
	nap_mutex_unlock(mutex);
}

static const struct nap_lock_ops of_mutex = { .unlock = unlock_mutex, .lock = lock_mutex };

/*
 * The caller is listed before it unlocks, so that it misses no signal. A fiber whose budget is
 * spent gives way without the lock, also if it may not wait: other fibers may need the lock, and
 * they may block the thread for it. Inlined, with the functions of @ops.
 */
static inline __attribute__((always_inline)) int wait_with(struct nap_cond *cond, void *lock,
							   const struct nap_lock_ops *ops,
							   uint64_t deadline)
{
	struct nap__fiber_waiter waiter = { .what = NULL };
	struct nap__sleeper sleeper;
	bool shielded, spent;
	int err;

	nothing_leaves();
	unseen_begin();
	spent = deadline && budget_is_spent();
	err = deadline_passed(deadline) ? nap__timed_out() : nap__sleeper_begin(&sleeper, NULL);
	if (!err) {
		sleeper_waits_for(&sleeper, NAP_TRACE_ON_COND, cond);
		lock_take(&cond->lock);
		waiters_add(&cond->waiters, &waiter, &sleeper);
		lock_give(&cond->lock);
	}
	unseen_end();
	/* In the child of a fork the lock may have waiters that do not exist. */
	if (err && (!spent || err == -ESHUTDOWN))
		return err;
	ops->unlock(lock);
	unseen_begin();
	if (!err)
		err = waiter_sleep(&cond->waiters, &cond->lock, &waiter, &sleeper, deadline);
	if (spent)
		nap__budget_spent();
	unseen_end();
	shielded = nap_fiber_shield(true);	/* so that a canceled fiber locks, too */
	ops->lock(lock);
	nap_fiber_shield(shielded);
	return err;
}

int nap_cond_wait_with(struct nap_cond *cond, void *lock, const struct nap_lock_ops *ops,
		       uint64_t deadline)
{
	return wait_with(cond, lock, ops, deadline);
}

int nap_cond_wait_until(struct nap_cond *cond, struct nap_mutex *mutex, uint64_t deadline)
{
	return wait_with(cond, mutex, &of_mutex, deadline);
}

int nap_cond_wait_for(struct nap_cond *cond, struct nap_mutex *mutex, uint64_t timeout_ns)
{
	return nap_cond_wait_until(cond, mutex, deadline_after(timeout_ns));
}

int nap_cond_wait(struct nap_cond *cond, struct nap_mutex *mutex)
{
	return nap_cond_wait_until(cond, mutex, NAP_FOREVER);
}

void nap_cond_signal(struct nap_cond *cond)
{
	struct nap__fiber_waiter *waiter;

	unseen_begin();
	lock_take(&cond->lock);
	waiter = waiters_claim(&cond->waiters);
	lock_give(&cond->lock);
	if (waiter)
		waiter_go_on(waiter);
	unseen_end();
}

void nap_cond_broadcast(struct nap_cond *cond)
{
	struct nap__fiber_waiter *all;

	unseen_begin();
	lock_take(&cond->lock);
	all = waiters_claim_all(&cond->waiters);
	lock_give(&cond->lock);
	waiters_go_on(all);
	unseen_end();
}

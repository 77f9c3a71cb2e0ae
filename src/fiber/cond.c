/* SPDX-License-Identifier: MIT */
/* Conditions: nap/sync.h. */
#include <nap/sync.h>

#include <errno.h>

#include <nap/fiber.h>

#include "atomic.h"
#include "deadline.h"
#include "fiber/waiters.h"
#include "happens.h"

/* A cancellation that is known already is none of this wait's. */
static int lock_again(struct nap_mutex *mutex)
{
	bool shielded = nap_fiber_shield(true);
	int err = nap_mutex_lock(mutex);

	nap_fiber_shield(shielded);
	return err;
}

int nap_cond_wait_for(struct nap_cond *cond, struct nap_mutex *mutex, uint64_t timeout_ns)
{
	uint64_t deadline = deadline_after(timeout_ns);
	struct nap__waiter waiter = { .what = NULL };
	struct nap__sleeper sleeper;
	int err;

	unseen_begin();
	err = nap__sleeper_begin(&sleeper, NULL);
	if (!err) {
		lock_take(&cond->lock);
		waiters_add(&cond->waiters, &waiter, &sleeper);
		lock_give(&cond->lock);
	}
	unseen_end();
	if (err)
		return err;
	nap_mutex_unlock(mutex);
	unseen_begin();
	err = waiter_sleep(&cond->waiters, &cond->lock, &waiter, &sleeper, deadline);
	unseen_end();
	return lock_again(mutex) ? -ESHUTDOWN : err;
}

int nap_cond_wait(struct nap_cond *cond, struct nap_mutex *mutex)
{
	return nap_cond_wait_for(cond, mutex, NAP_FOREVER);
}

void nap_cond_signal(struct nap_cond *cond)
{
	struct nap__waiter *waiter;

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
	struct nap__waiter *all;

	unseen_begin();
	lock_take(&cond->lock);
	all = waiters_claim_all(&cond->waiters);
	lock_give(&cond->lock);
	waiters_go_on(all);
	unseen_end();
}

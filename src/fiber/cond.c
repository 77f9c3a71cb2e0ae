/* SPDX-License-Identifier: MIT */
/* Conditions, and events: nap/sync.h. */
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

static void tell_all(struct nap__waiters *waiters, uint32_t *lock)
{
	struct nap__waiter *all;

	lock_take(lock);
	all = waiters_claim_all(waiters);
	lock_give(lock);
	waiters_go_on(all);
}

void nap_cond_broadcast(struct nap_cond *cond)
{
	unseen_begin();
	tell_all(&cond->waiters, &cond->lock);
	unseen_end();
}

/* ---- events */

void nap_event_set(struct nap_event *event)
{
	unseen_begin();
	happens_before(event);
	nap_store_release(&event->happened, true);	/* pairs with has_happened() [Y4] */
	tell_all(&event->waiters, &event->lock);
	unseen_end();
}

void nap_event_reset(struct nap_event *event)
{
	nap_store_relaxed(&event->happened, false);
}

static bool has_happened(struct nap_event *event)
{
	return nap_load_acquire(&event->happened);	/* pairs with nap_event_set() [Y4] */
}

/* Looked at under the lock, which who sets it takes behind that: so it is seen, or one is told. */
static int wait_for_event(struct nap_event *event, uint64_t deadline)
{
	struct nap__waiter waiter = { .what = NULL };
	struct nap__sleeper sleeper;
	bool happened;
	int err;

	if (deadline_passed(deadline))
		return nap__timed_out();
	err = nap__sleeper_begin(&sleeper, NULL);
	if (err)
		return err;
	lock_take(&event->lock);
	happened = has_happened(event);
	if (!happened)
		waiters_add(&event->waiters, &waiter, &sleeper);
	lock_give(&event->lock);
	if (!happened)
		return waiter_sleep(&event->waiters, &event->lock, &waiter, &sleeper, deadline);
	nap__sleeper_withdraw(&sleeper);
	return 0;
}

int nap_event_wait_for(struct nap_event *event, uint64_t timeout_ns)
{
	int err = 0;

	unseen_begin();
	if (!has_happened(event))
		err = wait_for_event(event, deadline_after(timeout_ns));
	if (!err)
		happens_after(event);
	unseen_end();
	return err;
}

int nap_event_wait(struct nap_event *event)
{
	return nap_event_wait_for(event, NAP_FOREVER);
}

bool nap_event_is_set(struct nap_event *event)
{
	bool happened;

	unseen_begin();
	happened = has_happened(event);
	if (happened)
		happens_after(event);
	unseen_end();
	return happened;
}

/* SPDX-License-Identifier: MIT */
/*
 * Wait groups. The count says what is left; the waitlist, closed or open, says whether it is over.
 * Only the last nap_group_done() closes it, and that is its last touch of the group: a waiter trusts
 * the list, never the count.
 */
#include <errno.h>

#include <nap/nap.h>

#include "atomic.h"
#include "event.h"
#include "idle/idle.h"
#include "phase.h"
#include "pool.h"
#include "waitlist.h"
#include "worker.h"

#define COUNT_MAX	((uint32_t)INT32_MAX)

void nap_group_init(struct nap_group *group, struct nap_pool *pool)
{
	*group = (struct nap_group)NAP_GROUP_INIT(pool);
}

int nap_group_add(struct nap_group *group, uint32_t n)
{
	uint32_t count = nap_load_relaxed(&group->count);

	if (n == 0)
		return 0;
	for (;;) {
		uint32_t found;

		if (n > COUNT_MAX - count)
			return -EOVERFLOW;
		/* Relaxed: what hands the work over orders this before the matching done. */
		found = nap_cmpxchg_relaxed(&group->count, count, count + n);
		if (found == count)
			break;
		count = found;
	}
	if (count == 0)
		nap_store_relaxed(&group->waiters, 0);	/* open; nobody waits yet by contract */
	return 0;
}

int nap_group_done(struct nap_group *group)
{
	uint32_t count = nap_load_relaxed(&group->count);

	for (;;) {
		uint32_t found;

		if (count == 0)
			return -EINVAL;
		/* Pairs with the load below, by the last one. [D1] */
		found = nap_cmpxchg_release(&group->count, count, count - 1);
		if (found == count)
			break;
		count = found;
	}
	if (count != 1)
		return 0;
	/*
	 * The last one passes on what all the others did: it reads what its own read-modify-write
	 * wrote, which continues the release sequence of every other. [D1]
	 */
	nap_load_acquire(&group->count);
	waitlist_close(&group->waiters, EVENT_LATCH);
	return 0;
}

/* 1: go on waiting. Anything else is what the wait returns. */
static int wait_over(struct nap_group *group, struct nap_worker *worker, uint64_t deadline)
{
	if (waitlist_closed(&group->waiters))
		return 0;
	if (group->pool && pool_forked(group->pool))
		return -ESHUTDOWN;
	if ((group->pool && pool_canceled(group->pool)) || (worker && pool_canceled(worker->pool)))
		return -ECANCELED;
	return deadline_passed(deadline) ? -ETIMEDOUT : 1;
}

/* Sleep until @reasons change. A worker can be called to work, unless it is nested too deep. */
static uint32_t sleep_in_wait(struct nap_worker *worker, uint32_t *event, uint64_t deadline)
{
	uint32_t reasons = 0;

	if (worker && may_nest())
		nap__park(worker, deadline, &reasons);
	else
		reasons = event_wait(event, EVENT_ANY & ~EVENT_WORK, deadline);
	return reasons;
}

/* Enlist with the group, and with its pool for what else may end the wait; sleep; delist. */
static void wait_once(struct nap_group *group, struct nap_worker *worker, uint64_t deadline,
		      bool stuck)
{
	struct nap_pool *pool = group->pool;
	uint32_t own_event = 0, *event = worker ? &worker->event : &own_event;
	struct nap__waiter in_group = { .event = event }, in_pool = { .event = event };
	uint32_t reasons = 0;

	if (!waitlist_add(&group->waiters, &in_group))
		return;
	if (pool) {
		waitlist_add(&pool->waiters, &in_pool);
		/* Enlist before looking; pairs with stop(), nap__idle_spawn_failed(). [Q1] */
		nap_fence_seq_cst();
	}
	if (stuck)
		deadline = deadline_soon(deadline);
	if (!pool || !(pool_canceled(pool) || (nap__needs_help(pool) && !stuck)))
		reasons = sleep_in_wait(worker, event, deadline);
	if (!(reasons & EVENT_LATCH))
		waitlist_remove(&group->waiters, &in_group, EVENT_LATCH);
	if (pool && !(reasons & EVENT_POOL))
		waitlist_remove(&pool->waiters, &in_pool, EVENT_POOL);
}

/* Run one task of the group's pool that has no worker to run it. False: none could be taken. */
static int help_group(struct nap_pool *pool)
{
	/* Nested too deep, and there is nobody else. */
	if (is_helping(pool) && !may_nest())
		return -EDEADLK;
	return nap__help_one(pool);
}

static int wait_until(struct nap_group *group, struct nap_worker *worker, uint64_t deadline)
{
	for (;;) {
		struct nap_task *task;
		bool stuck = false;
		int err = wait_over(group, worker, deadline);

		if (err <= 0)
			return err;
		if (worker && may_nest() && (task = nap__dequeue(worker))) {
			nap__run(worker, task);
			continue;
		}
		if (group->pool && nap__needs_help(group->pool)) {
			err = help_group(group->pool);
			if (err < 0)
				return err;
			if (err)
				continue;
			stuck = true;
		}
		wait_once(group, worker, deadline, stuck);
	}
}

int nap_group_wait_for(struct nap_group *group, uint64_t timeout_ns)
{
	struct nap_worker *worker = nap__self()->worker;
	int err;

	if (waitlist_closed(&group->waiters))
		return 0;
	err = wait_until(group, worker, deadline_after(timeout_ns));
	if (worker)
		nap__idle_cancel(worker);
	return err;
}

int nap_group_wait(struct nap_group *group)
{
	return nap_group_wait_for(group, NAP_FOREVER);
}

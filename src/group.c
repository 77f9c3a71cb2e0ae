/* SPDX-License-Identifier: MIT */
/*
 * Wait groups. The count says what is left; the waitlist, closed or open, says whether it is over.
 * Only the last nap_group_done() closes it, and that is its last touch of the group: a waiter
 * trusts the list, never the count.
 */
#include <errno.h>

#include <nap/nap.h>

#include "atomic.h"
#include "event.h"
#include "gate.h"
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

/*
 * A thread that waits. Its nodes stay listed from one sleep to the next: being woken for nothing
 * takes one of them out, and only that one is listed again. (To take out both each time would wake
 * the others in turn, and they each other.) They are taken out before it leaves or runs a task.
 *
 * While it is listed with the pool it is a visitor, so that the joiner waits until it is gone.
 */
struct wait {
	struct nap_group *group;
	struct nap_worker *worker;	/* that the thread is, or NULL */
	uint64_t deadline;
	uint32_t own_event, *event;
	struct nap__waiter in_group, in_pool;
	bool group_lists, pool_lists;
};

/* 1: go on waiting. Anything else is what the wait returns. */
static int wait_over(struct wait *wait)
{
	struct nap_pool *pool = wait->group->pool;

	/* First, because when it is complete the pool may be gone. */
	if (waitlist_closed(&wait->group->waiters))
		return 0;
	if (pool && pool_forked(pool))
		return -ESHUTDOWN;
	if (wait->worker && pool_forked(wait->worker->pool))
		return -ESHUTDOWN;
	if ((pool && pool_canceled(pool)) || (wait->worker && pool_canceled(wait->worker->pool)))
		return -ECANCELED;
	return deadline_passed(wait->deadline) ? -ETIMEDOUT : 1;
}

/* False: the group is complete. */
static bool enlist(struct wait *wait)
{
	struct nap_pool *pool = wait->group->pool;

	if (!wait->group_lists && !waitlist_add(&wait->group->waiters, &wait->in_group))
		return false;
	wait->group_lists = true;
	if (pool && !wait->pool_lists && gate_enter(&pool->visits)) {
		waitlist_add(&pool->waiters, &wait->in_pool);
		wait->pool_lists = true;
	}
	return true;
}

/* What was taken out of the lists, with the @reasons that say so. */
static void taken_out(struct wait *wait, uint32_t reasons)
{
	if (reasons & EVENT_LATCH)
		wait->group_lists = false;
	if (reasons & EVENT_POOL) {
		wait->pool_lists = false;
		gate_leave(&wait->group->pool->visits);
	}
}

static void delist(struct wait *wait)
{
	if (wait->group_lists) {
		waitlist_remove(&wait->group->waiters, &wait->in_group, EVENT_LATCH);
		taken_out(wait, EVENT_LATCH);
	}
	if (wait->pool_lists) {
		waitlist_remove(&wait->group->pool->waiters, &wait->in_pool, EVENT_POOL);
		taken_out(wait, EVENT_POOL);
	}
}

/* A worker can be called to work, unless it is nested too deep or its pool has ended. */
static void sleep_in_wait(struct wait *wait, uint64_t deadline)
{
	enum nap__verdict verdict = NAP_EXIT;
	uint32_t reasons = 0;

	if (wait->worker && may_nest())
		verdict = nap__park(wait->worker, deadline, &reasons);
	if (verdict == NAP_EXIT)
		reasons |= event_wait(wait->event, EVENT_LATCH | EVENT_POOL, deadline);
	taken_out(wait, reasons);
}

/* Sleep, unless there is reason to look again. @stuck: there is, but it did not help. */
static void wait_once(struct wait *wait, bool stuck)
{
	struct nap_pool *pool = wait->group->pool;

	if (!enlist(wait))
		return;
	/* Enlist before looking; pairs with stop(), end(), nap__idle_spawn_failed(). [Q1] */
	nap_fence_seq_cst();
	if (pool && (pool_canceled(pool) || (nap__needs_help(pool) && !stuck) ||
		     (wait->pool_lists && gate_is_closed(&pool->visits)))) {
		delist(wait);
		return;
	}
	sleep_in_wait(wait, stuck ? deadline_soon(wait->deadline) : wait->deadline);
}

/* Run one task of a pool that has no worker to run it. 0: none could be taken. */
static int help_group(struct wait *wait)
{
	struct nap__self *self = nap__self();

	/* Nested too deep, and there is nobody else. */
	if ((self->helping || self->worker) && !may_nest())
		return -EDEADLK;
	delist(wait);
	if (wait->worker)
		nap__idle_cancel(wait->worker);
	return nap__help_one(wait->group->pool);
}

/* As wait_over(), after one task or one sleep. */
static int wait_step(struct wait *wait)
{
	struct nap_pool *pool = wait->group->pool;
	struct nap_task *task;
	bool stuck = false;
	int err = wait_over(wait);

	if (err <= 0)
		return err;
	if (wait->worker && may_nest() && (task = nap__dequeue(wait->worker))) {
		delist(wait);
		nap__run(wait->worker, task);
		return 1;
	}
	if (pool && nap__needs_help(pool)) {
		err = help_group(wait);
		if (err)
			return err;
		stuck = true;
	}
	wait_once(wait, stuck);
	return 1;
}

int nap_group_wait_for(struct nap_group *group, uint64_t timeout_ns)
{
	struct wait wait = { .group = group, .worker = nap__self()->worker };
	int err;

	if (waitlist_closed(&group->waiters))
		return 0;
	wait.deadline = deadline_after(timeout_ns);
	wait.event = wait.worker ? &wait.worker->event : &wait.own_event;
	wait.in_group.event = wait.in_pool.event = wait.event;
	do {
		err = wait_step(&wait);
	} while (err > 0);
	delist(&wait);
	if (wait.worker && !pool_forked(wait.worker->pool))
		nap__idle_cancel(wait.worker);
	return err;
}

int nap_group_wait(struct nap_group *group)
{
	return nap_group_wait_for(group, NAP_FOREVER);
}

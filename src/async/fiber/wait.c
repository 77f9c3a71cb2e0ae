/* SPDX-License-Identifier: MIT */
/*
 * The waiting side of a wait, of a fiber or a thread: src/async/fiber/wait.h. The side that ends
 * the wait: wait_end.c.
 */
#include <errno.h>

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "async/fiber/wait.h"
#include "os/happens.h"
#include "sync/lock.h"
#include "sync/pause.h"
#include "wait/group.h"
#include "async/async.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

/* Returns why @fiber, whose wait has this @word, must not begin a wait; or 0. */
static int refused(struct nap_fiber *fiber, uint32_t word)
{
	/* Not noticed in tests when dropped: the second check has the same result. */
	if (!(word & WAIT_TO_END) && pool_is_plain(fiber->pool))
		return 0;
	if (((word & WAIT_TO_END) && !(word & WAIT_SHIELDED)) || pool_stopped(fiber->pool))
		return -ECANCELED;
	return 0;
}

int nap__timed_out(void)
{
	struct nap_fiber *fiber = nap__fiber_waiting();
	int err = fiber ? refused(fiber, nap_load_relaxed(&fiber->wait.state)) : 0;

	return err ? err : -ETIMEDOUT;
}

static int begin_fiber(struct nap__sleeper *sleeper, struct nap_fiber *fiber)
{
	uint32_t word = nap_load_relaxed(&fiber->wait.state), next;

	do {
		int err = refused(fiber, word);

		if (err)
			return err;
		next = (word / WAIT_NUMBER + 1) * WAIT_NUMBER | (word & WAIT_KEPT) | WAIT_OPEN;
	} while (!nap_try_cmpxchg_relaxed(&fiber->wait.state, &word, next));
	sleeper->wait = &fiber->wait;
	sleeper->number = next;
	return 0;
}

/* Returns the pool whose worker the thread is; NULL in the child of a fork. */
static struct nap_pool *pool_here(void)
{
	struct nap_worker *worker = nap__self()->worker;

	return worker && !pool_forked(worker->pool) ? worker->pool : NULL;
}

/* Out of line, so that the wait of a fiber saves no registers for it. */
static __attribute__((noinline)) int begin_thread(struct nap__sleeper *sleeper,
						  struct nap_pool *pool)
{
	/* Not listed, so that nothing in the child leads to this stack. */
	if (!pool && in_fiber_of_parent())
		return -ESHUTDOWN;
	sleeper->only_sleeps = !pool;
	if (!pool)
		pool = pool_here();
	sleeper->own = (struct nap__fiber_wait){ .state = WAIT_OPEN };
	sleeper->group = (struct nap_group)NAP_GROUP_INIT(pool);
	nap__group_add(&sleeper->group, 1);
	sleeper->wait = &sleeper->own;
	sleeper->number = WAIT_OPEN;
	return 0;
}

int nap__sleeper_begin(struct nap__sleeper *sleeper, struct nap_pool *pool)
{
	struct nap_fiber *fiber = fiber_waiting();

	return fiber ? begin_fiber(sleeper, fiber) : begin_thread(sleeper, pool);
}

/*
 * Called after the caller gave up its wait too late: waits until the thread that has ended the wait
 * completes the group.
 */
static void await_done(struct nap_group *group)
{
	/* Not noticed in tests when 1 for 0: it sleeps one pause earlier. */
	uint32_t looks = 0;

	while (!group_is_complete(group))
		pause_briefly(&looks);
}

static int why_of(uint32_t word)
{
	switch (word & WAIT_WHY) {
	case WAIT_TIMED_OUT:
		return -ETIMEDOUT;
	case WAIT_CANCELED:
		return -ECANCELED;
	default:
		return 0;
	}
}

int nap__sleeper_withdraw(struct nap__sleeper *sleeper)
{
	struct nap_fiber *fiber = sleeper->wait->fiber;

	if (nap__fiber_wait_claim(sleeper->wait, sleeper->number, WAIT_WOKEN))
		return -EAGAIN;
	if (!fiber) {
		await_done(&sleeper->group);
		return 0;	/* no thread can be canceled */
	}
	nap__fiber_suspend(fiber);
	return why_of(nap_load_relaxed(&fiber->wait.state));
}

static int sleep_thread(struct nap__sleeper *sleeper, uint64_t deadline)
{
	struct nap__self *self = nap__self();
	const struct nap__fiber_wait *before = self->sleeper;
	int err;

	self->sleeper = sleeper->wait;
	err = sleeper->only_sleeps ? nap__group_sleep_until(&sleeper->group, deadline) :
				     nap__group_wait_until(&sleeper->group, deadline);
	self->sleeper = before;
	/* In the child of a fork there is no thread that completes the group of a claimed wait. */
	if (err == -ESHUTDOWN)
		return err;
	return err && nap__sleeper_withdraw(sleeper) == -EAGAIN ? err : 0;
}

/* The timer lies on this stack, and is out of the heap when this function returns. */
static void suspend_until(struct nap_fiber *fiber, struct nap__sleeper *sleeper, uint64_t deadline)
{
	struct nap__timers *timers = &pool_async(fiber->pool)->timers;
	struct nap__timer_node node = { .when = deadline ? deadline : 1, .wait = sleeper->wait,
					.number = sleeper->number, .armed = true };
	bool earliest;

	lock_take(&timers->lock);
	timers_note_armed(fiber->pool, timers);
	earliest = nap__timers_put(timers, &node);
	lock_give(&timers->lock);
	if (earliest)
		nap__timers_attend(fiber->pool, timers);
	nap__fiber_suspend(fiber);
	lock_take(&timers->lock);
	if (node.armed)
		nap__timers_take(timers, &node);
	lock_give(&timers->lock);
	is_given(&node, sizeof(node));
}

/* Sleeps as a thread, or as a fiber that has a deadline. */
static __attribute__((noinline)) int sleep_slow(struct nap__sleeper *sleeper, uint64_t deadline)
{
	struct nap_fiber *fiber = sleeper->wait->fiber;

	if (!fiber)
		return sleep_thread(sleeper, deadline);
	suspend_until(fiber, sleeper, deadline);
	return why_of(nap_load_relaxed(&fiber->wait.state));
}

int nap__sleep(struct nap__sleeper *sleeper, uint64_t deadline)
{
	struct nap_fiber *fiber = sleeper->wait->fiber;

	if (!fiber || deadline != NAP_FOREVER)
		return sleep_slow(sleeper, deadline);
	nap__fiber_suspend(fiber);
	return why_of(nap_load_relaxed(&fiber->wait.state));
}

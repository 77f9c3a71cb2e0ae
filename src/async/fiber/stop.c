/* SPDX-License-Identifier: MIT */
/*
 * The functions that the rest of the pool calls for its fibers (src/worker/async.h), and the end of
 * the fibers that a stop has interrupted. The joiner runs each such fiber to its end, one after the
 * other: the fiber's waits return at once, because the fiber is asked to end and the pool is
 * stopped. A fiber gives way when it yields, when its budget is spent (budget.h), when it waits for
 * the end of a scope (scope_end.c), and when it has to lock a mutex again (cond.c), because the
 * other fibers may have to run first. The scope's fibers may also belong to another pool, and need
 * the joiner's thread there. So after each round over this pool's fibers the joiner may return,
 * with -ETIMEDOUT.
 */
#include "async/fiber/stacks.h"

#include <errno.h>

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "async/fiber/wait.h"
#include "async/timer/timer.h"
#include "async/timer/timers.h"
#include "os/happens.h"
#include "os/os.h"
#include "sched/guest.h"
#include "sync/deadline.h"
#include "sync/pause.h"
#include "worker/self.h"

static bool fibers_wait(struct nap_pool *pool)
{
	/*
	 * Read before the count of fibers: a task that gets its stack between the two reads counts
	 * as a fiber.
	 */
	bool may_start = nap__starts_may(pool);
	uint64_t spawned;

	return nap__fibers_live(fibers_of(pool), &spawned) || may_start;
}

/*
 * Takes fibers out of @left, for the joiner to run. All other tasks remain in @left; those of
 * timers and starts are restored for the program.
 */
static void fibers_take_out(struct nap__fibers *fibers, struct nap_batch *left)
{
	struct nap_batch others = NAP_BATCH_INIT;
	struct nap_task *task;

	while ((task = nap_batch_pop(left))) {
		if (task->run == nap__start_run)
			nap__start_give_back(fibers, task);
		if (task->run == nap__fiber_run)
			nap_container_of(task, struct nap_fiber, task)->left = true;
		else
			nap_batch_push(&others, task->run == nap__timer_run ?
				       nap__timer_give_back(task) : task);
	}
	*left = others;
}

/*
 * Makes the joiner the only thread that uses a waiting fiber. Another thread may have just ended
 * the wait, and be about to schedule the fiber. The pool refuses this schedule, and that thread
 * then lets go of the fiber.
 */
static void own(struct nap_fiber *fiber)
{
	/* Not noticed in tests when 1 for 0: the first pause is longer. */
	uint32_t word = nap_load_relaxed(&fiber->wait.state), looks = 0;

	if (fiber->left)
		return;
	if ((word & WAIT_OPEN) && nap__fiber_wait_claim(&fiber->wait, word, WAIT_CANCELED))
		return;
	/* pairs with the release in ready_let_go() [A9] */
	while (!nap_load_acquire(&fiber->handed))
		pause_briefly(&looks);	/* Not noticed in tests when dropped: it saves looks. */
}

static void ask_to_end(struct nap_fiber *fiber)
{
	nap_fetch_or_relaxed(&fiber->wait.state, WAIT_ASKED | WAIT_READY);
	nap_fetch_and_relaxed(&fiber->wait.state, ~WAIT_SHIELDED);
}

/*
 * Runs the fiber to its end, or until it gives way to fibers that it waits for. False: the fiber
 * has ended.
 */
static bool run_on(struct nap_fiber *fiber)
{
	fiber->yields = false;
	while (nap_load_relaxed(&fiber->life) == FIBER_BEGUN && !fiber->yields) {
		fiber_at_once(fiber);
		nap__fiber_enter(fiber, NULL);
	}
	if (nap_load_relaxed(&fiber->life) == FIBER_BEGUN)
		return true;
	nap_store_relaxed(&fiber->life, FIBER_ENDED);
	nap__fiber_end(fiber);
	return false;
}

static bool is_live(struct nap_fiber *fiber)
{
	uint32_t life = nap_load_relaxed(&fiber->life);

	return life == FIBER_SPAWNED || life == FIBER_BEGUN;
}

/* Runs each live fiber once. False: all fibers have ended. */
static bool run_each(struct nap__fibers *fibers, uint32_t used)
{
	bool left = false;

	for (uint32_t i = 0; i < used; i++) {
		struct nap_fiber *fiber = nap__fiber_at(fibers, i);

		left |= is_live(fiber) && run_on(fiber);
	}
	return left;
}

/* Sets the result of a fiber that has never begun, and calls the program's unbegun() for it. */
static void fiber_give_up(struct nap__fibers *fibers, struct nap_fiber *fiber)
{
	fiber->result = -ECANCELED;
	tools_unbegun();
	if (!fibers->unbegun)
		return;
	happens_after(&fiber->task);
	unseen_end();
	fibers->unbegun(fiber->fn, fiber->arg);
	unseen_begin();
}

/* Calls own() for all live fibers, gives up those that have not begun, and asks all to end. */
static void own_all(struct nap__fibers *fibers, uint32_t used)
{
	for (uint32_t i = 0; i < used; i++)
		if (is_live(nap__fiber_at(fibers, i)))
			own(nap__fiber_at(fibers, i));
	for (uint32_t i = 0; i < used; i++)
		if (nap_load_relaxed(&nap__fiber_at(fibers, i)->life) == FIBER_SPAWNED)
			fiber_give_up(fibers, nap__fiber_at(fibers, i));
	for (uint32_t i = 0; i < used; i++)
		if (is_live(nap__fiber_at(fibers, i)))
			ask_to_end(nap__fiber_at(fibers, i));
	fibers->owned = true;
}

/* Returns 0 or -ETIMEDOUT. Out of line, because the guest's record takes much stack. */
static __attribute__((noinline)) int fibers_run_all(struct nap__fibers *fibers, uint64_t deadline)
{
	/* Not noticed in tests when 1 for 0: the first pause is longer. */
	uint32_t used = nap_load_relaxed(&fibers->used), looks = 0;
	struct nap__outer before;
	struct nap__unregistered aside;
	struct nap_worker *guest = nap__guest_begin_unregistered(fibers->pool, &aside);
	int err = 0;

	if (!fibers->owned)
		own_all(fibers, used);
	become(guest, &before);
	while (!err && run_each(fibers, used)) {
		pause_briefly(&looks);	/* Not noticed in tests when dropped: it saves rounds. */
		if (deadline_passed(deadline))
			err = -ETIMEDOUT;
	}
	back_to(&before);
	nap__guest_end(guest);
	return err;
}

/* Ends all fibers. After a drain there is no fiber left, and no task in a queue. */
static int fibers_end(struct nap_pool *pool, struct nap_batch *left, uint64_t deadline)
{
	struct nap__fibers *fibers = fibers_of(pool);
	uint64_t spawned;
	int err = 0;

	nap__timers_end_ready(&fibers->async.timers, left);
	nap__starts_end(fibers, left);
	fibers_take_out(fibers, left);
	if (nap__fibers_live(fibers, &spawned))
		err = fibers_run_all(fibers, deadline);
	if (!err)
		nap__timers_end(&fibers->async.timers, left);
	return err;
}

/* Frees the fibers. In the child of a fork some may have been running. */
static void fibers_free(struct nap_pool *pool)
{
	struct nap__fibers *fibers = fibers_of(pool);

	struct nap__io *io = async_io(&fibers->async);

	nap_store_relaxed(&pool->async, NULL);
	if (io)
		io->ops->free(io);
	for (uint32_t i = 0; has_tools() && i < nap_load_relaxed(&fibers->used); i++) {
		tools_no_stack(&nap__fiber_at(fibers, i)->tools);
		/* A fiber is live here only in the child of a fork. */
		if (is_live(nap__fiber_at(fibers, i)))
			tools_unbegun();
	}
	nap__fibers_unmake(fibers);
}

const struct nap__async_ops nap__fiber_ops = {
	.waits = fibers_wait,
	.group_wait = nap__fiber_group_wait,
	.end = fibers_end,
	.unattended = nap__async_unattended,
	.queued = nap__async_queued,
	.starts = nap__async_starts,
	.take_due = nap__timers_take_due,
	.take_turn = nap__timers_take_turn,
	.begin_polling = nap__async_begin_polling,
	.end_polling = nap__async_end_polling,
	.has_files = nap__async_has_files,
	.sleep = nap__async_sleep,
	.notify_ready = nap__async_notify_ready,
	.find = nap__timers_find,
	.take_start = nap__async_take_start,
	.beneath = nap__fiber_beneath,
	.free = fibers_free,
};

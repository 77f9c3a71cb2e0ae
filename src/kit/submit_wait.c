/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a slot: nap_submit_wait().
 *
 * Typically a thread from outside waits: it runs a task of the pool, or sleeps on submit->event. A
 * thread that gives back a slot wakes one such thread. A waiting thread is not notified of tasks
 * that it could run, so it checks after every pause.
 *
 * A worker waits in the loop of src/wait/wait.h, listed in submit->waiters. The worker runs queued
 * tasks, and sleeps as an idle worker, so that it is woken for new tasks. After every pause it
 * checks whether a slot can still become free: src/kit/submit_stuck.c.
 */
#include <errno.h>

#include <nap/nap.h>
#include <nap/submit.h>

#include "arch/atomic.h"
#include "kit/slots.h"
#include "kit/submit_stuck.h"
#include "os/futex.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "sync/gate.h"
#include "wait/help.h"
#include "wait/wait.h"
#include "worker/jump.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

/* ---- a thread from outside */

/*
 * Sleeps until there is a free slot, or @until. A thread that gives back a slot after slots_await()
 * changes the event. If it does so after this thread has read the event, the futex wait fails; if
 * before, the check of the count sees the slot.
 */
static void sleep_outside(struct nap_submitter *submit, uint64_t until)
{
	uint32_t event;

	if (!slots_await(submit, 0, TAKEN_WAITER_ONE))
		return;
	/* Sees the count that was changed before the event: pairs with slots__notify(). [K3] */
	event = nap_load_acquire(&submit->event);
	if (slots_all_taken(submit))
		nap__futex_wait(&submit->event, event, until);
	nap_fetch_sub_relaxed(&submit->taken, TAKEN_WAITER_ONE);
}

static int wait_outside(struct nap_submitter *submit, bool only, uint64_t deadline, uint64_t *pause)
{
	long helped;

	if (deadline_passed(deadline))
		return -ETIMEDOUT;
	helped = only && !has_no_worker(submit->pool) ? 0 : nap_pool_help(submit->pool, 1);
	if (helped < 0)
		return -ESHUTDOWN;
	if (helped > 0) {
		*pause = PAUSE_FIRST_NS;
		return 0;
	}
	unseen_begin();
	sleep_outside(submit, deadline_or_pause(deadline, pause));
	unseen_end();
	return 0;
}

/* ---- a worker */

/*
 * Whether the pool would refuse a submit: after a stop, and in a drain unless the pool is the
 * worker's own.
 */
static bool is_refused(struct nap_worker *worker, struct nap_pool *pool)
{
	return pool_forked(worker->pool) || pool_forked(pool) || pool_canceled(pool) ||
	       (worker->pool != pool && gate_is_closed(&pool->intake));
}

static int slot_is_over(struct nap__wait *wait)
{
	struct nap_submitter *submit = slot_wait_of(wait)->submit;

	if (is_refused(wait->worker, submit->pool))
		return -ESHUTDOWN;
	/* Not noticed in tests when 2 for 1: nap__wait() goes on for any number above 0. */
	return slots_all_taken(submit) ? 1 : 0;
}

static bool slot_enlist(struct nap__wait *wait)
{
	wait_list(wait);
	nap__slot_be_stuck(wait);
	return slots_await(slot_wait_of(wait)->submit, TAKEN_LISTED, 0);
}

static const struct nap__wait_ops slot_ops = {
	.is_over = slot_is_over,
	.enlist = slot_enlist,
	.goes_on = nap__slot_be_stuck_no_more,
	.gives_up = nap__slot_gives_up,
	.name = "place of a submitter",
	.list_at = offsetof(struct nap_submitter, waiters),
};

static int wait_as_worker(struct nap_submitter *submit, struct nap_worker *worker, bool only,
			  uint64_t deadline)
{
	struct nap__slot_wait w = {
		.submit = submit,
		.wait = {
			.ops = &slot_ops,
			.as = &nap__wait_as_worker,
			.worker = worker,
			/* A worker of the pool runs the pool's tasks anyway. */
			.pool = worker->pool == submit->pool ? NULL : submit->pool,
			.deadline = deadline,
			.list = &submit->waiters,
			.node = &w.node,
			.runs = only ? WAIT_RUNS_UNSERVED : WAIT_RUNS_ANYTHING,
			.helps = true,
			.pauses = true,
		},
	};
	int err;

	nothing_leaves();	/* Not noticed in tests when dropped: nap__wait() says so, too. */
	unseen_begin();
	err = nap__wait(&w.wait);
	nap__slot_be_stuck_no_more(&w.wait);
	is_given(&w, sizeof(w));
	unseen_end();
	return err;
}

/* ---- both */

/* Returns the calling thread's worker in the submitter's pool, or else its present worker. */
static struct nap_worker *worker_of_waiter(struct nap_submitter *submit)
{
	struct nap_worker *worker;

	unseen_begin();
	worker = own_worker(submit->pool);
	if (!worker)
		worker = nap__self()->worker;
	unseen_end();
	return worker;
}

static int wait_for_slot(struct nap_submitter *submit, bool only, uint64_t deadline,
			 uint64_t *pause)
{
	struct nap_worker *worker = worker_of_waiter(submit);

	return worker ? wait_as_worker(submit, worker, only, deadline) :
			wait_outside(submit, only, deadline, pause);
}

static inline __attribute__((always_inline)) int submit_and_wait(struct nap_submitter *submit,
								  nap_submit_fn fn, void *arg,
								  bool only, uint64_t deadline)
{
	uint64_t pause = PAUSE_FIRST_NS;
	int err = nap__submit_check(submit, fn);

	while (!err) {
		err = nap__submit_one(submit, fn, arg);
		if (err != -EAGAIN)
			return err;
		check_jump(__builtin_return_address(0));
		err = wait_for_slot(submit, only, deadline, &pause);
	}
	return err;
}

int nap_submit_wait_until(struct nap_submitter *submit, nap_submit_fn fn, void *arg,
			  uint64_t deadline)
{
	return submit_and_wait(submit, fn, arg, false, deadline);
}

int nap_submit_wait(struct nap_submitter *submit, nap_submit_fn fn, void *arg, uint64_t timeout_ns)
{
	return nap_submit_wait_until(submit, fn, arg, deadline_after(timeout_ns));
}

int nap_submit_wait_only(struct nap_submitter *submit, nap_submit_fn fn, void *arg,
			 uint64_t deadline)
{
	return submit_and_wait(submit, fn, arg, true, deadline);
}

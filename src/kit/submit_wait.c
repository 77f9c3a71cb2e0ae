/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a slot: nap_submit_wait().
 *
 * Typically a thread from outside waits: it runs a task of the pool, or sleeps on submit->event.
 * A thread that gives back a slot wakes one such thread. Nobody tells it of tasks that it could
 * run, so it looks again from pause to pause.
 *
 * A worker runs what is queued, and sleeps as an idle one, listed in submit->waiters: so what is
 * scheduled in that time finds it. It looks from pause to pause whether it is still worth while:
 * src/kit/submit_stuck.c.
 */
#include <errno.h>

#include <nap/nap.h>
#include <nap/submit.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "kit/slots.h"
#include "kit/submit_stuck.h"
#include "os/futex.h"
#include "os/happens.h"
#include "sched/guest.h"
#include "sched/park.h"
#include "sched/permits.h"
#include "sched/run.h"
#include "sched/search.h"
#include "sync/deadline.h"
#include "sync/event.h"
#include "sync/gate.h"
#include "sync/waitlist.h"
#include "wait/deep.h"
#include "wait/help.h"
#include "worker/leaving.h"
#include "worker/message.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

/* ---- a thread from outside */

/*
 * Until there is a slot, or @until. A thread that gives back a slot after the counting sets the
 * event anew: either after we read the event, and then the futex wait fails, or before, and then
 * our look at the count sees the slot.
 */
static void sleep_outside(struct nap_submitter *submit, uint64_t until)
{
	uint32_t event;

	if (!slots_await(submit, 0, TAKEN_WAITER_ONE))
		return;
	/* Pairs with slots__notify(). [K3] */
	event = nap_load_acquire(&submit->event);
	if (slots_all_taken(submit))
		nap__futex_wait(&submit->event, event, until);
	nap_fetch_sub_relaxed(&submit->taken, TAKEN_WAITER_ONE);
}

/* Nobody else runs anything, so it is one at a time all the same. */
static bool has_no_worker(struct nap_pool *pool)
{
	return !nap__idle_spawned(pool) && cannot_start(pool) && nap__needs_help(pool);
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

static void delist(struct nap__slot_wait *wait)
{
	if (wait->listed)
		waitlist_remove(&wait->submit->waiters, &wait->node, EVENT_LATCH);
	wait->listed = false;
}

/* It is about to run something, or has learnt that others do. */
static void go_on(struct nap__slot_wait *wait)
{
	nap__slot_be_stuck_no_more(wait);
	delist(wait);
	wait->pause = PAUSE_FIRST_NS;
}

static void sleep_as_worker(struct nap__slot_wait *wait)
{
	enum nap__verdict verdict = NAP_EXIT;
	uint32_t reasons = 0;
	uint64_t until;

	if (!wait->listed)
		wait->listed = waitlist_add(&wait->submit->waiters, &wait->node);
	nap__slot_be_stuck(wait);
	if (!slots_await(wait->submit, TAKEN_LISTED, 0) || !slots_all_taken(wait->submit))
		return;
	until = deadline_or_pause(wait->deadline, &wait->pause);
	if (wait->nest && !guest_is_unregistered(wait->worker))
		verdict = nap__park(wait->worker, until, &reasons);
	if (verdict == NAP_EXIT)
		reasons |= sleep_on_event(&wait->worker->event, EVENT_LATCH | EVENT_MESSAGE, until);
	if (reasons & EVENT_LATCH) {
		wait->listed = false;
		go_on(wait);
	}
}

/* A worker of another pool, on which nobody of its own is to rely until it is back. */
static bool help_other(struct nap__slot_wait *wait)
{
	if (!wait->nest || !nap__needs_help(wait->submit->pool))
		return false;
	delist(wait);
	nap__idle_stop_search(wait->worker, false);
	if (!nap__help_one(wait->submit->pool))
		return false;
	go_on(wait);
	return true;
}

/* It would be refused: also in a drain, unless the pool is its own. */
static bool is_refused(struct nap__slot_wait *wait)
{
	struct nap_pool *pool = wait->submit->pool;

	return pool_forked(wait->worker->pool) || pool_forked(pool) || pool_canceled(pool) ||
	       (wait->worker->pool != pool && gate_is_closed(&pool->intake));
}

/* 1: go on waiting. 0: there may be a slot. */
static int step(struct nap__slot_wait *wait)
{
	struct nap_pool *pool = wait->submit->pool;
	struct nap_task *task;

	if (is_refused(wait))
		return -ESHUTDOWN;
	if (!slots_all_taken(wait->submit))
		return 0;
	if (deadline_passed(wait->deadline))
		return -ETIMEDOUT;
	if (wait->nest && (task = nap__dequeue(wait->worker))) {
		go_on(wait);
		nap__run(wait->worker, task);
	} else if (!wait->nest && message_waits(wait->worker)) {
		go_on(wait);
		deep_answer(wait->worker, false);
	} else if (wait->worker->pool == pool || !help_other(wait)) {
		if (nap__slot_gives_up(wait))
			return -EDEADLK;
		sleep_as_worker(wait);
	}
	return 1;
}

static int wait_as_worker(struct nap_submitter *submit, struct nap_worker *worker, bool only,
			  uint64_t deadline)
{
	struct nap__slot_wait wait = { .submit = submit, .worker = worker, .deadline = deadline,
				  .pause = PAUSE_FIRST_NS, .node = { .event = &worker->event },
				  .nest = !only && may_nest() };
	struct nap__outer before;
	int err;

	nothing_leaves();
	unseen_begin();
	become(worker, &before);
	if (!wait.nest)
		deep_begin(worker, false);
	do {
		err = step(&wait);
	} while (err > 0);
	nap__slot_be_stuck_no_more(&wait);
	delist(&wait);
	if (!wait.nest)
		deep_end(worker, false);
	if (!pool_forked(worker->pool))
		nap__idle_stop_search(worker, false);
	back_to(&before);
	is_given(&wait, sizeof(wait));
	unseen_end();
	return err;
}

/* ---- either */

/* The worker of the pool that the thread is, or else what it is just now. */
static struct nap_worker *waiting_worker(struct nap_submitter *submit)
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
	struct nap_worker *worker = waiting_worker(submit);

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

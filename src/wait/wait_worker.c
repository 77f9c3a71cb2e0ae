/* SPDX-License-Identifier: MIT */
/*
 * nap__wait_as_worker: the functions that the loop of wait.c calls if the waiting thread may be a
 * worker. A worker runs tasks, as far as its stack and the wait allow, and otherwise answers
 * messages. (Workers and other threads sleep in wait_sleep() of wait.c.)
 */
#include "idle/idle.h"
#include "sched/guest.h"
#include "sched/schedule.h"
#include "wait/help.h"
#include "wait/wait.h"
#include "worker/message.h"
#include "worker/nest.h"
#include "worker/phase.h"
#include "worker/runs.h"
#include "worker/self.h"

static void worker_begin(struct nap__wait *wait)
{
	/*
	 * A thread from outside does not call may_nest(), because the first call on a thread is
	 * slow and allocates.
	 */
	if (wait->runs != WAIT_RUNS_NOTHING && !may_nest())
		wait->runs = WAIT_RUNS_NOTHING;
	wait->parks = wait->runs == WAIT_RUNS_ANYTHING && !wait->worker->ended &&
		      !guest_is_unregistered(wait->worker);
	become(wait->worker, &wait->before);
	if (wait->worker)
		runs_now(wait->worker, 0);
	wait->stuck = wait->stuck && wait_at_limit(wait);
	if (wait_at_limit(wait))
		nap__nest_limit_begin(wait->worker, wait->stuck);
}

static struct nap_task *worker_take(struct nap__wait *wait)
{
	if (wait->runs <= WAIT_RUNS_UNSERVED)
		return NULL;
	return wait->ops->take ? wait->ops->take(wait) : nap__dequeue(wait->worker);
}

/* Answers a message. During the answer the worker is not counted as being at the limit. */
static void answer_at_limit(struct nap_worker *worker, bool stuck)
{
	nap__nest_limit_end(worker, stuck);
	nap__answer_message(worker);
	if (!pool_forked(worker->pool))
		nap__nest_limit_begin(worker, stuck);
}

static bool worker_run(struct nap__wait *wait)
{
	struct nap_task *task = worker_take(wait);

	if (!task && !(wait_at_limit(wait) && message_waits(wait->worker)))
		return false;
	nap__wait_goes_on(wait);
	wait_leave(wait);	/* because nested waits use the same event */
	if (task) {
		nap__run(wait->worker, task);
		runs_now(wait->worker, 0);
	} else {
		answer_at_limit(wait->worker, wait->stuck);
	}
	return true;
}

/* Whether the worker may help another pool. In its own pool the worker has searched already. */
static bool worker_may_help(struct nap__wait *wait)
{
	if (wait->worker && wait->worker->pool == wait->pool)
		return false;
	if (wait_at_limit(wait))
		return wait->runs == WAIT_RUNS_UNSERVED && has_no_worker(wait->pool);
	/* No producer may rely on the worker until it is back. */
	if (wait->worker)
		nap__idle_stop_search(wait->worker, false);
	return true;
}

static void worker_end(struct nap__wait *wait)
{
	struct nap_worker *worker = wait->worker;

	if (wait_at_limit(wait))
		nap__nest_limit_end(worker, wait->stuck);
	/*
	 * Not noticed in tests when dropped: queued tasks are run when nobody relies on the
	 * worker. pool_forked(): a signal handler may call fork(2) at any time.
	 */
	if (worker && !pool_forked(worker->pool))
		nap__idle_stop_search(worker, false);
	back_to(&wait->before);
}

const struct nap__wait_as nap__wait_as_worker = {
	.begin = worker_begin,
	.run = worker_run,
	.may_help = worker_may_help,
	.end = worker_end,
};

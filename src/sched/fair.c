/* SPDX-License-Identifier: MIT */
/*
 * Fairness. A worker takes tasks from its own queues first, so tasks that go on scheduling others
 * would starve all other queues. So three times in NAP_FAIR_PERIOD dequeues a search begins
 * elsewhere. (The number is Go's: a prime, so that it does not beat with the program's own
 * periods.) These ticks serve in rotation the injected tasks, the worker's own overflow, and the
 * next of all workers' queues. The workers' queues are visited one by one: first the calls that
 * wait for a guest record, then for each worker in the registry its jobs, its overflow and its
 * ring. So each queue is reached, whatever the other queues hold. The worker's own queues are among
 * them, because a joiner takes from its thief before it checks its own queues
 * (src/fork/jobs_join.c).
 *
 * A tick takes one task, the first one of the queue. A tick moves no tasks into the ring, because
 * the tasks that are in the ring already may go on for ever. If another worker holds the queue's
 * consumer lock, that worker takes the first task.
 *
 * But no tick comes while the ring holds injected tasks that were moved there in bulk, or stolen
 * tasks that may have been injected. These are older than the tasks that are still in the injection
 * queue, or that another worker has moved since. A younger task that waits for an older one must
 * not get ahead of it. So a tick that is due takes from the ring until the moved tasks are gone.
 * There are no more than BULK_MAX of these (src/sched/steal.h), scheduled tasks go to the tail, and
 * nothing is moved in bulk before the tick, so the tick does come. The moved tasks do not go into
 * the overflow either (src/sched/schedule_as.c). So the overflow holds the worker's own tasks only,
 * for which no tick waits.
 *
 * In a pool with timers or fibers, due tasks come in between: src/async/timer/due.c.
 */
#include "sched/fair.h"

#include "idle/idle.h"
#include "queue/kind.h"
#include "sched/steal.h"
#include "worker/async.h"
#include "worker/registry.h"
#include "worker/source.h"

/* Takes a task from the next of all workers' queues. */
static struct nap_task *take_from_next(struct nap_worker *worker, bool *more)
{
	struct nap_worker *victim = worker->next_look;
	uint32_t queue = worker->look;
	struct nap_task *task;

	if (!victim) {
		/* A round begins with the calls that wait for a guest record. */
		victim = worker->next_look = registry_first(worker->pool);
		task = nap__sources_take(worker);
		if (task || !victim)
			return task;
	}
	/* Not noticed in tests when 2 for 1: each queue is reached in either order. */
	worker->look = (queue + 1) % NAP__LOOKS;
	worker->next_look = worker->look == LOOK_JOBS ? victim->next : victim;
	if (queue == LOOK_JOBS)
		return steal_job(worker, victim, more);
	if (queue == LOOK_OVERFLOW)
		task = overflow_take(&victim->overflow, more);
	else
		task = ring_steal_one(&victim->ring);
	if (task && victim != worker)
		nap__note_stolen(worker, victim, task, 1, queue == LOOK_OVERFLOW);
	return task;
}

struct nap_task *nap__take_queues_turn(struct nap_worker *worker, bool *more)
{
	uint32_t turn = worker->turn;
	const struct nap__async_ops *ops;
	struct nap_task *task;

	if (turn_waits(worker) && (task = ring_pop(&worker->ring)))
		return task;
	/* Three gaps may be longer than the period; then the first gaps are shortened by one. */
	worker->tick = turn + NAP_FAIR_PERIOD < NAP__TURNS * FAIR_GAP;
	worker->turn = (turn + 1) % NAP__TURNS;
	/* A busy worker retries a failed start here, because perhaps no other thread does. */
	nap__retry_start(worker->pool);
	switch (turn) {
	case TURN_INJECT:
		return inject_take(&worker->pool->inject, more);
	case TURN_OVERFLOW:
		return overflow_take(&worker->overflow, more);
	default:
		ops = async_ops(worker->pool);
		task = ops ? ops->take_start(worker) : NULL;
		return task ? task : take_from_next(worker, more);
	}
}

struct nap_task *nap__take_due(struct nap_worker *worker, bool *more)
{
	const struct nap__async_ops *ops = async_ops(worker->pool);

	if (ops)
		return ops->take_due(worker, more);
	worker->part = FAIR_GAP;
	return NULL;
}

struct nap_task *nap__take_turn(struct nap_worker *worker, bool *more)
{
	const struct nap__async_ops *ops = async_ops(worker->pool);

	return ops ? ops->take_turn(worker, more) : nap__take_queues_turn(worker, more);
}

/* SPDX-License-Identifier: MIT */
/*
 * Fairness: what a worker finds in its own queues it takes first, so tasks that go on scheduling
 * others would starve all other queues. Three times in NAP_FAIR_PERIOD dequeues (Go's number: a
 * prime, so that it does not beat with the program's own periods) a search therefore begins
 * elsewhere, in turn with the injected tasks, with the own overflow, and with the next queue of all
 * workers' queues. Those are visited one by one, first the calls that wait for a place, then in the
 * order of the registry of each worker its jobs, its overflow and its ring: each queue is reached,
 * whatever the others hold. The own ones are among them, for a joiner takes from its thief before
 * it looks at its own (src/fork/jobs_join.c).
 *
 * A turn takes one task, the one that comes out first. It moves nothing into the ring, behind tasks
 * that may go on for ever. When it finds another holding the queue's consumer lock, that one takes
 * what came first.
 *
 * But no turn comes while the ring still holds injected tasks that were moved there in bulk, or
 * stolen ones that may have been. Those are older than what is still in the injection queue, and
 * than what another worker has moved since. A younger task that waits for an older one must not get
 * ahead of it. So a turn that is due takes from the ring until they are gone. They are no more than
 * BULK_MAX (src/sched/steal.h), what is scheduled goes to the tail, and nothing is moved in bulk
 * before the turn has been taken. So the turn is put off, and not for ever. They do not go into the
 * overflow either (src/sched/schedule_as.c), so that holds the worker's own tasks only, for which
 * no turn waits.
 *
 * In a pool that has timers or fibers what is due comes in between: src/async/timer/due.c.
 */
#include "sched/fair.h"

#include "idle/idle.h"
#include "queue/kind.h"
#include "sched/steal.h"
#include "worker/async.h"
#include "worker/registry.h"
#include "worker/source.h"

/* The next of all workers' queues. */
static struct nap_task *take_from_next(struct nap_worker *worker, bool *more)
{
	struct nap_worker *victim = worker->next_look;
	uint32_t queue = worker->look;
	struct nap_task *task;

	if (!victim) {
		/* A round begins with the calls. */
		victim = worker->next_look = registry_first(worker->pool);
		task = nap__sources_take(worker, WHEN_ROUND, more);
		if (task || !victim)
			return task;
	}
	/* Not noticed in tests when 2 for 1: in whichever order, each queue has its turn. */
	worker->look = (queue + 1) % NAP__LOOKS;
	worker->next_look = worker->look == LOOK_JOBS ? victim->next : victim;
	if (queue == LOOK_JOBS)
		return steal_job(worker, victim, more);
	if (queue == LOOK_OVERFLOW)
		task = overflow_take(&victim->overflow, more);
	else
		task = ring_steal_one(&victim->ring);
	if (task && victim != worker)
		stat_add(&worker->stats.stolen, 1);
	return task;
}

struct nap_task *nap__take_queues_turn(struct nap_worker *worker, bool *more)
{
	uint32_t turn = worker->turn;
	const struct nap__async_ops *ops;
	struct nap_task *task;

	if (turn_waits(worker) && (task = ring_pop(&worker->ring)))
		return task;
	/* Three gaps may be longer than the period; then the first ones are shorter by one. */
	worker->tick = turn + NAP_FAIR_PERIOD < NAP__TURNS * FAIR_GAP;
	worker->turn = (turn + 1) % NAP__TURNS;
	/* A worker that has enough to do comes by here, when nobody else may. */
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

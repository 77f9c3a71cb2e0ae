/* SPDX-License-Identifier: MIT */
/*
 * Fairness: what a worker finds in its own queues it takes first, so tasks that go on scheduling
 * others would starve every queue behind them. Three times in NAP_FAIR_PERIOD dequeues (Go's
 * number: a prime, so that it does not beat with the program's own periods) a search therefore
 * begins elsewhere, in turn with the injected tasks, with the own overflow, and with the next queue
 * of all workers' queues. Those are visited one by one, first the calls that wait for a place, then
 * in the order of the registry of each worker its jobs, its overflow and its ring: each queue is
 * reached, whatever the others hold. The own ones are among them, for a joiner takes from its thief
 * before it looks at its own (src/jobs_join.c).
 *
 * A turn takes one task, the one that comes out first. It moves nothing into the ring, behind tasks
 * that may go on for ever. When it finds another holding the queue's consumer lock, that one takes
 * what came first.
 *
 * But no turn comes while the ring still holds injected tasks that were moved there in bulk, or
 * stolen ones that may have been. Those are older than what is still in the injection queue, and
 * than what another worker has moved since. A younger task that waits for an older one must not get
 * ahead of it. So a turn that is due takes from the ring until they are gone. They are no more than
 * BULK_MAX (src/steal.h), whatever is scheduled stands behind them, and nothing is moved in bulk
 * before the turn has been taken. So the turn is put off, and not for ever. They do not go into the
 * overflow either (src/schedule_as.c), so that holds the worker's own tasks only, for which no turn
 * waits.
 *
 * What comes by itself, at a time or because a file is ready, is in no queue. A worker looks for it when
 * a turn is due; and, because tasks may be long, in between. The dequeues from one turn to the next
 * are done in parts, and at each end it looks. A part that has taken longer than PART_NS is followed by
 * one of a single dequeue; otherwise the next part is twice as long. So beside short tasks the clock is
 * asked once a turn, and beside long ones after each. (A pool that has never had a timer or a fiber has
 * one part.) A worker that has found nothing to do begins with a short part again. What is due then runs next, before the ring, in
 * order; up to DUE_AT_ONCE of what was due at that look, and behind that the queues have a part again.
 * So a timer that is always due starves nobody. What is moved in bulk is looked at in parts, too.
 */
#include "fair.h"

#include <nap/timer.h>

#include "async.h"
#include "call_list.h"
#include "jobs.h"
#include "queue/kind.h"
#include "registry.h"
#include "retry.h"

#define PART_NS		20000u
#define DUE_AT_ONCE	32u

_Static_assert(FAIR_GAP <= NAP_DUE_DEQUEUES || NAP_FAIR_PERIOD > 61, "nap/timer.h promises that");

/* ---- what is due */

/* The clock is asked: how long the next parts are. */
static void measure(struct nap_worker *worker)
{
	uint64_t now = nap__os_now();

	worker->part = now - worker->due_by > PART_NS || !worker->part ? 1 : worker->part * 2;
	if (worker->part > FAIR_GAP)
		worker->part = FAIR_GAP;
	worker->due_by = now;
}

struct nap_task *nap__take_due(struct nap_worker *worker, bool *more)
{
	struct nap__async *async = pool_async(worker->pool);
	struct nap_task *task = NULL;

	if (!async) {
		worker->part = FAIR_GAP;
		return NULL;
	}
	if (!worker->due_left) {
		measure(worker);
		worker->due_left = DUE_AT_ONCE + 1;
		async_look(async, worker);
	}
	if (--worker->due_left && timers_wanted(&async->timers))
		task = async->ops->fire(worker, &async->timers, worker->due_by, more);
	if (!task)
		worker->due_left = 0;
	return task;
}

/* The next part of the dequeues up to the turn. */
static void begin_part(struct nap_worker *worker)
{
	uint32_t n = worker->part < worker->behind ? worker->part : worker->behind;

	worker->behind -= n;
	worker->tick = FAIR_GAP - 1 - n;
}

/* ---- turns */

/* The next of all workers' queues. */
static struct nap_task *take_from_next(struct nap_worker *worker, bool *more)
{
	struct nap_worker *victim = worker->next_look;
	uint32_t queue = worker->look;
	struct nap_task *task;

	if (!victim) {
		/* A round begins with the calls. */
		victim = worker->next_look = registry_first(worker->pool);
		task = take_call(worker->pool);
		if (task || !victim)
			return task;
	}
	/* Not noticed in tests when 2 for 1: in whichever order, each queue has its turn. */
	worker->look = (queue + 1) % NAP__LOOKS;
	worker->next_look = worker->look == LOOK_JOBS ? victim->next : victim;
	if (queue == LOOK_JOBS)
		return nap__steal_job(worker, victim, more);
	if (queue == LOOK_OVERFLOW)
		task = overflow_take(&victim->overflow, more);
	else
		task = ring_steal_one(&victim->ring);
	if (task && victim != worker)
		stat_add(&worker->stats.stolen, 1);
	return task;
}

static inline struct nap_task *take_turn(struct nap_worker *worker, bool *more)
{
	uint32_t turn = worker->turn;
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
		return take_from_next(worker, more);
	}
}

/* In a pool that has timers or fibers: what is due, or the next part, or the turn. */
static __attribute__((noinline)) struct nap_task *take_due_or_turn(struct nap_worker *worker, bool *more)
{
	struct nap_task *task;

	if (turn_waits(worker) && !worker->due_left && ++worker->since < worker->part &&
	    (task = ring_pop(&worker->ring)))
		return task;
	worker->since = 0;
	task = nap__take_due(worker, more);
	if (task)
		return task;
	if (worker->behind) {
		begin_part(worker);
		return NULL;
	}
	task = take_turn(worker, more);
	/* It was put off. */
	if (worker->tick + 1 >= FAIR_GAP)
		return task;
	worker->behind = FAIR_GAP - 1 - worker->tick;
	/* Where parts are of one dequeue the turn's is one. */
	if (task && worker->part == 1)
		worker->tick = FAIR_GAP - 1;
	else
		begin_part(worker);
	return task;
}

struct nap_task *nap__take_turn(struct nap_worker *worker, bool *more)
{
	return pool_async(worker->pool) ? take_due_or_turn(worker, more) : take_turn(worker, more);
}

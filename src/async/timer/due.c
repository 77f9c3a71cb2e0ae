/* SPDX-License-Identifier: MIT */
/*
 * Timers and files that are due while workers are busy: src/sched/fair.c.
 *
 * A timer that is due, or a file that is ready, is in no queue. A busy worker checks for both at
 * each tick (when it serves other queues than its ring) and, because tasks may be long, between two
 * ticks. The dequeues from one tick to the next are divided into parts, and the worker checks at
 * the end of each part. After a part that has taken longer than PART_NS the next part is one
 * dequeue; otherwise the next part is twice as long. So with short tasks the clock is read once a
 * tick, and with long tasks after each task. (A pool that has never had a timer or a fiber has one
 * part.) A worker that has found nothing to do begins with a short part again.
 *
 * Due tasks run next, before the ring, in the order of their times: up to DUE_AT_ONCE of the tasks
 * that are due at the check. Then a part of the dequeues is for the queues again. So a timer that
 * is always due starves no queue. A part has one dequeue at least, so DUE_AT_ONCE + 1 is what
 * nap/pool.h multiplies its bounds by. Tasks that are moved in bulk are run in such parts, too, and
 * so are all tasks of a pool with classes (src/kit/class_take.c).
 */
#include <nap/timer.h>

#include "arch/atomic.h"
#include "async/timer/timers.h"
#include "os/os.h"
#include "queue/ring.h"
#include "sched/fair.h"
#include "async/async.h"
#include "worker/worker.h"

#define PART_NS		20000u
#define DUE_AT_ONCE	32u

_Static_assert(FAIR_GAP <= NAP_DUE_DEQUEUES || NAP_FAIR_PERIOD > 61, "nap/timer.h promises that");

/* Reads the clock, and sets the length of the next part. */
static void due_measure(struct nap_worker *worker)
{
	uint64_t now = nap__os_now();

	worker->part = now - worker->due_by > PART_NS || !worker->part ? 1 : worker->part * 2;
	if (worker->part > FAIR_GAP)
		worker->part = FAIR_GAP;
	nap_store_relaxed(&worker->due_by, now);
}

struct nap_task *nap__timers_take_due(struct nap_worker *worker, bool *more)
{
	struct nap__async *async = pool_async(worker->pool);
	struct nap_task *task = NULL;

	if (!worker->due_left) {
		due_measure(worker);
		worker->due_left = DUE_AT_ONCE + 1;
		async_poll(async, worker);
	}
	if (--worker->due_left && timers_wanted(&async->timers))
		task = nap__timers_fire(worker, &async->timers, worker->due_by, more);
	if (!task)
		worker->due_left = 0;
	return task;
}

struct nap_task *nap__timers_find(struct nap_worker *worker, bool *more)
{
	struct nap__async *async = pool_async(worker->pool);
	struct nap_task *task = NULL;

	restart_parts(worker);
	if (timers_wanted(&async->timers)) {
		async_poll(async, worker);
		task = nap__timers_fire(worker, &async->timers, nap__os_now(), more);
	}
	return task ? task : nap__async_take_start(worker);
}

/* Begins the next part of the dequeues that remain before the tick. */
static void begin_part(struct nap_worker *worker)
{
	uint32_t n = worker->part < worker->behind ? worker->part : worker->behind;

	worker->behind -= n;
	worker->tick = FAIR_GAP - 1 - n;
}

struct nap_task *nap__timers_take_turn(struct nap_worker *worker, bool *more)
{
	struct nap_task *task;

	if (turn_waits(worker) && !worker->due_left && ++worker->since < worker->part &&
	    (task = ring_pop(&worker->ring)))
		return task;
	worker->since = 0;
	task = nap__timers_take_due(worker, more);
	if (task)
		return task;
	if (worker->behind) {
		begin_part(worker);
		return NULL;
	}
	task = nap__take_queues_turn(worker, more);
	/*
	 * The tick is still due, because tasks that were moved in bulk came first. Not noticed in
	 * tests when dropped, 2 for 1, 0 for 1 or > for >=: nothing is left to divide then.
	 */
	if (worker->tick + 1 >= FAIR_GAP)
		return task;
	worker->behind = FAIR_GAP - 1 - worker->tick;
	/* If a part is one dequeue, the task of the tick was this part. */
	if (task && worker->part == 1)
		worker->tick = FAIR_GAP - 1;
	else
		begin_part(worker);
	return task;
}

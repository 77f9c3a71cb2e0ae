/* SPDX-License-Identifier: MIT */
/*
 * Running tasks. Typically a worker runs the tasks of its own ring, one after another:
 * nap__run_plain().
 *
 * Here a worker notices, between two tasks, that the limit is lower (run_due()), that the pool is
 * stopped (pool_is_plain()), and that a fairness tick is due (before_turn()). Tasks of a serial
 * queue or an ordered queue are run by src/kit/serial.c and src/kit/order.c, inside the queue's own
 * task.
 */
#include "sched/schedule.h"

#include "idle/idle.h"
#include "os/happens.h"
#include "queue/kind.h"
#include "sched/standby.h"
#include "sched/fair.h"
#include "sync/debug.h"
#include "worker/debug_jobs.h"
#include "worker/phase.h"
#include "worker/probe.h"
#include "worker/measure.h"
#include "worker/runs.h"

/* Not inlined, so that without a detector a task costs only one check. */
static __attribute__((noinline)) void run_detected(struct nap_task *task, nap_task_fn run)
{
	is_received(task, sizeof(*task));
	unseen_end();
	run(task);
	unseen_begin();
}

/*
 * Not inlined, so that an unwatched task costs only one check. @task may be freed when @run
 * returns.
 */
static __attribute__((noinline)) void run_watched(struct nap_pool *pool, struct nap_task *task,
						  nap_task_fn run)
{
	uint64_t begun = watch_begin(pool, 0, task, run);

	if (is_detected())
		run_detected(task, run);
	else
		run(task);
	watch_return(pool, 0, task, run, begun);
}

/* Runs a task that needs no further check. */
IN_LINE void run_at_once(struct nap_worker *worker, struct nap_task *task)
{
	nap_task_fn run = task->run;

	stat_add(&worker->stats.run, 1);
	runs_now(worker, (uintptr_t)run);
	probe3(begin, worker->pool, task, run);
	run(task);
	probe1(end, worker->pool);
}

void nap__run(struct nap_worker *worker, struct nap_task *task)
{
	uint32_t forked = debug_forked(worker), sections = worker->sections;
	nap_task_fn run;

	/* This is a job, a message or a task of a class, whose run() counts it. */
	if (task == &worker->stand_in) {
		task->run(task);
		return;
	}
	stat_add(&worker->stats.run, 1);
	debug_unmark(task);
	run = task->run;
	runs_now(worker, (uintptr_t)run);
	probe3(begin, worker->pool, task, run);
	/*
	 * From here on @task must not be touched: it may be freed or scheduled again before run()
	 * returns.
	 */
	if (is_watched(worker->pool))
		run_watched(worker->pool, task, run);
	else if (is_detected())
		run_detected(task, run);
	else
		run(task);
	probe1(end, worker->pool);
	debug_returned(worker, forked, "task", (void *)run);
	debug_sections(worker, sections, (void *)run);
}

/*
 * Runs tasks that were moved in bulk, for which the tick waits; at most worker->part of them
 * (src/async/timer/due.c).
 */
static __attribute__((noinline)) void run_bulk(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;

	for (uint32_t n = worker->part; n && turn_waits(worker) && pool_is_plain(pool); n--) {
		struct nap_task *task = ring_pop(&worker->ring);

		if (!task)
			break;
		run_at_once(worker, task);
	}
}

/* Runs a due task, or the task that the tick serves. False: the worker is surplus. */
static __attribute__((noinline)) bool run_due(struct nap_worker *worker)
{
	bool more = false, bulk = turn_waits(worker);
	struct nap_task *task;

	if (is_surplus(worker))
		return false;
	task = bulk ? nap__take_due(worker, &more) : nap__take_turn(worker, &more);
	if (more)
		nap__idle_notify(worker->pool);
	if (task)
		nap__run(worker, task);
	else if (bulk)
		run_bulk(worker);
	return true;
}

/*
 * Runs the tasks of the worker's own ring, and those that ticks serve (src/sched/fair.c), until
 * something else has to be checked. This is the usual path from task to task, outside of all tasks,
 * so the worker has no forked jobs here.
 */
void nap__run_plain(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	struct nap_task *task;

	while (pool_is_plain(pool)) {
		if (!before_turn(worker)) {
			if (!run_due(worker))
				return;
			continue;
		}
		task = ring_pop(&worker->ring);
		if (!task)
			return;
		run_at_once(worker, task);
	}
}

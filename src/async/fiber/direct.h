/* SPDX-License-Identifier: MIT */
/*
 * Switching from fiber to fiber, without a return to the worker's loop.
 *
 * A fiber that leaves its stack does what nap__run_plain() (src/sched/run.c) would do next: under
 * the same conditions it takes a task from the worker's ring, and counts a dequeue. If the task is
 * another fiber, the first fiber switches to that fiber's stack. The first fiber switches to the
 * thread's stack instead if the task is no fiber, if a tick is due (another queue's turn,
 * src/sched/fair.c), if the pool is stopped, or if the ring is empty. So the order, the ticks and
 * the bounds of tasks hold for fibers, too. A fiber that gives way and finds the ring empty also
 * counts a dequeue, and stays.
 *
 *	leaves its stack                  the next fiber
 *	----------------                  --------------
 *	takes the next fiber
 *	host->left; switch ------------>  nap__fiber_left(): sets OFF, or queues the other fiber, or
 *	                                    notifies the awaiter of its end
 *	                                  goes on
 *
 * OFF is WAIT_OFF (src/async/fiber/wait.h): from then on other threads may resume the first fiber.
 * So nap__fiber_left() runs on the next fiber's stack, after the first fiber's stack is left.
 *
 * One fiber comes before the tasks of the ring: the awaiter of a fiber that has ended. The ended
 * fiber has claimed the awaiter's wait, so no other thread resumes the awaiter, and the awaiter is
 * never queued. Each fiber ends once, and was dequeued before. So at most twice as many fibers run
 * before a task of the ring as without this exception.
 *
 * Fibers switch directly only in the worker's own loop, and not inside a wait or a join that runs
 * nested tasks, because the wait or join has to check after each task whether it is over. (Directed
 * yields: Lamport's and Redell's Mesa, 1980; Go's runnext.)
 */
#ifndef NAP_FIBER_DIRECT_H
#define NAP_FIBER_DIRECT_H

#include <stdbool.h>

#include "async/fiber/fiber.h"
#include "worker/phase.h"
#include "worker/tick.h"
#include "worker/worker.h"

/* Whether @host's thread would take its next task from the ring, if no tick is due. */
static inline bool may_switch(struct nap__fiber_host *host)
{
	return host->direct && pool_is_plain(host->worker->pool);
}

/*
 * Called by a fiber that waits: dequeues and returns the task to which the fiber switches. NULL:
 * the fiber switches to the thread.
 */
static inline struct nap_task *direct_next(struct nap__fiber_host *host)
{
	struct nap_worker *worker = host->worker;
	struct nap_task *task;

	if (!may_switch(host) || turn_is_due(worker))
		return NULL;
	task = ring_pop(&worker->ring);
	if (task) {
		before_turn(worker);
		stat_add(&worker->stats.run, 1);
	}
	return task;
}

/* As direct_next(), for a fiber that gives way. False: the ring is empty, and the fiber stays. */
static inline bool direct_turn(struct nap__fiber_host *host, struct nap_task **task)
{
	struct nap_worker *worker = host->worker;

	*task = NULL;
	if (!may_switch(host) || !before_turn(worker))
		return true;
	stat_add(&worker->stats.run, 1);
	*task = ring_pop(&worker->ring);
	return *task;
}

/*
 * As direct_next(), for a fiber that has ended. *@awaiter: the fiber that awaits the ended fiber,
 * and continues instead of a task; or NULL.
 */
struct nap_task *nap__direct_end(struct nap__fiber_host *host, struct nap_fiber **awaiter);

/* Does the last steps for @fiber, which has just switched to the calling fiber: see above. */
void nap__fiber_left(struct nap_fiber *fiber);

#endif /* NAP_FIBER_DIRECT_H */

/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_pool_notify_end - notify a loop that a pool has ended
 *
 * A loop begins a drain or a stop, goes on with what it has to do, and is notified through its
 * completion queue (nap/complete.h) when the pool has ended:
 *
 *	static void ended(struct nap_task *task);		on the loop: may join now
 *
 *	nap_end_init(&end, ended, &cq);
 *	nap_pool_notify_end(&pool, &end);
 *	nap_pool_shutdown(&pool, NAP_DRAIN);
 *
 * No thread waits for the end: the thread that ends the last task notifies.
 */
#ifndef NAP_END_H
#define NAP_END_H

#include "complete.h"
#include "pool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * struct nap_end - a notification that is to come; the caller's, private in every field
 *
 * In use from nap_pool_notify_end() on until its task comes out of the completion queue, or the
 * pool has been joined.
 */
struct nap_end {
	struct nap_task task;
	struct nap_cq *cq;
	int (*push)(struct nap_cq *cq, struct nap_task *task);
};

/**
 * nap_end_init() - prepare @ending
 * @run: called by the thread that runs what comes out of @cq, with &@ending->task. @run may do what
 *       that thread may, and on a loop from outside the pool nap_pool_join() waits for no task
 *       then. @run may use @ending again, or free it
 * @cq:  open until @run was called or the pool has been joined. A queue that was closed is not
 *       notified
 */
static inline void nap_end_init(struct nap_end *ending, nap_task_fn run, struct nap_cq *cq)
{
	nap_task_init(&ending->task, run);
	ending->cq = cq;
	ending->push = nap_cq_push;
}

/**
 * nap_pool_notify_end() - have the task of @end pushed onto its queue, once, at the end of @pool
 * @end: prepared, and in use by no other call
 *
 * Any thread, tasks included; before the shutdown, after it, or when the pool has ended already:
 * then the task has been pushed when this returns. Any number may wait. The pool has ended
 *
 * - in a drain, when everything that was accepted has been run, and whatever that has scheduled; no
 *   nap_call() is under way, and no nap_pool_help();
 * - in a stop, when what had begun has ended, and each worker has called worker_stop.
 *
 * A loop is outside @pool. In a drain the pool refuses what the loop's functions schedule, and so
 * what the @done of a work (nap/work.h) schedules there; a work that waits for such a @done
 * (nap/after.h) ends as canceled. A graph that is to run to its end in a drain has its @done on the
 * workers; or its loop begins the drain when no request is under way.
 *
 * The end comes whether a thread joins @pool or not. What the tasks have written is visible to
 * @run. A drain that is turned into a stop before its end has the end of a stop. In a drain
 * worker_stop is called when a thread joins.
 *
 * This call and nap_pool_shutdown() wait for threads that are inside a nap_schedule(), and for
 * nothing else. But where @pool has no worker, and none can be started, they run what a drain owes,
 * on the calling thread; as nap_pool_quiesce() would. What the task of a helper schedules after
 * that has to be run by nap_pool_help() or nap_pool_join(), which then notify.
 *
 * Returns 0; -ESHUTDOWN when @pool was joined, or its join has come so far that its workers are
 * gone, also where nap_pool_join_for() then gave up, and in the child of a fork; -EINVAL when an
 * argument is NULL or @end was not prepared. On an error nothing is pushed.
 *
 * In the child of a fork no notification of the parent's comes, of whatever pool.
 */
int nap_pool_notify_end(struct nap_pool *pool, struct nap_end *end);

/** DOC: nap_pool_remaining - how much work remains in a pool */

/**
 * struct nap_remaining - what remains to be done in a pool
 * @queued:  tasks that are queued anywhere, serial queues included, and calls that wait for a guest
 *           record; not the jobs that tasks fork, because those tasks are running
 * @workers: workers inside a task, or searching for one, or in worker_stop at the pool's end
 * @guests:  threads from outside inside a nap_call() or nap_pool_help()
 */
struct nap_remaining {
	uint64_t queued;
	uint32_t workers;
	uint32_t guests;
};

/**
 * nap_pool_remaining() - how much work remains in @pool, for a line of progress
 * @out: written
 *
 * Any thread; no other thread is stopped. The call reads each worker's counters, and no task. A
 * task that moves during the call may be counted twice, or not at all; when nothing moves the
 * numbers are right. All are 0 for a pool that was never used, that was joined, and in the child of
 * a fork. The call is no way to wait for the end, because the numbers may be 0 before:
 * nap_pool_notify_end(), nap_pool_quiesce().
 *
 * Returns 0, or -EINVAL when an argument is NULL.
 */
int nap_pool_remaining(struct nap_pool *pool, struct nap_remaining *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_END_H */

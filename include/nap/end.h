/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_pool_notify_end - notify a loop that a pool has ended
 *
 * An event loop shuts a pool down, to drain it (NAP_DRAIN) or to stop it (NAP_STOP). The loop goes
 * on with what it has to do, and is notified through its completion queue (nap/complete.h) when the
 * pool has ended:
 *
 *	static void ended(struct nap_task *task);		on the loop: may join now
 *
 *	nap_end_init(&end, ended, &cq);
 *	nap_pool_notify_end(&pool, &end);
 *	nap_pool_shutdown(&pool, NAP_DRAIN);
 *
 * No thread waits for the end: the thread that finds that the pool has ended notifies. Typically
 * this thread has run the last task.
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
 * struct nap_end - a notification that is to come; the caller's memory, every field is private
 *
 * In use from nap_pool_notify_end() on until its task comes out of the completion queue, also by
 * nap_cq_close(). A join ends no use, because it pushes the tasks that are listed still. But if the
 * queue was closed before the pool ended, no task comes: then in use until the pool has been
 * joined.
 */
struct nap_end {
	struct nap_task task;
	struct nap_cq *cq;
	int (*push)(struct nap_cq *cq, struct nap_task *task);
};

/**
 * nap_end_init() - prepare @ending
 * @run: called by the thread that runs what comes out of @cq, with &@ending->task. @run may do what
 *       that thread may do; on a loop outside the pool it may call nap_pool_join(), which then
 *       waits for no task. @run may use @ending again, or free it
 * @cq:  its memory stays until the task has come out, and without a task until the pool has been
 *       joined. A queue that was closed is not notified
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
 * Any thread, tasks included; before the shutdown, after it, or when the pool has ended already. In
 * the last case the task has been pushed when the call returns. Any number of notifications may be
 * listed. The pool has ended
 *
 * - in a drain, when every accepted task, and every task that these tasks have scheduled, has been
 *   run, and no thread is in nap_call() or nap_pool_help();
 * - in a stop, when the tasks that had begun have ended, and each worker has called worker_stop.
 *
 * A loop is outside @pool. In a drain the pool refuses what functions on the loop schedule, among
 * them the @done of a work (nap/work.h); a work that waits for such a @done (nap/after.h) ends as
 * canceled. A graph of works runs to its end in a drain if all of its @done run on the workers, or
 * if its loop begins the drain when no request is under way.
 *
 * The pool ends whether a thread joins it or not. What the tasks have written is visible to @run. A
 * drain that is turned into a stop before its end ends as a stop. In a drain worker_stop is called
 * only when a thread joins.
 *
 * This call and nap_pool_shutdown() wait for threads that are inside a nap_schedule(), and for
 * nothing else. But where @pool has no worker, and none can be started, the two calls run the tasks
 * of a drain on the calling thread, as nap_pool_quiesce() would. If a task then still runs on a
 * thread in nap_pool_help(), and schedules another task after these calls, nap_pool_help() or
 * nap_pool_join() has to run that task, and then notifies.
 *
 * Returns 0; -ESHUTDOWN in the child of a fork, when @pool was joined, or when a join has seen the
 * workers end (even if nap_pool_join_for() then gave up); -EINVAL when an argument is NULL or @end
 * was not prepared. On an error nothing is pushed.
 *
 * In the child of a fork no notification that the parent has listed comes, whichever pool it is
 * for.
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
 * task that moves to another queue during the call may be counted twice, or not at all; while
 * nothing moves the numbers are right. All are 0 for a pool that was never used, that was joined,
 * and in the child of a fork. Do not poll this call for the end, because the numbers may be 0
 * before the end: use nap_pool_notify_end() or nap_pool_quiesce().
 *
 * Returns 0, or -EINVAL when an argument is NULL.
 */
int nap_pool_remaining(struct nap_pool *pool, struct nap_remaining *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_END_H */

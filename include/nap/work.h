/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_work_schedule - works: tasks that can be canceled
 *
 * A work is a task that can be canceled, may have a deadline, and reports its end.
 *
 *	struct request {
 *		struct nap_work work;
 *		...
 *	};
 *
 *	nap_work_init(&request->work, hash, reply, &loop);
 *	nap_work_schedule(&pool, &request->work);
 *	...
 *	nap_cancel(&request->work);		the client has gone
 *
 * Life: idle -> queued -> running -> ended -> idle; or queued -> canceled -> ended -> idle. A work
 * that was accepted ends once, whatever happens, and its @done is called then. Until @done the
 * memory is the pool's. In @done it is the caller's again: @done may free the work, or schedule it
 * again.
 *
 * A work is queued as a task is, in the same order. nap_cancel() searches no queue: the work stays
 * in its queue, and when the work comes out its function is not run. So @done is called only when
 * the canceled work comes out of its queue. But if the work has a @gone (struct nap_work), @done is
 * called at once.
 *
 * Beyond a task a work costs a compare-exchange, an exchange and two stores; and, with a deadline,
 * one reading of the clock. In the child of a fork a work that was not idle never ends, except one
 * whose last nap_after_done() the child calls (nap/after.h): nap_work_init() prepares it again. So
 * if a @done calls fork(2), and returns in the child, no other @done is called in the child, except
 * those of such works.
 */
#ifndef NAP_WORK_H
#define NAP_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "complete.h"
#include "config.h"
#include "group.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap_pool;
struct nap_work;

/**
 * typedef nap_work_fn - the function of a work, called on a worker
 *
 * The function is left by return only, as a task is (nap/task.h), and may not free the work.
 * Returns the result for @done: any number of the program's, 0 by convention for success, except
 * -ECANCELED and -ETIMEDOUT, which nap uses.
 */
typedef int (*nap_work_fn)(struct nap_work *work);

/**
 * typedef nap_done_fn - called when a work has ended
 * @result: what the work's function has returned; -ECANCELED: the function was not run, because the
 *          work was canceled, or the pool stopped; -ETIMEDOUT: the function was not run, because
 *          the work's deadline had passed
 *
 * Called once for each schedule that was accepted. @done sees what the work's function wrote; if
 * the work was canceled, @done sees what the canceler wrote before nap_cancel(). @work is idle
 * again: it may be freed or scheduled again. But if the work has a @gone, the memory is nap's until
 * @gone is called.
 */
typedef void (*nap_done_fn)(struct nap_work *work, int result);

/**
 * typedef nap_gone_fn - called when nap no longer uses the memory of a work
 *
 * Called once, after @done. @work is idle: it may be freed or scheduled again.
 */
typedef void (*nap_gone_fn)(struct nap_work *work);

/**
 * struct nap_work - a task that can be canceled
 * @task:     nap's (nap_work_batch() puts it into a batch)
 * @fn:       set by the caller, never NULL
 * @done:     called at the work's end. NULL: nap_work_is_idle() says when the work has ended
 * @cq:       the completion queue whose loop calls @done; it outlives the work. If @cq is NULL or
 *            closed at the work's end, the worker calls @done, after @fn; but if the work was
 *            canceled, and the pool refuses the work, the thread that schedules it calls @done
 * @deadline: the time, ns on CLOCK_MONOTONIC, after which @fn is no longer begun. NAP_FOREVER and
 *            0, the initial value: no deadline. nap checks the deadline when @fn would begin: a
 *            late work does not end before it comes out of the queue
 * @gone:     called when the memory is free. NULL: the memory is free in @done
 *
 * The caller sets the fields from @fn to @deadline, and @gone, while the work is idle. A work whose
 * fields after @fn are zero is idle.
 *
 * With a @gone, a @done and an open @cq nap_cancel() notifies the loop at once: the loop calls
 * @done in its next iteration, however much is queued before the work. The work's entry in the
 * queue stays, and so does the memory, until the entry comes out: then the loop calls @gone. So an
 * object that is to be freed at once does not embed its work: the work is an object of its own,
 * which @gone frees. Other headers let a @done free memory that the work needs (a serial queue in
 * its last work, a struct nap_after): with a @gone, @gone frees this memory. If the work is not
 * canceled @gone is called right after @done.
 */
struct nap_work {
	struct nap_task task;
	nap_work_fn fn;
	nap_done_fn done;
	struct nap_cq *cq;
	uint64_t deadline nap__zero;
	uint32_t state nap__zero;	/* A: src/kit/work.c */
	int32_t result nap__zero;	/* what @fn has returned, for @done */
	nap_gone_fn gone nap__zero;
	/* nap's: the task by which nap_cancel() notifies the loop */
	struct nap_task told nap__zero;
};

/** NAP_WORK_INIT() - static initialiser of an idle work, without a deadline */
#define NAP_WORK_INIT(fn, done, cq) \
	{ NAP_TASK_INIT(NULL), (fn), (done), (cq), 0, 0, 0, 0, NAP_TASK_INIT(0) }

/** nap_work_init() - prepare new memory, or an idle work, without a deadline; any thread */
static inline void nap_work_init(struct nap_work *work, nap_work_fn fn, nap_done_fn done,
				 struct nap_cq *cq)
{
	struct nap_work init = NAP_WORK_INIT(fn, done, cq);

	*work = init;
}

/**
 * nap_deadline() - the time after a timeout, for work->deadline, and for every call that takes a
 * deadline
 * @timeout_ns: nanoseconds from now on; 0: now
 *
 * Returns nanoseconds on CLOCK_MONOTONIC, never 0. Returns NAP_FOREVER (nap/group.h), a time that
 * never comes, if @timeout_ns is NAP_FOREVER, or the time is beyond the end of the clock. Any
 * thread.
 */
uint64_t nap_deadline(uint64_t timeout_ns);

/**
 * nap_work_schedule() - run @work on some worker, soon
 *
 * As nap_schedule(); nap_pool_prewarm() says whether a worker can be started. Returns 0; -ESHUTDOWN
 * when the pool was shut down: the work is idle; -EBUSY when the work is not idle, and nothing
 * changes; -EINVAL when a pointer, or work->fn, is NULL.
 */
int nap_work_schedule(struct nap_pool *pool, struct nap_work *work);

/**
 * nap_work_batch() - append a work to a batch, for nap_schedule_batch()
 *
 * From this call on the work is queued, and may be canceled. If the batch is refused, or is never
 * scheduled, nap_work_end_left() ends its works. Returns 0, -EBUSY or -EINVAL as
 * nap_work_schedule().
 */
int nap_work_batch(struct nap_batch *batch, struct nap_work *work);

/**
 * nap_cancel() - cancel @work
 * @work: a work that was scheduled, and whose @done has not begun. (Only the thread that calls
 *        @done can be sure of this.)
 *
 * Any thread. O(1). If the work has a @gone, and its completion queue is closed, this call may call
 * @done and @gone.
 *
 * Returns true: the work's function will not run, and @done will get -ECANCELED. Returns false if
 * @work has begun, has ended, or was canceled before; a running function finds out by
 * nap_work_is_canceled(). Returns false for NULL.
 */
bool nap_cancel(struct nap_work *work);

/**
 * nap_work_is_canceled() - whether nap_cancel() was called since @work's function began; called in
 * the work's function
 *
 * What the canceler wrote before is visible when this returns true. The call is a load: a long
 * function may call it as often as it likes.
 */
bool nap_work_is_canceled(const struct nap_work *work);

/**
 * nap_work_is_idle() - whether the work's memory is the caller's
 *
 * This is for works without a @done (a @done may have freed the work by then). If the call returns
 * true the caller sees what the function wrote.
 */
bool nap_work_is_idle(const struct nap_work *work);

/** nap_work_of() - the work that @task is, or NULL when it is another task */
struct nap_work *nap_work_of(struct nap_task *task);

/**
 * nap_work_end_left() - end the works that a pool has left
 * @left: the batch of nap_pool_join() or nap_cq_close(), or a batch that was refused; tasks that
 *        are no works stay in it
 *
 * Each work ends as if it had been canceled: @done gets -ECANCELED, on the work's loop, or without
 * a loop on this thread. For a work of nap_cq_close(), which has ended before, @done is called on
 * this thread, with the function's result. Returns how many works were ended.
 */
size_t nap_work_end_left(struct nap_batch *left);

/** DOC: nap_work_finish - stop a pool, and end every work */

/**
 * nap_work_finish() - stop @pool, wait for its workers, and end every work here
 * @pool: may be shut down already, and joined
 * @cq:   a completion queue, which the call closes; or NULL, or a closed queue
 * @left: set to the tasks that are no works: tasks of the pool and its serial queues that were not
 *        run, and tasks that were pushed to @cq. Set to empty on an error. What the batch had
 *        before is lost, as with nap_pool_join()
 *
 * A program with one loop ends by this call, on the loop's thread; no task of the pool may wait for
 * this thread. The call waits for works that run. To shorten this wait the program may first cancel
 * works that call nap_work_is_canceled(). After this call no work of the pool is under way, and
 * every @done of the loop has been called, on this thread or earlier. Works that have run end
 * first, then the other works, in the order of the queue. Works in serial queues (nap/serial.h)
 * end, too, and a serial queue with tasks left is closed. What a @done schedules, or pushes, is
 * refused. Works of other loops have been pushed to those loops' queues. A work that waits for a
 * nap_after_done() still waits.
 *
 * If several pools use one loop, pass @cq in the call for the last pool, and NULL in the calls
 * before: the earlier pools' works are pushed to the queue, and end on this thread, too. After the
 * queue is closed a worker itself calls the @done of the works that it runs.
 *
 * Returns 0; -EDEADLK on a worker of @pool; -ESHUTDOWN in the child of a fork; -EINVAL when @pool
 * or @left is NULL: then @left is not written. After an error nothing has changed, except that the
 * pool may be shut down, and that @left is empty. The caller may be cancelled while the call waits
 * for a thread to end, as in nap_pool_join(); then nothing has changed, either, and another call
 * finishes.
 */
int nap_work_finish(struct nap_pool *pool, struct nap_cq *cq, struct nap_batch *left);

/**
 * nap_work_finish_until() - nap_work_finish() until @deadline, or -ETIMEDOUT
 * @deadline: ns on CLOCK_MONOTONIC (nap_deadline()); 0, or a time in the past: do not wait for
 *            works that run; NAP_FOREVER: nap_work_finish()
 *
 * After -ETIMEDOUT @pool is stopped and not joined, @left is empty, and nothing else has changed:
 * @cq is open, and no work has ended here. The loop may go on with @cq, and then calls this
 * function again. A first call with 0 may return -ETIMEDOUT even if no work runs, because idle
 * workers take some time to leave.
 */
int nap_work_finish_until(struct nap_pool *pool, struct nap_cq *cq, struct nap_batch *left,
			  uint64_t deadline);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_WORK_H */

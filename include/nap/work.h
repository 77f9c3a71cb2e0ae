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
 *	request->work = NAP_WORK_INIT(hash, reply, &loop);
 *	nap_work_schedule(&pool, &request->work);
 *	...
 *	nap_cancel(&request->work);		the client has gone
 *
 * Life: idle -> queued -> running -> ended -> idle; or queued -> canceled -> ended. Whatever
 * becomes of a work that was accepted, it ends once, and @done is called. The memory is the pool's
 * until then, and the caller's in @done, which may free it or schedule it again.
 *
 * A work is queued as a task is, in the same order. nap_cancel() searches no queue: the entry
 * stays, and the work is not run when it comes out. So @done is called then; or at once, where the
 * work has a @gone (struct nap_work).
 *
 * Beyond a task a work costs a compare-exchange, an exchange and two stores; and, with a deadline,
 * one reading of the clock. In the child of a fork a work that was not idle never ends:
 * nap_work_init() prepares it again. So if a @done forks, and returns in the child, it is the
 * child's last.
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
 * typedef nap_work_fn - what a work does, on a worker
 *
 * The function is left by return only, as a task (nap/task.h), and may not free the work. @done
 * gets what it returns: 0, or what the program likes, except -ECANCELED and -ETIMEDOUT, which are
 * nap's.
 */
typedef int (*nap_work_fn)(struct nap_work *work);

/**
 * typedef nap_done_fn - called when a work has ended
 * @result: of its function; -ECANCELED: was not run, it was canceled, or the pool stopped;
 *          -ETIMEDOUT: was not run, its deadline had passed
 *
 * Called once for each schedule that was accepted. What the function wrote is visible here; of a
 * work that was canceled, what its canceler wrote before that. @work is idle again: it may be
 * freed, and scheduled again. With a @gone the memory is nap's until that is called.
 */
typedef void (*nap_done_fn)(struct nap_work *work, int result);

/**
 * typedef nap_gone_fn - called when nap no longer has a part in a work
 *
 * Called once, after @done. @work is idle: it may be freed, and scheduled again.
 */
typedef void (*nap_gone_fn)(struct nap_work *work);

/**
 * struct nap_work - a task that can be canceled
 * @task:     nap's; for nap_schedule_batch(), see nap_work_batch()
 * @fn:       set by the caller, never NULL
 * @done:     or NULL: then nap_work_is_idle() says when it has ended
 * @cq:       whose loop calls @done; it outlives the work. NULL, or a queue that is closed by then:
 *            the worker calls it, after @fn; or, when the work is refused and was canceled by then,
 *            the thread that schedules it
 * @deadline: ns on CLOCK_MONOTONIC by which @fn has to have begun, or it is not run; NAP_FOREVER
 *            and 0, its first value: none. nap checks it when @fn would begin: a late work does not
 *            end before it comes out of the queue
 * @gone:     or NULL: then the memory is @done's
 *
 * The caller sets @fn to @deadline, and @gone, while the work is idle. A work whose fields after
 * @fn are zero is idle.
 *
 * With a @gone, a @done and an open @cq nap_cancel() notifies the loop at once: the loop calls
 * @done in its next iteration, however much is queued before the work. The work's entry in the
 * queue stays, and so does the memory, until the entry comes out: then the loop calls @gone. So an
 * object that is to be freed at once does not embed its work: the work is an object of its own,
 * which @gone frees. What is said elsewhere of memory that a @done has, or frees (a serial queue
 * with its last work, a struct nap_after), is then true of @gone. Of a work that is not canceled
 * @gone is called after @done.
 */
struct nap_work {
	struct nap_task task;
	nap_work_fn fn;
	nap_done_fn done;
	struct nap_cq *cq;
	uint64_t deadline nap__zero;
	uint32_t state nap__zero;	/* A: src/kit/work.c */
	int32_t result nap__zero;	/* from @fn to @done */
	nap_gone_fn gone nap__zero;
	struct nap_task told nap__zero;	/* nap's: to the loop, from nap_cancel() */
};

/** NAP_WORK_INIT() - static initialiser of an idle work, without a deadline */
#define NAP_WORK_INIT(fn, done, cq) \
	{ NAP_TASK_INIT(NULL), (fn), (done), (cq), 0, 0, 0, 0, NAP_TASK_INIT(0) }

/** nap_work_init() - prepare new memory, or an idle work; no deadline; no thread rules */
static inline void nap_work_init(struct nap_work *work, nap_work_fn fn, nap_done_fn done,
				 struct nap_cq *cq)
{
	struct nap_work init = NAP_WORK_INIT(fn, done, cq);

	*work = init;
}

/**
 * nap_deadline() - a time from now, for work->deadline, and for every call that takes a time
 * @timeout_ns: nanoseconds; 0: now
 *
 * Returns nanoseconds on CLOCK_MONOTONIC, never 0. With NAP_FOREVER (nap/group.h), and with a time
 * beyond the end of the clock: NAP_FOREVER, which never comes. Any thread.
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
 * From here on the work is queued, and may be canceled. If the batch is refused, or is never
 * scheduled, nap_work_end_left() ends its works. Returns 0, -EBUSY or -EINVAL as
 * nap_work_schedule().
 */
int nap_work_batch(struct nap_batch *batch, struct nap_work *work);

/**
 * nap_cancel() - cancel @work
 * @work: was scheduled, and its @done has not begun, which the thread that calls @done knows
 *
 * Any thread. O(1). If the work has a @gone and its queue is closed by then, @done and @gone may be
 * called here.
 *
 * Returns true: its function will not run, and @done will get -ECANCELED. False: @work has begun,
 * or has ended, or was canceled before; if its function runs, that can find out
 * (nap_work_is_canceled()). False for NULL.
 */
bool nap_cancel(struct nap_work *work);

/**
 * nap_work_is_canceled() - called by the function of @work: whether nap_cancel() was called since
 * it began
 *
 * What the canceler wrote before is visible when this returns true. The call is a load: a long
 * function may call it as often as it likes.
 */
bool nap_work_is_canceled(const struct nap_work *work);

/**
 * nap_work_is_idle() - whether the work's memory is the caller's
 *
 * For works without @done: where there is one, the memory is @done's when this returns true. Then
 * what the function wrote is visible, too.
 */
bool nap_work_is_idle(const struct nap_work *work);

/** nap_work_of() - the work that @task is, or NULL when it is another task */
struct nap_work *nap_work_of(struct nap_task *task);

/**
 * nap_work_end_left() - end the works that a pool has left
 * @left: of nap_pool_join() or nap_cq_close(), or a batch that was refused; keeps those tasks that
 *        are no works
 *
 * Each work ends as if it had been canceled: @done gets -ECANCELED, on its loop, or here where it
 * has none. A work that a loop has left is delivered here, with what its function has returned.
 * Returns how many works.
 */
size_t nap_work_end_left(struct nap_batch *left);

/** DOC: nap_work_finish - stop a pool, and end every work */

/**
 * nap_work_finish() - stop @pool, wait for its workers, and end every work here
 * @pool: may be shut down already, and joined
 * @cq:   is closed; or NULL, or a queue that is closed
 * @left: gets what is no work: tasks of the pool and its serial queues that were not run, and what
 *        was pushed to @cq
 *
 * This is how a program with one loop ends: on the loop's thread, for which no task of the pool
 * waits. Works that run are waited for; those that check for a cancellation can be canceled
 * before. After this call no work of the pool is under way, and @done was called for each that
 * was: on this thread, if it is the loop's and had not come before. Works that have run end first,
 * then the others, as they were queued. That is so in serial queues (nap/serial.h), too: those
 * that have something left are closed. What a @done schedules, or pushes, is refused. Works of
 * other loops are on their queues. A work that waits for a nap_after_done() still does.
 *
 * Where several pools have one loop, the last pool is given @cq, and the others NULL: their works
 * end to the queue, and so on this thread, after what lies there. After the queue is closed a
 * worker calls the @done of what it runs itself.
 *
 * Returns 0; -EDEADLK on a worker of @pool; -ESHUTDOWN in the child of a fork; -EINVAL when @pool
 * or @left is NULL. After an error nothing has changed, except that the pool may be shut down.
 */
int nap_work_finish(struct nap_pool *pool, struct nap_cq *cq, struct nap_batch *left);

/**
 * nap_work_finish_until() - nap_work_finish() until @deadline, or -ETIMEDOUT
 * @deadline: ns on CLOCK_MONOTONIC (nap_deadline()); 0, or a time that has passed: do not wait for
 *            works that run; NAP_FOREVER: nap_work_finish()
 *
 * After -ETIMEDOUT @pool is stopped and not joined, and nothing else has changed: @cq is open, and
 * no work has ended here. The loop may go on with @cq, and calls this again. Threads that have
 * nothing to run take some time to leave, so a first call with 0 may be -ETIMEDOUT because of them,
 * too.
 */
int nap_work_finish_until(struct nap_pool *pool, struct nap_cq *cq, struct nap_batch *left,
			  uint64_t deadline);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_WORK_H */

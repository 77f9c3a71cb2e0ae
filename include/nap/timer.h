/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_schedule_after - timers: tasks that are scheduled at a time
 *
 * A timer has a task that is scheduled at a time, once or again and again.
 *
 *	struct nap_timer timer;
 *
 *	nap_timer_init(&timer, work);
 *	nap_schedule_after(&pool, &timer, 5000000);
 *
 * Times are nanoseconds of CLOCK_MONOTONIC (nap_deadline()). A timer is intrusive, as a task is:
 * its memory is the caller's, nothing is allocated for it, and there can be any number of them.
 *
 * Which thread reads the clock. One of the idle workers, the poller, sleeps only until the earliest
 * time. Busy workers check after at most NAP_DUE_DEQUEUES tasks, and after each task where the last
 * ones took longer than 20 microseconds. What is due then runs next, before what is queued. So a
 * task runs soon after its time, never before, unless every worker is in the middle of a task that
 * takes longer, or there is no worker at all: then the threads that wait or help (nap_pool_help())
 * check, at least every 64 ms.
 *
 * Ends. Timers do not keep a pool from ending. Once its shutdown has begun, as a drain or as a
 * stop, timers are no longer fired; nap_pool_join() hands back what is still armed among the tasks
 * that were not run. (Sleeps go on in a drain, as fibers do.)
 *
 * Fork. In the child no timer of the parent's fires. A timer that was armed there, or whose task was
 * scheduled or ran, is prepared again by nap_timer_init().
 */
#ifndef NAP_TIMER_H
#define NAP_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pool.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * NAP_DUE_DEQUEUES - how soon a busy worker runs what is due
 *
 * A worker that goes on running tasks begins what has become due within this many of its dequeues,
 * unless another thread has begun it: the task of a timer, a fiber whose sleep or timed wait is
 * over, a fiber whose file is ready (nap/io.h). What is due runs in the order of its times, files
 * first, and equal times in the order of arming. After one check up to 32 of these run in a row;
 * then the worker takes at most this many tasks from the queues, and checks again.
 */
#define NAP_DUE_DEQUEUES 21u

struct nap__fiber_wait;

/* An armed timer, in the pool's heap. */
struct nap__timer_node {
	struct nap__timer_node *left, *right, *parent;
	uint64_t when;
	uint64_t order;
	struct nap__fiber_wait *wait;
	uint32_t number;
	uint32_t armed;
};

/**
 * struct nap_timer - a task that is scheduled at a time
 * @task: what is scheduled; nap_container_of() leads from there to the timer
 *
 * The other fields are nap's. While the timer is armed, or its task scheduled, the caller does not
 * touch it.
 */
struct nap_timer {
	struct nap_task task;
	struct nap__timer_node node;
	nap_task_fn run;
	uint64_t period;
	uint64_t missed;
	struct nap_pool *pool;
	uint32_t state;
};

/** nap_timer_init() - prepare @timer so that it runs @run; the caller's, no thread rules */
void nap_timer_init(struct nap_timer *timer, nap_task_fn run);

/**
 * nap_schedule_after() - schedule a timer's task when a time has passed
 * @pool:  where it runs. While the timer is armed, or its task is scheduled or runs, only the pool
 *         where that is
 * @timer: initialised, and not armed
 * @ns:    from now on; 0: at once
 *
 * Any thread, tasks and fibers included. What the caller wrote before is visible to the task. If
 * the task still runs, of a timer that is not periodic or was canceled, the next run may begin
 * beside it: nap_timer_cancel_wait() comes before.
 *
 * Returns 0; -EBUSY when the timer is armed, or its task is scheduled and has not begun, or its
 * task runs and the timer is periodic and not canceled, or the caller is a thread of another pool,
 * in which the task runs; -ENOMEM when the pool's first timer or fiber finds no memory; -ESHUTDOWN
 * as nap_schedule(); -EINVAL when an argument is NULL, or a period is 0.
 */
int nap_schedule_after(struct nap_pool *pool, struct nap_timer *timer, uint64_t ns);

/**
 * nap_schedule_at() - nap_schedule_after() at @when_ns (nap_deadline()): at once if that has
 * passed, never at NAP_FOREVER
 */
int nap_schedule_at(struct nap_pool *pool, struct nap_timer *timer, uint64_t when_ns);

/**
 * nap_schedule_every() - schedule a timer's task again and again
 * @first_ns:  from now on, until the first time
 * @period_ns: from one time to the next, at least 1; they do not drift
 *
 * As nap_schedule_after(). The timer is armed for the next time when its task has ended, so the
 * task never runs twice at once, and each run sees what the one before wrote. Times that have
 * passed when the task begins are missed: skipped, and counted (nap_timer_missed()); a time that
 * passes while the task runs is late. A time beyond the end of the clock never comes.
 */
int nap_schedule_every(struct nap_pool *pool, struct nap_timer *timer, uint64_t first_ns,
		       uint64_t period_ns);

/** nap_timer_missed() - how many times of a periodic timer were skipped; in its task */
uint64_t nap_timer_missed(const struct nap_timer *timer);

/**
 * nap_timer_cancel() - disarm a timer
 *
 * Any thread, also the timer's own task; the pool is not joined during the call, and the memory of
 * the pool where the timer was armed last is still there. With 0 and -EALREADY, what the task wrote is visible. (A timer that is armed while its task runs, as by that
 * task itself, counts as running.)
 *
 * Returns 0: its task will not run (again), and the timer is the caller's; -EINPROGRESS: its task
 * is scheduled and has not begun, or runs, perhaps in the caller; after that the task does not run
 * again; -EALREADY: the timer was not armed, and no thread runs its task; -EINVAL for NULL.
 */
int nap_timer_cancel(struct nap_timer *timer);

/**
 * nap_timer_cancel_wait() - disarm a timer, and wait until no thread runs its task
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER; one that has passed: do not
 *            wait
 *
 * Callers as of nap_timer_cancel(). A fiber is suspended; a worker that is no fiber runs other
 * tasks, as in nap_group_wait(), perhaps the timer's own if that is scheduled; any other thread
 * sleeps. While a caller waits no thread arms or frees the timer.
 *
 * Returns 0: the task will not run (again), no thread is in it, what it wrote is visible, and the
 * timer is the caller's; 0 also for a timer that was not armed, and in the child of a fork (above);
 * -EDEADLK: the caller is in the middle of the task, in it or in a wait of it; after that the task
 * does not run again; -ETIMEDOUT and -ECANCELED: the deadline has passed, or the calling fiber was
 * canceled, or the pool stopped (in a thread what nap_group_wait() says); then the same is true as
 * after -EINPROGRESS of nap_timer_cancel(); -EINVAL for NULL.
 */
int nap_timer_cancel_wait(struct nap_timer *timer, uint64_t deadline);

/** DOC: nap_sleep - let time pass */

/**
 * nap_sleep() - let time pass
 * @ns: how long at least
 *
 * A fiber is suspended. A worker that is no fiber runs other tasks, as in nap_group_wait(); any
 * other thread sleeps.
 *
 * Returns 0; -ECANCELED when the calling fiber was canceled, or its pool stopped; -ESHUTDOWN in a
 * fiber of the parent in the child of a fork; of a thread what nap_group_wait() says.
 */
int nap_sleep(uint64_t ns);

/**
 * nap_sleep_until() - let time pass until @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()); NAP_FOREVER: until a cancellation
 */
int nap_sleep_until(uint64_t deadline);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_TIMER_H */

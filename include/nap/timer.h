/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_schedule_after - timers: tasks that are scheduled at a time
 *
 * A timer schedules its task at a given time, once or periodically.
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
 * time. Busy workers check the clock after at most NAP_DUE_DEQUEUES tasks, and after each task if
 * recent tasks took longer than 20 microseconds. Due tasks run next, before queued tasks. So a
 * timer's task never runs before its time, and runs soon after it, unless every worker is in the
 * middle of a long task. If there is no worker at all, the threads that wait or help
 * (nap_pool_help()) check, at least every 64 ms.
 *
 * Ends. Timers do not keep a pool from ending. Once the pool's shutdown has begun, as a drain or as
 * a stop, timers no longer fire; nap_pool_join() hands back the tasks of armed timers among the
 * tasks that were not run. (A drain still waits for fibers that sleep.)
 *
 * Fork. In the child no timer of the parent's fires. A timer that was armed at the fork, or whose
 * task was scheduled or ran, has to be prepared again by nap_timer_init().
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
 * NAP_DUE_DEQUEUES - how soon a busy worker begins due tasks and fibers
 *
 * These are due: the task of a timer whose time has come, a fiber whose sleep or timed wait is
 * over, and a fiber whose file is ready (nap/io.h). A worker that goes on running tasks begins a
 * due task or fiber within NAP_DUE_DEQUEUES of its dequeues, unless another thread has begun it.
 * Fibers whose files are ready come in the order in which a poll has found them. The others come in
 * the order of their times, and for equal times in the order in which they were armed. While there
 * are both, they take turns, one by one, so neither holds up the other.
 *
 * A time that had passed when it was armed counts as the time of arming, to within one check: it
 * comes after all that was due at the latest check before. So a task that arms its timer again and
 * again for a time that has passed, or a fiber that cannot keep its rate, holds up no other timer
 * or sleep. (A periodic timer keeps its times, and each run skips those that have passed.)
 *
 * After one check at most 32 due tasks and fibers run in a row; then the worker takes up to
 * NAP_DUE_DEQUEUES tasks from the queues (only one if recent tasks took longer than 20
 * microseconds), and checks again. NAP_FAIR_DEQUEUES, of nap/pool.h, does not count these due tasks
 * and fibers.
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
 * @task: the task that is scheduled; nap_container_of() leads from it to the timer
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

/**
 * nap_timer_init() - prepare @timer, which is the caller's, to run @run; any thread
 *
 * This makes a new timer. If the task of an earlier timer in the same memory still runs, this run
 * is none of the new timer's.
 */
void nap_timer_init(struct nap_timer *timer, nap_task_fn run);

/**
 * nap_schedule_after() - schedule a timer's task when a time has passed
 * @pool:  the pool where the task runs. While an earlier run of the task goes on, @pool must be the
 *         pool of that run
 * @timer: initialised, and not armed
 * @ns:    ns from now on; 0: at once
 *
 * Any thread, tasks and fibers included. What the caller wrote before is visible to the task. A
 * timer that is not periodic, or was canceled, may be armed while its task still runs; then two
 * runs may overlap. To prevent this, call nap_timer_cancel_wait() before.
 *
 * Returns 0; -EBUSY when the timer is armed, or its task is scheduled and has not begun, or its
 * task runs and the timer is periodic and not canceled; also when the task is scheduled or runs in
 * another pool than @pool, and the caller is a thread of that other pool; -ENOMEM when the pool's
 * first timer or fiber finds no memory; -ESHUTDOWN as nap_schedule(); -EINVAL when an argument is
 * NULL, or a period is 0.
 */
int nap_schedule_after(struct nap_pool *pool, struct nap_timer *timer, uint64_t ns);

/**
 * nap_schedule_at() - nap_schedule_after() at @when_ns (nap_deadline()): at once if @when_ns has
 * passed, never with NAP_FOREVER
 */
int nap_schedule_at(struct nap_pool *pool, struct nap_timer *timer, uint64_t when_ns);

/**
 * nap_schedule_every() - schedule a timer's task periodically
 * @first_ns:  ns from now on to the first time
 * @period_ns: ns from one time to the next, at least 1; the times do not drift
 *
 * As nap_schedule_after(). The timer is armed for the next time when its task has ended, so the
 * task never runs twice at once, and each run sees what the run before wrote. If several times have
 * passed when the task begins, this run stands for all of them, and the others are counted
 * (nap_timer_missed()). So of the times that pass while the task runs, the next run stands for all:
 * it begins late, at once. A time beyond the end of the clock never comes.
 */
int nap_schedule_every(struct nap_pool *pool, struct nap_timer *timer, uint64_t first_ns,
		       uint64_t period_ns);

/**
 * nap_timer_missed() - how many times of a periodic timer were skipped; called in the timer's task
 *
 * Returns the sum over all runs, this one included, since the timer was armed
 * (nap_schedule_every()).
 */
uint64_t nap_timer_missed(const struct nap_timer *timer);

/**
 * nap_timer_cancel() - disarm a timer
 *
 * Any thread, also the timer's own task. The pool of the timer's last schedule must not be joined
 * during the call, and the pool's memory must be valid. After 0 and -EALREADY what the task wrote
 * is visible. (A timer that was armed while its task runs, for example by the task itself, counts
 * as running.)
 *
 * Returns 0: the task will not run (again), and the timer is the caller's; -EINPROGRESS: the task
 * is scheduled and has not begun, or it runs, perhaps in the caller; after this run the task does
 * not run again; -EALREADY: the timer was not armed, and no thread runs its task, or the caller is
 * in the child of a fork and the timer is the parent's; -EINVAL for NULL.
 */
int nap_timer_cancel(struct nap_timer *timer);

/**
 * nap_timer_cancel_wait() - disarm a timer, and wait until no thread runs its task
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER; a time that has passed: do not
 *            wait
 *
 * The caller is as for nap_timer_cancel(). A fiber is suspended; a worker outside a fiber runs
 * other tasks, as in nap_group_wait(), perhaps the timer's task itself; any other thread sleeps.
 * While a caller waits no thread may arm or free the timer.
 *
 * Returns 0: the task will not run (again), no thread is in it, what it wrote is visible, and the
 * timer is the caller's; 0 also for a timer that was not armed, and for a timer of the parent in
 * the child of a fork; -EDEADLK: the caller is the task, or is nested in a wait of the task; after
 * this run the task does not run again; -ETIMEDOUT: the deadline has passed; -ECANCELED: the
 * calling fiber was canceled, or its pool stopped; in a thread that is no fiber the errors of
 * nap_group_wait() for the timer's pool. After all of these errors the timer is disarmed, and its
 * task is scheduled or runs, as after -EINPROGRESS of nap_timer_cancel(). -EINVAL for NULL.
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
 * fiber of the parent in the child of a fork; in a thread that is no fiber the errors of
 * nap_group_wait().
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

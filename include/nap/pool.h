/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_pool_init - a pool of workers
 *
 * Tasks are scheduled on a pool, and its workers run them.
 *
 *	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 4);
 *
 *	nap_schedule(&pool, &my->task);
 *	...
 *	nap_pool_join(&pool, NULL);
 *
 * A pool needs no call before the first schedule. Workers are started when work arrives, one at a
 * time, up to the limit; a pool on which nothing is ever scheduled starts none.
 *
 * Life: running -> draining or stopping (nap_pool_shutdown) -> joined (nap_pool_join) -> may be
 * initialised again. The pool's memory must stay valid until every call on it has returned. In the
 * child of a fork a pool that the parent used refuses everything; nap/child.h makes it usable
 * again.
 *
 * Callbacks are left by return only: nap/task.h says what happens otherwise. A thread that is
 * cancelled inside one of these calls goes on to the call's end, and the request stays pending;
 * the exception is nap_pool_join(). With asynchronous cancelability (PTHREAD_CANCEL_ASYNCHRONOUS),
 * or in the handler of a signal that interrupts one of these calls, none of them may be left. The
 * handler of a signal, which may interrupt nap anywhere, calls nap_cq_push(), nap_worker_self(),
 * nap_signals_unblock(), nap_pool_dump() and nap_pools_dump(), and nothing else of nap's.
 *
 * A NULL pool is -EINVAL wherever an error can be returned, except in the calls that must cost
 * nothing: nap_schedule() and nap_schedule_batch() with a NULL pool, task or batch are undefined.
 * So is any use of a pool that is not aligned to 64 bytes. A debug build (make DEBUG=1) reports
 * such a use and aborts.
 */
#ifndef NAP_POOL_H
#define NAP_POOL_H

#include "config.h"
#include "state.h"
#include "stats.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * NAP_POOL_INIT() - static initialiser; takes fields of struct nap_config
 *
 * Designated initialisers, as C99 and C++20 have them (C++14 by a GNU extension); NAP_POOL_INIT(0)
 * for none.
 */
#ifdef __cplusplus
#define NAP_POOL_INIT(...) { { __VA_ARGS__ } }
#else
#define NAP_POOL_INIT(...) { .config = { __VA_ARGS__ } }
#endif

/**
 * nap_pool_init() - initialise a pool at run time
 * @pool:   new memory (64-byte aligned), or a pool that has been joined; not a running one
 * @config: copied; NULL for the defaults
 *
 * Starts nothing. Returns 0; -ENOSYS when the program is without that idle protocol (nap/bare.h);
 * or -EINVAL when @pool is NULL or not aligned, max_workers, most_workers, or most_workers and
 * most_blocked together are over NAP_MAX_WORKERS, most_workers is under max_workers, idle is no
 * enum nap_idle, stack_size is not 0 and under 16 KiB, affinity, sched or memory are wrong on
 * every system, classes are not aligned, or have a count or a weight that is too large, or flags
 * has others than nap/config.h names; then @pool is as it was.
 */
int nap_pool_init(struct nap_pool *pool, const struct nap_config *config);

/**
 * nap_pool_prewarm() - start workers before there is work
 * @n: how many there shall be at least; cut to the limit; 0 starts none
 *
 * A schedule is accepted even if no worker can be started at that time (memory, RLIMIT_NPROC, a
 * sandbox): then nap's own waits run the tasks, and the next schedule tries again to start one. A
 * program that waits by other means (for a work's @done on its loop, for a pipe, for a condition of
 * its own) would wait for ever. So such a program calls this with 1 before it relies on the pool,
 * and checks the result. A worker that is there stays, unless idle_timeout_ns lets it retire and
 * min_workers is 0.
 *
 * Any thread. Returns 0; -ESHUTDOWN when the pool was shut down, or in the child of a fork; -EINVAL
 * when @pool is NULL; -ENOSYS with NAP_NO_WORKERS; or the negative errno of the start that failed,
 * as pthread_create(3): workers that were started before it stay.
 */
int nap_pool_prewarm(struct nap_pool *pool, uint32_t n);

/**
 * NAP_FAIR_DEQUEUES - how soon a busy worker serves the other queues
 *
 * Nothing starves. While a worker goes on running tasks, whatever they schedule, every task that is
 * queued begins, on it or elsewhere, and so does every job that others can steal. If @n come out of
 * the same queue before it, and there are @r workers (the most that there ever were, those that
 * have retired included, and guest records for nap_call() that were ever used), then within this
 * many of that worker's dequeues:
 *
 *	scheduled from outside, or	NAP_FAIR_DEQUEUES * (n + 1)
 *	in its own overflow
 *	in any queue of any worker, or	NAP_FAIR_DEQUEUES * (3 * r + 1) * (n + 1)
 *	a nap_call() without a record
 *
 * A task that is moved to another queue counts from there on. The task that was pushed to an
 * overflow last comes out first, until a worker takes all of them at once: those count in @n, too.
 * A thread that the system has stopped while it takes a task, or queues one, holds up the tasks
 * that come next in the queue. 445 is 61 + 3 * 128: the worker serves other queues every 61
 * dequeues, once it has run the tasks that were moved together before.
 *
 * A dequeue may be a fiber that goes on: it gives way after NAP_FIBER_BUDGET calls that need not
 * wait. NAP_FAIR_SELECTS says how soon each case of a select is chosen, NAP_MUTEX_OVERTAKES how
 * soon a waiter gets the mutex.
 */
#define NAP_FAIR_DEQUEUES 445u

/**
 * NAP_DOZE_US - how long a worker may be left asleep beside a task, in microseconds
 *
 * Work conservation: a task never waits while a worker is parked, and an idle pool never wakes by
 * itself. There is one bounded exception under NAP_IDLE_SYNC. A task that a worker schedules into
 * its own empty ring is usually the next that it runs, and to wake another worker for it costs more
 * than the task. So after two wakes in a row that were for nothing one worker at a time does not
 * park, but sleeps for NAP_DOZE_US, wakes by itself, and searches again. If the scheduling worker
 * goes on with a long callback, the task begins at most NAP_DOZE_US later, plus the time that the
 * system takes to run a thread whose sleep is over. Any other work ends the sleep at once. If
 * nothing was scheduled in the sleep, the worker parks.
 *
 * Besides, a worker that has repeatedly found injected tasks in small numbers may pause for a
 * microsecond or two, awake, before it takes the next ones.
 */
#define NAP_DOZE_US 20u

/** DOC: nap_schedule - run tasks on some worker */

/**
 * nap_schedule() - run @task on some worker, soon
 * @task: run is set; the pool's until run begins
 *
 * Any thread, tasks included. From a worker of @pool the task goes to that worker's own ring,
 * otherwise to the pool's injection queue, which is FIFO. Never blocks on other threads, never
 * allocates (a worker that is started lazily is the exception: a thread has a stack). What the
 * caller wrote before is visible to the task.
 *
 * @task is not scheduled already, and its run is not NULL. The tasks of one thread outside come out
 * of the queue in order. But with more than one worker tasks may begin in another order, because a
 * worker takes or steals several at a time. Of ten tasks that were scheduled from outside the last
 * may begin while the second waits behind a long one. Tasks that are to begin in order go into a
 * struct nap_order (nap/order.h), or one after another onto a serial queue (nap/serial.h).
 *
 * Returns 0, or -ESHUTDOWN: then the task was not touched and is still the caller's. During a
 * drain, schedules by the pool's own workers (and by tasks that a helper runs) are still accepted.
 */
int nap_schedule(struct nap_pool *pool, struct nap_task *task);

/**
 * nap_schedule_batch() - schedule all of @batch with one publication and one notification
 * @batch: emptied on success, untouched otherwise
 *
 * As nap_schedule(). Accepted or refused as a whole. An empty batch is accepted.
 */
int nap_schedule_batch(struct nap_pool *pool, struct nap_batch *batch);

/** DOC: nap_pool_quiesce - wait for all of a pool's tasks, or run them */

/**
 * nap_pool_quiesce() - wait until nothing is queued and nothing runs
 *
 * Any thread outside the pool; everything scheduled before the call has been run when it returns 0,
 * and so has everything those tasks scheduled. Runs the tasks itself when the pool has no worker
 * that could. While there is work a start of a worker that failed is tried again, as in every wait
 * for the pool, and at every schedule. (With the only worker inside a long task, and no thread
 * inside nap, no thread can try.)
 *
 * Returns 0; -EDEADLK from a worker of @pool or a task run by one of its helpers, and from a fiber
 * of another pool while such a thread runs it; -ECANCELED when the pool is shut down in STOP mode;
 * -ESHUTDOWN in the child of a fork (also when a task that this call ran has forked); -EINVAL when
 * @pool is NULL.
 */
int nap_pool_quiesce(struct nap_pool *pool);

/**
 * nap_pool_quiesce_for() - nap_pool_quiesce() within @timeout_ns (see nap_group_wait_for), or
 * -ETIMEDOUT
 */
int nap_pool_quiesce_for(struct nap_pool *pool, uint64_t timeout_ns);

/**
 * nap_pool_quiesce_until() - nap_pool_quiesce() until @deadline, or -ETIMEDOUT
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_pool_quiesce_until(struct nap_pool *pool, uint64_t deadline);

/**
 * nap_pool_help() - run tasks of the pool on the calling thread
 * @max: run at most this many; 0 for no bound
 *
 * Any thread; returns when there is nothing to run or @max were run. Inside the call a thread from
 * outside is a worker, like one in nap_call(), and may run the functions of others' calls that wait
 * for a guest record. On a worker of @pool the tasks are nested in the current one, while less than
 * half of the stack is used.
 *
 * Returns how many were run, with the jobs and calls that it has taken (0 is no error), also in the
 * child of a fork that the last of them has made; -ESHUTDOWN after join and in any other child of a
 * fork; -EINVAL when @pool is NULL.
 */
long nap_pool_help(struct nap_pool *pool, unsigned long max);

/** DOC: nap_pool_join - end a pool */

/**
 * enum nap_shutdown - how a pool ends
 * @NAP_DRAIN: everything that is queued is run
 * @NAP_STOP:  what is queued is left
 */
enum nap_shutdown {
	NAP_DRAIN = 1,
	NAP_STOP = 2,
};

/**
 * nap_pool_shutdown() - refuse new work from outside and begin to end
 *
 * Any thread, tasks included; returns at once, except that with a nap_pool_notify_end() it may run
 * what is left. NAP_DRAIN: everything accepted so far is run, and whatever those tasks schedule.
 * NAP_STOP: tasks that have begun are finished, the others are left for nap_pool_join() to return;
 * waiters get -ECANCELED. A drain may be turned into a stop, not the other way round.
 *
 * Returns 0; -EALREADY when the pool was already (being) shut down in this mode or a harder one;
 * -ESHUTDOWN in the child of a fork; -EINVAL for another mode or a NULL @pool.
 */
int nap_pool_shutdown(struct nap_pool *pool, enum nap_shutdown mode);

/**
 * nap_pool_join() - wait until the pool has ended and every worker has left
 * @left: after NAP_STOP, gets the tasks that were not run, in no particular order; they are the
 *        caller's again; otherwise it is emptied. What the batch had before is lost, so
 *        nap_cq_close(), nap_serial_close() and nap_order_close(), which append, come after this
 *        call. nap_work_end_left() ends the works among the tasks, nap_submit_end_left() gives
 *        slots back, nap_serial_of() and nap_order_of() know the own tasks of queues. NULL: the
 *        tasks stay with the pool for a later call.
 *
 * Any thread outside the pool. On a running pool the join begins with NAP_DRAIN. When it returns 0
 * or -EALREADY no thread of the pool is left, all stacks are released, and the pool's memory may be
 * freed or initialised again.
 *
 * Returns 0 to the one caller that ended the pool; -EALREADY to callers that come later or in the
 * meantime (they wait for the end too, and get what was left if nobody has taken it); -EDEADLK
 * as of nap_pool_quiesce(); -ESHUTDOWN in the child of a fork (also when a task that this call ran
 * has forked); -EINVAL when @pool is NULL.
 *
 * A cancellation point while it waits for a thread to end, that is, when everything has been run or
 * the pool was stopped. A request that comes earlier stays pending until then. A joiner that is
 * cancelled leaves the pool to another join, of a thread that waits for the same or comes later.
 */
int nap_pool_join(struct nap_pool *pool, struct nap_batch *left);

/**
 * nap_pool_join_for() - nap_pool_join() within @timeout_ns (see nap_group_wait_for), or -ETIMEDOUT
 *
 * After -ETIMEDOUT @pool is shut down and not joined: it goes on to run what a drain owes, another
 * join is to follow, and its memory stays in use until that has returned 0 or -EALREADY. A task
 * that this thread runs itself, because there is no worker, is run to its end, whatever the time;
 * so is each fiber that a stop has left, until it ends or gives way.
 */
int nap_pool_join_for(struct nap_pool *pool, struct nap_batch *left, uint64_t timeout_ns);

/**
 * nap_pool_join_until() - nap_pool_join() until @deadline, or -ETIMEDOUT
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_pool_join_until(struct nap_pool *pool, struct nap_batch *left, uint64_t deadline);

/** DOC: nap_worker_self - which worker a thread is */

/** struct nap_worker - a worker, as nap_worker_self() and callbacks know it; private in every field */
struct nap_worker;

/**
 * nap_worker_self() - the worker that the calling thread is, also in a nap_call() or
 * nap_pool_help(), or NULL; valid until the worker ends
 */
struct nap_worker *nap_worker_self(void);

/** nap_worker_pool() - the pool of a worker; any thread while the worker exists; of NULL: NULL */
struct nap_pool *nap_worker_pool(const struct nap_worker *worker);

/**
 * nap_worker_index() - the number of a worker in its pool; any thread while the worker exists
 *
 * 0 for the first, dense as long as none retires, under the most that the pool may ever have: the
 * limit, or if that can rise, nap_config.most_workers plus most_blocked. Guests have the numbers
 * from there on, NAP_GUESTS of them. When workers have retired (nap/limit.h) there may be two
 * higher ones. Of an unregistered guest, and of NULL: UINT32_MAX.
 */
uint32_t nap_worker_index(const struct nap_worker *worker);

/**
 * nap_cpu_count() - the workers a pool with max_workers 0 would get if it were first used now; any
 * thread; reads files
 */
uint32_t nap_cpu_count(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_POOL_H */

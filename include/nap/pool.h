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
 * Life: a pool runs, then drains or stops (nap_pool_shutdown), then is joined (nap_pool_join), and
 * may then be initialised again. The pool's memory must stay valid until every call on it has
 * returned. In the child of a fork a pool that the parent used refuses everything;
 * nap_pool_init_child() (nap/child.h) makes it usable again.
 *
 * Callbacks are left by return only: nap/task.h says what happens otherwise. A thread that is
 * cancelled (pthread_cancel(3)) inside one of nap's calls goes on to the call's end, and the
 * request stays pending; the exceptions are nap_pool_join() and nap_work_finish(), which joins.
 * None of the calls may be left by asynchronous cancellation (PTHREAD_CANCEL_ASYNCHRONOUS), or from
 * the handler of a signal that interrupts the call. The handler of a signal, which may interrupt
 * nap anywhere, may call nap_cq_push(), nap_worker_self(), nap_signals_unblock(), nap_pool_dump(),
 * nap_pools_dump() and nap_version(), and nothing else of nap's.
 *
 * A NULL pool is -EINVAL wherever an error can be returned, except in the calls that must cost
 * nothing: nap_schedule() and nap_schedule_batch() with a NULL pool, task or batch are undefined
 * behaviour. So is any use of a pool that is not aligned to 64 bytes. A debug build (make DEBUG=1)
 * reports both and aborts.
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
 * The arguments are designated initialisers, as in C99 and C++20 (in C++14 a GNU extension);
 * NAP_POOL_INIT(0) sets no field.
 */
#ifdef __cplusplus
#define NAP_POOL_INIT(...) { { __VA_ARGS__ } }
#else
#define NAP_POOL_INIT(...) { .config = { __VA_ARGS__ } }
#endif

/**
 * nap_pool_init() - initialise a pool at run time
 * @pool:   new memory (64-byte aligned), or a pool that has been joined; not a running one. In the
 *          child of a fork also a pool that the parent used: nap/child.h
 * @config: copied; NULL for the defaults
 *
 * Starts nothing. After an error @pool is as it was. Returns 0; -ENOSYS when the chosen idle
 * protocol is not linked (nap/bare.h), or the library was built without measuring and measure is
 * not 0; or -EINVAL when one of these is true: @pool is NULL or not aligned; max_workers,
 * most_workers, or the sum of most_workers and most_blocked is over NAP_MAX_WORKERS; most_workers
 * is under max_workers; idle is no enum nap_idle; stack_size is under 16 KiB, and not 0; affinity,
 * sched or memory is wrong on every system; classes is not aligned, or has a count or a weight that
 * is too large; measure is over NAP_MEASURE_MAX; flags has an unknown bit; something reserved is
 * not 0.
 */
int nap_pool_init(struct nap_pool *pool, const struct nap_config *config);

/**
 * nap_pool_prewarm() - start workers before there is work
 * @n: the least number of workers that are wanted; cut to the limit; 0 starts none
 *
 * A schedule is accepted even if no worker can be started at that time (for lack of memory,
 * RLIMIT_NPROC, a sandbox): then nap's own waits run the tasks, and the next schedule tries again
 * to start a worker. A program that waits by other means (for a work's @done on its loop, for a
 * pipe, for a condition of its own) would wait for ever. Such a program first calls
 * nap_pool_prewarm() with 1, and checks the result. A worker that has started stays, unless
 * idle_timeout_ns lets it retire and min_workers is 0.
 *
 * Any thread. Returns 0; -ESHUTDOWN when the pool was shut down, or in the child of a fork; -EINVAL
 * when @pool is NULL; -ENOSYS with NAP_NO_WORKERS, unless @n is 0; or the negative errno of the
 * start that failed, as pthread_create(3): workers that were started before it stay.
 */
int nap_pool_prewarm(struct nap_pool *pool, uint32_t n);

/**
 * NAP_FAIR_DEQUEUES - how soon a busy worker serves the other queues
 *
 * Nothing starves. While a worker goes on running tasks, whatever they schedule, every queued task
 * begins, on this worker or another, and so does every job that can be stolen. Suppose that @n
 * tasks come out of the same queue before the task, and that there are @r workers (count retired
 * workers, and guest records that nap_call() ever used, too). Then the task begins within this many
 * dequeues of the worker:
 *
 *	scheduled from outside, or	NAP_FAIR_DEQUEUES * (n + 1)
 *	in the worker's overflow
 *	in any queue of any worker, or	NAP_FAIR_DEQUEUES * (3 * r + 1) * (n + 1)
 *	a nap_call() without a record
 *
 * An overflow is the queue for tasks that do not fit into a worker's own ring; a nap_call() is
 * without a record while NAP_GUESTS threads are inside. When a task is moved to another queue, its
 * bound begins anew. Tasks enter an overflow in lists. When a worker takes all lists at once, the
 * list that entered last comes out first, and of each list the oldest task. Lists that enter later
 * come out after these. Tasks that are queued later and come out earlier count in @n, too. A thread
 * that the system has stopped while it takes or queues a task holds up the next tasks of that
 * queue. 445 is 61 + 3 * 128: the worker serves other queues every 61 dequeues, but first runs
 * tasks that were moved together.
 *
 * Dequeues of what is due (nap/timer.h: tasks of timers, fibers whose sleep is over or whose file
 * is ready) are not among those that are counted here. Up to 32 of them come before a counted
 * dequeue, so in a pool that has always something due every bound is 33 times as large. If tasks
 * are short (NAP_DUE_DEQUEUES), most counted dequeues have none before them.
 *
 * A dequeue may continue a fiber, which gives way after NAP_FIBER_BUDGET calls that did not have to
 * wait. NAP_FAIR_SELECTS says how soon each case of a select is chosen, NAP_MUTEX_OVERTAKES how
 * soon a waiter gets a mutex.
 */
#define NAP_FAIR_DEQUEUES 445u

/**
 * NAP_DOZE_US - how long a worker may be left asleep beside a task, in microseconds
 *
 * Work conservation: a task never waits while a worker sleeps without a timeout (is parked), and an
 * idle pool never wakes by itself. There is one bounded exception under NAP_IDLE_SYNC. A task that
 * a worker schedules into its own empty ring is usually the next that this worker runs, and to wake
 * another worker for it costs more than the task. So after two wakes in a row in which the woken
 * worker found nothing, one worker at a time does not park: it sleeps for NAP_DOZE_US, wakes by
 * itself, and searches again. If the scheduling worker goes on with a long callback, the task
 * begins at most NAP_DOZE_US later, plus the time that the system takes to run a thread whose sleep
 * is over. Any other work ends the sleep at once. If nothing was scheduled in the sleep, the worker
 * parks.
 *
 * A second, shorter delay: a worker that has repeatedly found only few injected tasks may wait,
 * without sleeping, for a microsecond or two before it takes the next ones.
 */
#define NAP_DOZE_US 20u

/** DOC: nap_schedule - run tasks on some worker */

/**
 * nap_schedule() - run @task on some worker, soon
 * @task: its run is set; the pool owns the task until run begins
 *
 * Any thread, tasks included. From a worker of @pool the task goes to that worker's own ring,
 * otherwise to the pool's injection queue, which is FIFO. The call never blocks on other threads,
 * and never allocates (except a stack, when it starts a worker). What the caller wrote before is
 * visible to the task.
 *
 * @task is not scheduled already, and its run is not NULL. Tasks that one thread outside schedules
 * leave the injection queue in order. But with more than one worker they may begin in another
 * order, because a worker takes or steals several at a time. So of ten tasks the last may begin
 * while the second waits behind a long one. Tasks that are to begin in order go into a struct
 * nap_order (nap/order.h), or one after another onto a serial queue (nap/serial.h).
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
 * nap_pool_quiesce() - wait until no task is queued and none runs
 *
 * Any thread outside the pool. When the call returns 0, every task that was scheduled before the
 * call has been run, and so has every task that these tasks scheduled. The caller runs tasks itself
 * when no worker of the pool can. If the start of a worker has failed, it is tried again while
 * there is work, as in every wait for the pool, and at every schedule. (While the only worker is
 * inside a long task, and no other thread calls nap, no thread can start another worker.)
 *
 * Returns 0; -EDEADLK from a worker of @pool, from a task that a thread in nap_pool_help(@pool)
 * runs, and from a fiber of another pool while such a worker or thread runs it; -ECANCELED when the
 * pool is shut down in STOP mode; -ESHUTDOWN in the child of a fork (also when a task that this
 * call ran has forked); -EINVAL when @pool is NULL.
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
 * outside is a worker, like one in nap_call(), and may run functions of other threads that wait in
 * nap_call() because NAP_GUESTS threads are inside. On a worker of @pool the tasks are nested in
 * the current one, while less than half of the stack is used.
 *
 * Returns how many tasks, jobs and calls were run (0 is no error), also in the child of a fork if
 * the last of them has forked; -ESHUTDOWN after a join and in any other child of a fork; -EINVAL
 * when @pool is NULL.
 */
long nap_pool_help(struct nap_pool *pool, unsigned long max);

/** DOC: nap_pool_join - end a pool */

/**
 * enum nap_shutdown - how a pool ends
 * @NAP_DRAIN: queued tasks are run; timers no longer fire
 * @NAP_STOP:  queued tasks are left, and given to nap_pool_join()
 */
enum nap_shutdown {
	NAP_DRAIN = 1,
	NAP_STOP = 2,
};

/**
 * nap_pool_shutdown() - refuse new work from outside and begin to end
 *
 * Any thread, tasks included; returns at once, except that after a nap_pool_notify_end() it may run
 * the remaining tasks. NAP_DRAIN: every accepted task is run, and so is every task that these tasks
 * schedule; timers that are armed no longer fire. NAP_STOP: tasks that have begun are finished, the
 * others are left for nap_pool_join() to return, and waits return -ECANCELED. A drain may be turned
 * into a stop, but a stop not into a drain.
 *
 * Returns 0; -EALREADY when the pool was already shut down, in this mode or by NAP_STOP; -ESHUTDOWN
 * in the child of a fork; -EINVAL for an unknown mode or a NULL @pool.
 */
int nap_pool_shutdown(struct nap_pool *pool, enum nap_shutdown mode);

/**
 * nap_pool_join() - wait until the pool has ended and every worker has left
 * @left: set to the tasks that were not run, in no particular order; they are the caller's again.
 *        After NAP_STOP these are all tasks that had not begun; after NAP_DRAIN only those of armed
 *        timers (nap/timer.h), and starts of fibers for which no stack came free (nap/fiber.h).
 *        With an error other than -EALREADY, empty. What the batch had before is lost: so call
 *        those functions that append to a batch, nap_cq_close(), nap_serial_close() and
 *        nap_order_close(), after this call. nap_work_end_left() ends the works among the tasks,
 *        nap_submit_end_left() gives slots back, nap_serial_of() and nap_order_of() recognise the
 *        queues' own tasks. NULL: the tasks stay with the pool for a later call.
 *
 * Any thread outside the pool. On a running pool the join begins with NAP_DRAIN. When the call
 * returns 0 or -EALREADY, no thread of the pool is left, all stacks are released, and the pool's
 * memory may be freed or initialised again.
 *
 * Returns 0 to the one caller that ended the pool; -EALREADY to later and simultaneous callers
 * (which wait for the end, too, and get the tasks that were left if no caller has taken them);
 * -EDEADLK as nap_pool_quiesce(); -ESHUTDOWN in the child of a fork (also when a task that this
 * call ran has forked); -EINVAL when @pool is NULL.
 *
 * The call is a cancellation point (pthreads(7)) only while it waits for a thread to end. By then
 * every task has been run, or the pool was stopped. A request that comes earlier stays pending. A
 * joiner that is cancelled leaves the pool to another join, by a thread that waits already or comes
 * later.
 */
int nap_pool_join(struct nap_pool *pool, struct nap_batch *left);

/**
 * nap_pool_join_for() - nap_pool_join() within @timeout_ns (see nap_group_wait_for), or -ETIMEDOUT
 *
 * After -ETIMEDOUT @pool is shut down and not joined: the pool goes on with its drain, and its
 * memory stays in use until another join has returned 0 or -EALREADY. If the caller runs a task
 * itself, because there is no worker, it runs the task to its end, even past the timeout. If a stop
 * has left a fiber, the caller runs the fiber until it ends or gives way.
 */
int nap_pool_join_for(struct nap_pool *pool, struct nap_batch *left, uint64_t timeout_ns);

/**
 * nap_pool_join_until() - nap_pool_join() until @deadline, or -ETIMEDOUT
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_pool_join_until(struct nap_pool *pool, struct nap_batch *left, uint64_t deadline);

/** DOC: nap_worker_self - which worker a thread is */

/**
 * struct nap_worker - a worker, as nap_worker_self() and callbacks know it; private in every field
 */
struct nap_worker;

/**
 * nap_worker_self() - the calling thread's worker, also in a nap_call() or nap_pool_help(); or
 * NULL. The pointer is valid until the worker ends
 */
struct nap_worker *nap_worker_self(void);

/** nap_worker_pool() - the pool of @worker, or NULL for NULL; any thread while the worker exists */
struct nap_pool *nap_worker_pool(const struct nap_worker *worker);

/**
 * nap_worker_index() - the number of a worker in its pool; any thread while the worker exists
 *
 * The first worker has 0. As long as no worker retires the numbers have no gaps. The numbers are
 * below the most workers that the pool may ever have: the limit, or if the limit can rise,
 * nap_config.most_workers plus most_blocked. The next NAP_GUESTS numbers are those of guests, the
 * threads in nap_call() and nap_pool_help(). When workers have retired (nap/limit.h) there may be
 * two higher numbers. Returns UINT32_MAX for NULL, and for a guest without a number: a thread that
 * runs tasks while NAP_GUESTS others are inside, or a guest of a pool without memory for records.
 */
uint32_t nap_worker_index(const struct nap_worker *worker);

/**
 * nap_cpu_count() - the limit that a pool with max_workers 0 would get if it were first used now;
 * any thread; reads files
 */
uint32_t nap_cpu_count(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_POOL_H */

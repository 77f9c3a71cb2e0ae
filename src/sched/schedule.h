/* SPDX-License-Identifier: MIT */
/*
 * The room sched/ (this header is its door).
 *
 * The path of a task: publish it (schedule.c), find it (search.c, steal.c, fair.c; other kinds of
 * work: src/worker/source.h), run it (run.c). And a worker between tasks: its loop (loop.c),
 * parking (park.c), retiring (standby.c). A guest (guest.h) is a thread from outside that finds and
 * runs tasks for a while. Scheduling off the fast path is in schedule_as.c, publishing from outside
 * in inject.h, lending permits during a sleep in lend.h.
 *
 * Where a task begins: nap__run(), nap__run_plain() and run_bulk() in run.c; inside a task that has
 * a queue, run_next() in src/kit/serial.c, where goes_on() ends the quantum, and order_run() in
 * src/kit/order.c. Where a task is put at the end of the injection queue: nap__schedule_behind() in
 * schedule_as.c. What a full ring gives away: push_own() there.
 *
 * Where a busy worker notices a lower limit: run_due() in run.c. Where a worker that is surplus, or
 * has slept for long, retires: sleep_or_retire() in loop.c; where it is called back: recall() in
 * thread/spawn.c; where it leaves, one worker at a time: begin_to_leave() and nap__standby_leave()
 * in standby.c. Where worker_start and worker_stop are called: loop.c. Where a worker parks, under
 * every protocol: nap__park() in park.c. Where another thread wakes it for work: wake_for_work() in
 * idle/set.h.
 *
 * How many tasks a worker moves at once into its ring from the injection queue or an overflow:
 * BULK_MAX and DEFINE_REFILL in steal.h. Where a task leaves another worker's ring: nap__steal() in
 * steal.c; at a tick also take_from_next() in fair.c. Where an overflow is taken back: search.c; at
 * a tick fair.c; by other workers steal.c; after a stop life/pool_end.c.
 *
 * Typically a worker takes the next task from its own ring in nap__run_plain(), without a search,
 * and runs it.
 *
 * From outside: nap__schedule_plainly() and the rest of schedule.h; nap__dequeue(), nap__run(),
 * nap__park() for a wait that runs tasks; guest.h. A dequeued task is given to nap__run() before
 * anything else is dequeued.
 *
 * Open: fair.h guest.h lend.h steal.h
 */
/* Scheduling by threads that are inside a pool already: src/sched/schedule_as.c. */
#ifndef NAP_SCHEDULE_H
#define NAP_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "idle/wave.h"
#include "worker/worker.h"

/*
 * Schedules a list. @worker: the caller's worker or guest in @pool, or NULL. @inside: @worker is
 * not NULL, or the caller has entered the intake. Then only a stop refuses the list, with
 * -ESHUTDOWN.
 */
int nap__schedule_as(struct nap_pool *pool, struct nap_worker *worker, bool inside,
		     struct nap_task *head, struct nap_task *tail, size_t count);

/*
 * Schedules one task in the injection queue, even if the caller has a @worker. So the task begins
 * after those in the worker's ring, and after all tasks that were injected earlier.
 */
int nap__schedule_behind(struct nap_pool *pool, struct nap_worker *worker, struct nap_task *task);

/* Schedules in the ring of the calling worker, on the fast path. False: nothing was scheduled. */
bool nap__schedule_plainly(struct nap_pool *pool, struct nap_task *task);

/*
 * Called by a thread inside: queues a @task that a stop has refused. The join returns it with the
 * other tasks that remain.
 */
void nap__schedule_left(struct nap_pool *pool, struct nap_task *task);

/*
 * Worker: notifies other workers of @count tasks in its ring. @was_empty: the ring was empty
 * before.
 */
void nap__notify_own(struct nap_pool *pool, size_t count, bool was_empty);

/* Worker: returns the next task in the order of src/sched/search.c, or NULL. */
struct nap_task *nap__dequeue(struct nap_worker *worker);

/* As search_on(), in a library with waves. */
struct nap_task *nap__search_on(struct nap_worker *worker);

/*
 * Worker that has found nothing: searches on for a while, before it falls idle. Returns a task, or
 * NULL. Only joiners and thieves search on (a thief is a worker that had stolen what it ran last),
 * because their victims will probably fork or schedule more. To fall idle and to be woken takes
 * longer than these searches, and many workers that fall idle at once delay each other. The pool
 * has to be wide (src/idle/wave.h), and its workers have to spin.
 */
static inline struct nap_task *search_on(struct nap_worker *worker)
{
	return HAS_WAVES ? nap__search_on(worker) : NULL;
}

/* As nap__dequeue(), but without messages, stops and tasks of classes. */
struct nap_task *nap__search(struct nap_worker *worker);

/* Worker: runs a task that it dequeued. */
void nap__run(struct nap_worker *worker, struct nap_task *task);

/* Worker outside of all tasks: runs tasks of its ring until there is something else to do. */
void nap__run_plain(struct nap_worker *worker);

/*
 * Worker: sleeps until there may be work (NAP_SEARCH), until the pool ends (NAP_EXIT), or until
 * another reason or the @deadline has come (NAP_WAIT_OVER). Adds reasons other than EVENT_WORK to
 * *@reasons.
 */
enum nap__verdict nap__park(struct nap_worker *worker, uint64_t deadline, uint32_t *reasons);

#endif /* NAP_SCHEDULE_H */

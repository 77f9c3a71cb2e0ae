/* SPDX-License-Identifier: MIT */
/*
 * The timers of a pool: two heaps under a lock; and the poller, which is the worker that sleeps
 * until the earliest timer is due, or a file is ready (src/async/io/io.h).
 *
 * A worker that is about to park becomes the poller if there is none, and then sleeps at most
 * until the earliest time. The worker stops being the poller when it stops searching. Polling
 * counts as work: while a timer is armed or a file is waited for, and there is no poller,
 * nap__work_queued() returns true, and the next worker that parks becomes the poller. So the idle
 * protocols know nothing of timers, and their promises for tasks hold for timers, too: a worker
 * that stops searching, and finds that there is no poller, wakes another worker. Guests poll, too:
 * otherwise a guest would consume a notification, and no other thread would be notified.
 *
 *	arms the earliest timer           worker
 *	-----------------------           ------
 *	put the timer into the heap       become the poller
 *	fence                             fence
 *	is there a poller? notify it      read the earliest time; sleep until then
 *	else notify, as of a task
 */
#ifndef NAP_TIMERS_H
#define NAP_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/timer.h>

#include <nap/sync.h>

#include "arch/atomic.h"
#include "async/timer/heap.h"
#include "os/os.h"
#include "worker/trace.h"

struct nap_worker;
struct nap__timer_run;

/*
 * Timers of sleeps and timers of tasks are in two heaps: in a drain fibers may still sleep, but
 * timers of tasks no longer fire, and the joiner hands these tasks back to the program. Access
 * letters: A: atomic, K: under the lock.
 */
struct nap__timers {
	uint32_t lock;
	uint32_t poller;		/* A: the poller's index + 1, or POLLER_... */
	uint64_t first;			/* A, written under K: the earliest time, ns; 0: none */
	uint32_t files;			/* A: the number of fibers that wait for files */
	struct nap_batch ready;		/* K: fibers whose files are ready */
	bool files_had_turn;		/* K: the last due task was of @ready; next is a timer's */
	bool closed;			/* K: a shutdown has begun: timers of tasks do not fire */
	uint64_t seen;			/* K: the latest time at which a worker fired, ns */
	uint64_t order;			/* K: the next node's: timers_note_armed() */
	struct nap__timer_heap sleeps, tasks;	/* K: armed timers of sleeps, and of tasks */
	struct nap__timer_run *running;	/* K: runs of timers' tasks: src/async/timer/timer.h */
	struct nap__waiters ends;	/* K: waiters for the end of a timer's task */
};

/*
 * Busy workers poll for files in passing, without sleeping. Each subtracts one from @poller while
 * it polls. Several may poll at once: otherwise a preempted one would hold up the others.
 */
#define POLLER_NONE		0u
#define POLLER_IN_PASSING	UINT32_MAX	/* one worker polls in passing */

static inline bool poller_is_passing(uint32_t poller)
{
	return (int32_t)poller < 0;
}

/* Called by any thread: whether there is anything to poll for. */
static inline bool timers_wanted(struct nap__timers *timers)
{
	return nap_load_relaxed(&timers->first) || nap_load_relaxed(&timers->files);
}

/* Called by any thread: whether there is anything to poll for, and no poller. */
static inline bool timers_unattended(struct nap__timers *timers)
{
	return timers_wanted(timers) && nap_load_relaxed(&timers->poller) == POLLER_NONE;
}

/* Called by any thread: whether a busy worker may poll for files in passing. */
static inline bool timers_files_unattended(struct nap__timers *timers)
{
	return nap_load_relaxed(&timers->files) && (int32_t)nap_load_relaxed(&timers->poller) <= 0;
}

/* Begins polling, if there is no poller; @who: the worker's index + 1. */
static inline bool timers_begin_polling(struct nap__timers *timers, uint32_t who)
{
	/*
	 * Acquire: sees what the last poller has read from the epoll; pairs with
	 * timers_end_polling(). [Z1]
	 */
	return nap_load_relaxed(&timers->poller) == POLLER_NONE &&
	       nap_cmpxchg_acquire(&timers->poller, POLLER_NONE, who) == POLLER_NONE;
}

static inline void timers_end_polling(struct nap__timers *timers)
{
	/* pairs with the acquire in timers_begin_polling() [Z1] */
	nap_store_release(&timers->poller, POLLER_NONE);
}

/*
 * Begins a poll in passing. False: there is a poller. This function and timers_end_passing() are
 * relaxed: the release of one poller reaches the next through these read-modify-writes [Z1], and
 * polling in passing touches nothing that this release orders.
 */
static inline bool timers_begin_passing(struct nap__timers *timers)
{
	uint32_t poller = nap_load_relaxed(&timers->poller);

	while ((int32_t)poller <= 0)
		if (nap_try_cmpxchg_relaxed(&timers->poller, &poller, poller - 1))
			return true;
	return false;
}

/* Ends a poll in passing. True: the caller was the last worker that did so. */
static inline bool timers_end_passing(struct nap__timers *timers)
{
	return nap_fetch_add_relaxed(&timers->poller, 1) == POLLER_IN_PASSING;
}

/*
 * Called under the lock, before a program's call arms a node. The order of a node counts the nodes
 * that were armed before. In a watched pool the order is at least the time, in ns. So if a node was
 * armed when its own time had passed, nap__timers_fire() knows since when the node waits. The count
 * stays behind the clock, because arming takes longer than a nanosecond.
 */
static inline void timers_note_armed(struct nap_pool *pool, struct nap__timers *timers)
{
	uint64_t now = is_watched(pool) ? nap__os_now() : 0;

	/* Not noticed in tests when <= for <: an equal time is stored again. */
	if (timers->order < now)
		timers->order = now;
}

/*
 * Called under the lock: arms @node, whose time and owner are set. An early time is raised
 * (src/async/timer/timers.c). True: @node is the earliest.
 */
bool nap__timers_put(struct nap__timers *timers, struct nap__timer_node *node);

/*
 * Makes sure that there is a poller, and that it is notified. Called without the lock, by a thread
 * inside the pool that has armed the earliest timer, or made the pool's epoll.
 */
void nap__timers_attend(struct nap_pool *pool, struct nap__timers *timers);

/* Called under the lock: removes @node, which is armed. */
void nap__timers_take(struct nap__timers *timers, struct nap__timer_node *node);

/* Called by a worker in its dequeues: src/worker/async.h, src/async/timer/due.c. */
struct nap_task *nap__timers_take_due(struct nap_worker *worker, bool *more);
struct nap_task *nap__timers_take_turn(struct nap_worker *worker, bool *more);
struct nap_task *nap__timers_find(struct nap_worker *worker, bool *more);

/*
 * Removes and returns the first task, of a timer or a fiber, that is ready or due @now, for the
 * calling worker to run next; or returns NULL. *@more is set if more such tasks remain, for other
 * workers.
 */
struct nap_task *nap__timers_fire(struct nap_worker *worker, struct nap__timers *timers,
				  uint64_t now, bool *more);

/*
 * Has workers run @tasks, in order, and by turns with what is due. Called by any thread inside the
 * pool, without the lock.
 */
void nap__timers_ready(struct nap_pool *pool, struct nap__timers *timers, uint64_t now,
		       struct nap_batch *tasks);

/*
 * Called by a worker that is about to park: if there is no poller, this worker becomes the poller.
 * Returns until when the worker may sleep, @deadline or earlier.
 */
uint64_t nap__timers_begin_polling(struct nap_worker *worker, struct nap__timers *timers,
				   uint64_t deadline);

/* Ends the polling of @worker. */
void nap__timers_end_polling(struct nap_worker *worker, struct nap__timers *timers);

/* Appends the ready tasks to @left. Called by the joiner, when no other thread is inside. */
void nap__timers_end_ready(struct nap__timers *timers, struct nap_batch *left);

/*
 * Appends the tasks of all armed timers to @left. Called by the joiner, when no other thread is
 * inside.
 */
void nap__timers_end(struct nap__timers *timers, struct nap_batch *left);

#endif /* NAP_TIMERS_H */

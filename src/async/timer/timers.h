/* SPDX-License-Identifier: MIT */
/*
 * The timers of a pool: two heaps under a lock, and the seat of a worker that sleeps until the
 * earliest, or until a file is ready (src/async/io/io.h).
 *
 * A worker that is about to park takes the seat if it is free, and then sleeps no longer than until
 * the earliest time. It leaves the seat when it stops searching. That somebody sits there is work as any
 * other: an empty seat while a timer is armed, or a file is waited for, counts as something queued
 * (nap__work_queued()), which the next worker that parks takes. So the idle protocols know nothing
 * of timers, and what they promise of tasks holds: a worker that stops searching and finds the seat
 * empty wakes another. A guest sits, too: one that did not would take a notification, and nobody
 * else would be told.
 *
 *	arms the earliest                 worker
 *	-----------------                 ------
 *	put it into the heap              take the seat
 *	fence                             fence
 *	does somebody sit?                the earliest time? sleep until then
 *	  tell it to look again
 *	  nobody: notify, as of a task
 */
#ifndef NAP_TIMERS_H
#define NAP_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/timer.h>

#include <nap/sync.h>

#include "arch/atomic.h"
#include "async/timer/heap.h"

struct nap_worker;
struct nap__timer_run;

/*
 * Those that sleep and those that are tasks are apart: in a drain fibers go on to sleep, but tasks
 * are no longer fired, and the joiner hands them back. A atomic, K under the lock.
 */
struct nap__timers {
	uint32_t lock;
	uint32_t poller;			/* A: whose it is, index + 1; or as below */
	uint64_t first;			/* A, written under the lock: ns; 0: none is to be fired */
	uint32_t files;			/* A: how many wait for files */
	struct nap_batch ready;		/* K: fibers whose files are: they go on first */
	bool closed;			/* K: a shutdown has begun, no task is fired */
	uint64_t order;			/* K: how many were armed */
	struct nap__timer_heap sleeps, tasks;	/* K */
	struct nap__timer_run *running;	/* K: those whose tasks run: src/async/timer/timer.h */
	struct nap__waiters ends;	/* K: waiters for the end of a timer's task */
};

/*
 * Workers that look in passing, whether files are ready, do not sleep and share the seat: it is less
 * by one for each. The kernel may stop a worker in the middle of its look; the others look, too.
 */
#define POLLER_NONE	0u
#define POLLER_IN_PASSING	UINT32_MAX	/* one looks in passing */

static inline bool poller_is_passing(uint32_t poller)
{
	return (int32_t)poller < 0;
}

/* Any thread: whether there is anything to sit for. */
static inline bool timers_wanted(struct nap__timers *timers)
{
	return nap_load_relaxed(&timers->first) || nap_load_relaxed(&timers->files);
}

/* Any thread: whether somebody should sit there. */
static inline bool timers_unattended(struct nap__timers *timers)
{
	return timers_wanted(timers) && nap_load_relaxed(&timers->poller) == POLLER_NONE;
}

/* Any thread: whether a busy worker may look if files are ready. */
static inline bool timers_files_unattended(struct nap__timers *timers)
{
	return nap_load_relaxed(&timers->files) && (int32_t)nap_load_relaxed(&timers->poller) <= 0;
}

/* A thread that finds the seat free takes it, as worker @index + 1. */
static inline bool timers_begin_polling(struct nap__timers *timers, uint32_t who)
{
	/* Acquire: what is found in the kernel's epoll, by one at a time; pairs with leaving it. [Z1] */
	return nap_load_relaxed(&timers->poller) == POLLER_NONE &&
	       nap_cmpxchg_acquire(&timers->poller, POLLER_NONE, who) == POLLER_NONE;
}

static inline void timers_end_polling(struct nap__timers *timers)
{
	nap_store_release(&timers->poller, POLLER_NONE);	/* pairs with timers_begin_polling() [Z1] */
}

/*
 * The worker that looks in passing, before and after. Both are relaxed: what one who sits leaves to
 * the next [Z1] goes through these, and the look touches nothing of it. False: somebody sits.
 */
static inline bool timers_begin_passing(struct nap__timers *timers)
{
	uint32_t poller = nap_load_relaxed(&timers->poller);

	while ((int32_t)poller <= 0)
		if (nap_try_cmpxchg_relaxed(&timers->poller, &poller, poller - 1))
			return true;
	return false;
}

/* True: it was the last of them. */
static inline bool timers_end_passing(struct nap__timers *timers)
{
	return nap_fetch_add_relaxed(&timers->poller, 1) == POLLER_IN_PASSING;
}

/* Under the lock: arm @node, whose time and owner are set. True: it is the first to be fired. */
bool nap__timers_put(struct nap__timers *timers, struct nap__timer_node *node);

/*
 * Any thread inside that has armed the earliest, or made the pool's epoll, without the lock: see to
 * it that somebody sits who knows.
 */
void nap__timers_attend(struct nap_pool *pool, struct nap__timers *timers);

/* Under the lock: take @node out, which is armed. */
void nap__timers_take(struct nap__timers *timers, struct nap__timer_node *node);

/* Worker, in its dequeues: src/worker/async.h, src/async/timer/due.c. */
struct nap_task *nap__timers_take_due(struct nap_worker *worker, bool *more);
struct nap_task *nap__timers_take_turn(struct nap_worker *worker, bool *more);
struct nap_task *nap__timers_find(struct nap_worker *worker, bool *more);

/*
 * Worker: the first of what is ready, or due @now: a timer's task, or a fiber's, which the caller
 * runs next; or NULL. The rest stays where it is, for others. *@more is set if there is a rest.
 */
struct nap_task *nap__timers_fire(struct nap_worker *worker, struct nap__timers *timers,
				  uint64_t now, bool *more);

/* Any thread inside, without the lock: @tasks run before whatever else is due, in order. */
void nap__timers_ready(struct nap_pool *pool, struct nap__timers *timers, struct nap_batch *tasks);

/* Worker about to park: sit down if nobody does; until when it may sleep, @deadline or earlier. */
uint64_t nap__timers_begin_polling(struct nap_worker *worker, struct nap__timers *timers,
				   uint64_t deadline);

/* Worker that sits: leave the seat. */
void nap__timers_end_polling(struct nap_worker *worker, struct nap__timers *timers);

/* The joiner, with nobody else inside: appends what is ready to @left. */
void nap__timers_end_ready(struct nap__timers *timers, struct nap_batch *left);

/* The joiner, with nobody else inside: the tasks of all that are armed, appended to @left. */
void nap__timers_end(struct nap__timers *timers, struct nap_batch *left);

#endif /* NAP_TIMERS_H */

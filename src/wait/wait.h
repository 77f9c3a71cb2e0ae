/* SPDX-License-Identifier: MIT */
/*
 * The room wait/ (this header is its door).
 *
 * Waiting for something of a pool's, and running the pool's tasks during the wait. There is one
 * loop, nap__wait(). Its callers say what ends the wait: groups and a quiet pool in this room,
 * jobs, messages and calls in fork/, slots in kit/. The room also has the rule by which waits that
 * would never end are given up (deadlock.h), and the running of tasks by threads that are no
 * workers (help.h).
 *
 * Typically what is waited for is not there yet. A worker runs other tasks until it is, and sleeps
 * as an idle worker when there is none. A thread from outside lists itself, fences, looks once
 * more, and sleeps on its event.
 *
 * From outside: the public calls (nap/group.h, nap/pool.h), nap__wait(), nap__quiesce(), help.h,
 * the conditions in deadlock.h, and for fibers group.h. What is listed lies on the stack of the
 * waiter, and is out of its list before nap__wait() returns.
 *
 * Open: deadlock.h group.h help.h
 */
#ifndef NAP_WAIT_H
#define NAP_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/waitlist.h"
#include "worker/self.h"
#include "worker/worker.h"

struct nap__wait;

/* What a worker may run until its wait is over. */
enum nap__wait_runs {
	WAIT_RUNS_NOTHING,	/* it only sleeps, and answers messages */
	WAIT_RUNS_THIEFS,	/* only jobs of the thief of the job that it waits for: take() */
	WAIT_RUNS_ANYTHING,	/* and it sleeps as an idle worker */
};

/* What is waited for. A function that is NULL has nothing to do. */
struct nap__wait_ops {
	/* 1: wait on. Anything else is the result of the wait: 0 or an error. */
	int (*is_over)(struct nap__wait *wait);

	/* Instead of nap__dequeue(): the next task that the worker runs, or NULL. */
	struct nap_task *(*take)(struct nap__wait *wait);

	/* Before a sleep: have EVENT_LATCH set when it may be over. False: look again at once. */
	bool (*enlist)(struct nap__wait *wait);

	/* The opposite, where wait->list is NULL: consumes an EVENT_LATCH that is on its way. */
	void (*delist)(struct nap__wait *wait);

	/* The thread is about to run something, or has got its EVENT_LATCH. */
	void (*goes_on)(struct nap__wait *wait);

	/* The thread has nothing to run, and is about to sleep: true, if the wait is -EDEADLK. */
	bool (*gives_up)(struct nap__wait *wait);
};

/* What else a thread does in its wait that may be a worker: src/wait/wait_worker.c. */
struct nap__wait_as {
	void (*begin)(struct nap__wait *wait);
	bool (*run)(struct nap__wait *wait);		/* one task or message */
	bool (*may_help)(struct nap__wait *wait);	/* asked when it is about to do so */
	void (*end)(struct nap__wait *wait);
};

#pragma GCC visibility push(hidden)
extern const struct nap__wait_as nap__wait_as_worker;
#pragma GCC visibility pop

/* One wait, on the stack of the thread that waits. */
struct nap__wait {
	/* The caller sets what differs from 0. */
	const struct nap__wait_ops *ops;
	const struct nap__wait_as *as;	/* NULL: the thread waits as nobody's worker */
	struct nap_worker *worker;	/* that the thread is in its wait, or NULL */
	struct nap_pool *pool;		/* to be helped or visited, or NULL */
	uint64_t deadline;
	uint64_t first_pause;		/* before it looks again, ns; 0: PAUSE_FIRST_NS */
	uint32_t *event;		/* the thread's; NULL: the worker's, or an own one */
	uintptr_t *list;		/* of those that wait for the same, */
	struct nap__waiter *node;	/* and this one */
	enum nap__wait_runs runs;
	bool helps;		/* it runs tasks of @pool that no worker is able to run */
	bool visits;		/* it waits inside the visits of @pool, listed in pool->waiters */
	bool watches;		/* it is to be woken when @pool falls quiet */
	bool pauses;		/* it looks again from pause to pause, because nobody notifies it */
	bool stuck;		/* only the pool can end it: src/wait/deadlock.h */

	/* The wait's own. */
	struct nap__outer before;	/* what the thread was */
	struct nap__waiter visitor;
	uint64_t pause;
	uint64_t alone_until;	/* then it gives up; 0: others are there */
	uint32_t own_event;
	bool listed;		/* @node is in @list */
	bool inside;		/* the thread is inside the visits */
	bool visitor_listed;	/* @visitor is in pool->waiters */
	bool unserved;		/* @pool needs help, and this thread cannot help */
	bool looks;		/* @pool needs help, as it was seen from inside */
	bool parks;		/* it sleeps as an idle worker, woken also when its pool is stopped */
};

/* Until @wait is over: 0 or an error, of those also -ETIMEDOUT and -EDEADLK. */
int nap__wait(struct nap__wait *wait);

/* Until @pool is quiet: 0, -ECANCELED, -ETIMEDOUT or -ESHUTDOWN (forked in between). */
int nap__quiesce(struct nap_pool *pool, uint64_t deadline);

/* In a function of the tables: @node is in no list; nor is the thread a visitor any longer. */
void nap__wait_delist(struct nap__wait *wait);
void nap__wait_leave(struct nap__wait *wait);

/* The same: it has something else to do than to look from pause to pause. */
void nap__wait_goes_on(struct nap__wait *wait);

/* In enlist(): false when the list is closed. */
static inline bool wait_list(struct nap__wait *wait)
{
	wait->listed = wait->listed || waitlist_add(wait->list, wait->node);
	return wait->listed;
}

/* A worker that may not run whatever there is counts as one at the nesting limit. */
static inline bool wait_at_limit(const struct nap__wait *wait)
{
	return wait->worker && wait->runs != WAIT_RUNS_ANYTHING;
}

#endif /* NAP_WAIT_H */

/* SPDX-License-Identifier: MIT */
/*
 * The room wait/ (this header is its door).
 *
 * Waiting for something of a pool's, and running the pool's tasks during the wait. There is one
 * loop, nap__wait(). Its callers say what ends the wait: groups and a quiet pool in this room,
 * jobs, messages and calls in fork/, slots in kit/. The room also gives up waits that would never
 * end (deadlock.h), and runs tasks on threads that are no workers (help.h).
 *
 * Typically the wait is not over at once. A worker runs other tasks until the wait is over, and
 * sleeps as an idle worker when there is no task. A thread from outside lists itself, fences,
 * checks once more, and sleeps on its event.
 *
 * The way of a thread from outside to futex(2): nap_group_wait(), nap_group_wait_until(),
 * nap__group_wait_until() and wait_as_thread() in group_wait.c; nap__wait(), wait_sleep() and
 * sleep_listed() in wait.c; sleep_on_event() in sched/lend.h; event_wait() in sync/event.h;
 * nap__futex_wait() in os/futex.c. A worker that parks goes from sleep_listed() to nap__park() in
 * sched/park.c, and from there to event_wait().
 *
 * Where a wait stops running tasks, at the nesting limit: worker_begin() in wait_worker.c. A worker
 * at the nesting limit still answers messages: answer_at_limit() there. Where one of those that
 * wait for each other gives up: nap__deadlock_gives_up() in deadlock.c. Where a group is full:
 * nap__group_add() in group.c. Where a group is touched last: group_count_down() in group.c if no
 * thread waits, else waitlist_close() in sync/waitlist.h. Why the waiter may free the group then:
 * group.h.
 *
 * From outside: the public calls (nap/group.h, nap/pool.h), nap__wait(), nap__quiesce(), help.h,
 * the conditions in deadlock.h, and for fibers group.h. A listed node lies on the waiter's stack,
 * and is out of its list before nap__wait() returns.
 *
 * Open: deadlock.h group.h help.h
 */
#ifndef NAP_WAIT_H
#define NAP_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/waitlist.h"
#include "worker/self.h"
#include "worker/worker.h"

struct nap__wait;

/* What a worker may run until its wait is over. */
enum nap__wait_runs {
	WAIT_RUNS_NOTHING,	/* the worker only sleeps, and answers messages */
	/* the same, except for tasks of another pool without workers, which no thread would run */
	WAIT_RUNS_UNSERVED,
	WAIT_RUNS_THIEFS,	/* only jobs of the thief that runs the awaited job, by take() */
	WAIT_RUNS_ANYTHING,	/* any task; the worker sleeps as an idle worker */
};

/* The kind of a wait. A function that is NULL does nothing. */
struct nap__wait_ops {
	/* Returns 1: the wait goes on; or the result of the wait, 0 or an error. */
	int (*is_over)(struct nap__wait *wait);

	/*
	 * Returns the next task that the worker runs, or NULL. If set, it replaces nap__dequeue().
	 */
	struct nap_task *(*take)(struct nap__wait *wait);

	/*
	 * Called before a sleep: lists the thread for EVENT_LATCH. False: the wait checks again at
	 * once.
	 */
	bool (*enlist)(struct nap__wait *wait);

	/*
	 * Undoes enlist(), for waits whose wait->list is NULL; consumes an EVENT_LATCH that is on
	 * its way.
	 */
	void (*delist)(struct nap__wait *wait);

	/* Called when the thread is about to run something, or has got its EVENT_LATCH. */
	void (*goes_on)(struct nap__wait *wait);

	/* Called before a sleep, with nothing to run. True: the wait returns -EDEADLK. */
	bool (*gives_up)(struct nap__wait *wait);

	/*
	 * For a dump: the kind of the awaited object, and the offset, in the object, of the list
	 * that wait->list points to.
	 */
	char name[24];
	size_t list_at;
};

/* What a thread that may be a worker does in its wait besides sleeping: src/wait/wait_worker.c. */
struct nap__wait_as {
	void (*begin)(struct nap__wait *wait);
	bool (*run)(struct nap__wait *wait);		/* runs one task or answers one message */
	bool (*may_help)(struct nap__wait *wait);	/* called before the thread helps a pool */
	void (*end)(struct nap__wait *wait);
};

#pragma GCC visibility push(hidden)
extern const struct nap__wait_as nap__wait_as_worker;
#pragma GCC visibility pop

/* One wait, on the stack of the thread that waits. */
struct nap__wait {
	/* Set by the caller; 0 where the caller sets nothing. */
	const struct nap__wait_ops *ops;
	const struct nap__wait_as *as;	/* NULL: the thread waits without a worker */
	struct nap_worker *worker;	/* the thread waits as this worker, or NULL */
	struct nap_pool *pool;		/* the pool that the thread helps or visits, or NULL */
	uint64_t deadline;
	uint64_t first_pause;		/* the first pause, ns; 0: PAUSE_FIRST_NS */
	uint32_t *event;		/* the thread's event; NULL: the worker's, or own_event */
	uintptr_t *list;		/* the list of waiters, or NULL */
	struct nap__waiter *node;	/* the thread's node in @list */
	enum nap__wait_runs runs;
	bool helps;		/* the thread runs tasks of @pool that no worker is able to run */
	bool visits;		/* the thread waits inside the visits, listed in pool->waiters */
	bool watches;		/* the thread is to be woken when @pool falls quiet */
	/* the thread checks after every pause, because it is not notified */
	bool pauses;
	bool stuck;		/* only threads of the pool can end the wait: deadlock.h */

	/* The state of the loop, 0 at first, except that nap__quiesce() sets @inside. */
	struct nap__outer before;	/* what the thread was before the wait */
	struct nap__waiter visitor;
	uint64_t since;			/* time of the first sleep, ns; 0: none yet */
	uint64_t pause;
	uint64_t alone_until;	/* time at which a lone thread gives up; 0: it is not alone */
	uint32_t own_event;
	bool listed;		/* @node is in @list */
	bool inside;		/* the thread is inside the visits */
	bool visitor_listed;	/* @visitor is in pool->waiters */
	bool unserved;		/* @pool needs help that this thread cannot give */
	bool looks;		/* @pool needs help, as seen from inside */
	bool parks;		/* the thread sleeps as an idle worker, woken also by a stop */
};

/* Waits until @wait is over. Returns 0 or an error, also -ETIMEDOUT and -EDEADLK. */
int nap__wait(struct nap__wait *wait);

/*
 * Waits until @pool is quiet. Returns 0, -ECANCELED, -ETIMEDOUT, or -ESHUTDOWN (in the child of a
 * fork during the wait).
 */
int nap__quiesce(struct nap_pool *pool, uint64_t deadline);

/*
 * Called by functions of struct nap__wait_ops and struct nap__wait_as: both take the nodes out of
 * the lists; nap__wait_leave() also ends the visit.
 */
void nap__wait_delist(struct nap__wait *wait);
void nap__wait_leave(struct nap__wait *wait);

/* As nap__wait_leave(), but without a call if the thread has not slept, and so is in no list. */
static inline void wait_leave(struct nap__wait *wait)
{
	if (wait->listed || wait->visitor_listed || wait->inside)
		nap__wait_leave(wait);
}

/*
 * Called by functions of struct nap__wait_ops and struct nap__wait_as when the thread does
 * something else than wait: its pauses begin anew.
 */
void nap__wait_goes_on(struct nap__wait *wait);

/* Called by enlist(): lists @node. False: the list is closed. */
static inline bool wait_list(struct nap__wait *wait)
{
	wait->listed = wait->listed || waitlist_add(wait->list, wait->node);
	return wait->listed;
}

/*
 * Whether the waiting worker is counted as being at the nesting limit, because it may not run every
 * task.
 */
static inline bool wait_at_limit(const struct nap__wait *wait)
{
	return wait->worker && wait->runs != WAIT_RUNS_ANYTHING;
}

#endif /* NAP_WAIT_H */

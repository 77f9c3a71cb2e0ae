/* SPDX-License-Identifier: MIT */
/* Stealing from other workers, and moving tasks in bulk: src/sched/search.c, src/sched/steal.c. */
#ifndef NAP_STEAL_H
#define NAP_STEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "queue/kind.h"
#include "sync/latch.h"
#include "worker/registry.h"
#include "worker/source.h"
#include "worker/worker.h"

/*
 * The most tasks of a bulk move. (A full ring would overflow again at the first task that schedules
 * another.)
 */
#define BULK_MAX	(NAP_RING_SIZE / 2)

/*
 * A queue's first task waits for at most NAP_FAIR_DEQUEUES dequeues: for one period, in which each
 * tick may be put off by one bulk. A steal, too, moves at most BULK_MAX tasks: half a ring.
 */
_Static_assert(NAP_FAIR_PERIOD + NAP__TURNS * BULK_MAX <= NAP_FAIR_DEQUEUES || NAP_RING_SIZE > 256,
	       "what nap/pool.h promises");

/* The results of a search besides the task. */
struct nap__find {
	bool more;		/* tasks were left: notify other workers, src/queue/kind.h */
	uint32_t moved;		/* the number of tasks that were moved into the worker's ring */
};

/*
 * Defines name(worker, q, find) for an unbounded queue of any kind: returns the next task. If the
 * worker is no guest and its ring is empty, also moves tasks after it into the ring.
 */
#define DEFINE_REFILL(name, queue)						\
struct nap_task *name(struct nap_worker *worker, struct nap__queue *q,		\
		      struct nap__find *find)					\
{										\
	struct nap__ring *ring = &worker->ring;					\
	struct nap__consumer c;							\
	struct nap_task *first, *task;						\
	uint32_t n = 0;								\
										\
	if (worker->guest || ring_room(ring) < NAP_RING_SIZE)			\
		return queue##_take(q, &find->more);				\
	if (!queue##_lock(q, &c))						\
		return NULL;							\
	first = queue##_pop(&c);						\
	while (first && n < BULK_MAX && (task = queue##_pop(&c)))		\
		ring_put(ring, n++, task);					\
	if (n)									\
		ring_commit(ring, n);						\
	queue_taken(q, n + (first != NULL));					\
	find->moved += n;							\
	find->more |= queue##_unlock(&c);					\
	return first;								\
}

/* Called by a worker: takes from an overflow, its own or another worker's. */
struct nap_task *nap__refill_overflow(struct nap_worker *worker, struct nap__queue *q,
				      struct nap__find *find);

/*
 * Returns the thief of a job that @worker has forked. NULL: no thief has begun the job, or the
 * thief has no deque to steal from.
 */
static inline struct nap_worker *thief_of(struct nap_worker *worker, struct nap_frame *frame)
{
	/* sees the thief's record: pairs with run_stolen() in src/fork/jobs.c [L2] */
	uint32_t thief = nap_load_acquire(&frame->thief);

	return thief ? registry_at(worker->pool, thief - 1) : NULL;
}

/* Worker: takes the oldest public job of @victim, or NULL. See struct nap__source. */
static inline struct nap_task *steal_job(struct nap_worker *worker, struct nap_worker *victim,
					 bool *more)
{
	return source_is_linked(worker->pool, KIND_JOBS) ?
		       nap__sources[KIND_JOBS]->steal(worker, victim, more) : NULL;
}

/* Worker: takes a job from its own deque, private ones included, or NULL. */
static inline struct nap_task *own_job(struct nap_worker *worker)
{
	return worker->deque.forks.bottom != worker->deque.forks.frames ?
		       nap__sources[KIND_JOBS]->own(worker) : NULL;
}

/*
 * Whether the job that @worker waits for in a join has ended: then its search ends, too. In a pool
 * of many workers a search takes longer than a job, and joiners wait for each other.
 */
static inline bool has_joined(const struct nap_worker *worker)
{
	return worker->joins && nap_load_relaxed(&worker->joins->latch) == LATCH_SET;
}

/*
 * Called by a worker that has stolen @n tasks of @victim, of which it runs @task next: counts and
 * traces them. @overflow: they were in the victim's overflow, not in its ring.
 */
void nap__note_stolen(struct nap_worker *worker, struct nap_worker *victim, struct nap_task *task,
		      uint32_t n, bool overflow);

/* Called by a worker whose ring is empty: tries to steal from each other worker once. */
struct nap_task *nap__steal(struct nap_worker *worker, struct nap__find *find);

#endif /* NAP_STEAL_H */

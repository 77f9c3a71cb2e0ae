/* SPDX-License-Identifier: MIT */
/* What a search takes from other workers, and in bulk: src/sched/search.c, src/sched/steal.c. */
#ifndef NAP_STEAL_H
#define NAP_STEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "queue/kind.h"
#include "worker/source.h"
#include "worker/worker.h"

/*
 * How many tasks a bulk move takes at most. A full ring would overflow again with the first task
 * that schedules another.
 */
#define BULK_MAX	(NAP_RING_SIZE / 2)

/*
 * Each tick comes once in a period, if none is put off. A thief takes BULK_MAX, too: half a ring.
 */
_Static_assert(NAP_FAIR_PERIOD + NAP__TURNS * BULK_MAX <= NAP_FAIR_DEQUEUES || NAP_RING_SIZE > 256,
	       "what nap/pool.h promises");

/* What a search has done besides finding a task. */
struct nap__find {
	bool more;		/* the search left tasks: notify others, src/queue/kind.h */
	uint32_t moved;		/* tasks moved into the own ring, where they can be stolen */
};

/*
 * Defines name(worker, q, find) for an unbounded queue of any kind: returns the next task, and
 * moves those after it into the ring, if the ring is empty.
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

/* Worker: takes from an overflow, its own or another worker's. */
struct nap_task *nap__refill_overflow(struct nap_worker *worker, struct nap__queue *q,
				      struct nap__find *find);

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

/* Worker that has taken @n tasks of @victim's, of which it runs @task next: counts them. */
void nap__note_stolen(struct nap_worker *worker, struct nap_worker *victim, struct nap_task *task,
		      uint32_t n);

/* Worker whose ring is empty: tries everybody else once. */
struct nap_task *nap__steal(struct nap_worker *worker, struct nap__find *find);

#endif /* NAP_STEAL_H */

/* SPDX-License-Identifier: MIT */
/*
 * The idle set: the workers that are parked or about to park, the most recent one on top.
 *
 * Typically a worker enters, parks, and is popped by a notifier, which gives it EVENT_WORK.
 *
 *	set_enter	the worker itself, before it parks
 *	set_withdraw	the worker itself, when it wakes for another reason than EVENT_WORK
 *	withdraw	as set_withdraw, and takes an EVENT_WORK that is on its way
 *	set_pop		any thread that may read workers' records; owes the worker EVENT_WORK
 *	set_wake	as set_pop, and gives EVENT_WORK
 *
 * The set is a stack of record indices. No entry is unlinked from the middle: a worker that
 * withdraws leaves its entry as STALE. The thread that pops the entry discards it, or the worker
 * itself lists it again, in its old position.
 *
 *	worker->idle_state:  OUT --enter--> LISTED --pop--> OUT     (the popper owes EVENT_WORK)
 *	                     LISTED --withdraw--> STALE --pop--> OUT (discarded)
 *	                                          STALE --enter--> LISTED
 *
 * The exchange to OUT decides between a popper and a worker that withdraws: exactly one of them
 * wins, so a wake is never spent on a worker that has other things to do, and never lost.
 *
 * The head: index + 1 in 15 bits (0: empty), and a tag of 49 bits that changes with every push and
 * pop, so that a compare-exchange does not mistake an old head for the present one. (The tag comes
 * round after a year: Documentation/design.rst, "Numbers that come round".)
 */
#ifndef NAP_IDLE_SET_H
#define NAP_IDLE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/event.h"
#include "sync/pause.h"
#include "worker/registry.h"
#include "worker/measure.h"
#include "worker/probe.h"
#include "worker/worker.h"

#define SET_INDEX_BITS	15
#define SET_INDEX_MASK	((1u << SET_INDEX_BITS) - 1)
#define SET_TAG_ONE	((uint64_t)1 << SET_INDEX_BITS)

/* There are two more records than workers and guests: src/worker/capacity.h. */
_Static_assert(NAP_MAX_WORKERS + NAP_GUESTS + 2 <= SET_INDEX_MASK,
	       "index + 1 of the last one fits");

enum nap__idle_state { SET_OUT, SET_LISTED, SET_STALE };

/* When 64 workers fall idle at once, they all change the head: pause_after_failure(). */
#ifndef NAP_SET_PAUSES
#define NAP_SET_PAUSES	32u
#endif
#define SET_PAUSES_MOST	128u

/* Returns @head with the next tag and @index_plus_one on top. */
static inline uint64_t set__head(uint64_t head, uint32_t index_plus_one)
{
	return ((head & ~(uint64_t)SET_INDEX_MASK) + SET_TAG_ONE) | index_plus_one;
}

/*
 * Called by a worker: lists the worker. Afterwards the caller needs a full fence before it checks
 * again the words that a notifier writes before set_pop().
 */
static inline void set_enter(struct nap_pool *pool, struct nap_worker *worker)
{
	uint32_t pauses = NAP_SET_PAUSES;
	uint64_t head;

	/*
	 * The popper has read idle_next before this function changes it: pairs with set_pop(). [I2]
	 */
	while (nap_load_acquire(&worker->idle_state) == SET_STALE)
		if (nap_cmpxchg_relaxed(&worker->idle_state, SET_STALE, SET_LISTED) == SET_STALE)
			return;
	/*
	 * In the state OUT the entry is not linked, so only the worker uses idle_next and
	 * idle_state.
	 */
	nap_store_relaxed(&worker->idle_state, SET_LISTED);
	head = nap_load_relaxed(&pool->idle_set);
	for (;;) {
		nap_store_relaxed(&worker->idle_next, (uint32_t)head & SET_INDEX_MASK);
		/* idle_next and idle_state are written before this: pairs with set_pop(). [I1] */
		if (nap_try_cmpxchg_release(&pool->idle_set, &head,
					    set__head(head, worker->index + 1)))
			return;
		/* Not noticed in tests when dropped: a pause is a guess. */
		pause_after_failure(&pauses, SET_PAUSES_MOST);
		/* Not noticed in tests when dropped: the head is the one before the pause. */
		head = nap_load_relaxed(&pool->idle_set);
	}
}

/* Called by a worker: withdraws. False: too late, EVENT_WORK is on its way to the worker. */
static inline bool set_withdraw(struct nap_worker *worker)
{
	return nap_cmpxchg_relaxed(&worker->idle_state, SET_LISTED, SET_STALE) == SET_LISTED;
}

/*
 * Takes out the most recently parked worker, or returns NULL. The caller owes the worker
 * EVENT_WORK.
 */
static inline struct nap_worker *set_pop(struct nap_pool *pool)
{
	for (;;) {
		/* Sees the entry's words: pairs with set_enter(). [I1] */
		uint64_t head = nap_load_acquire(&pool->idle_set);
		struct nap_worker *worker;
		uint32_t next;

		if (!(head & SET_INDEX_MASK))
			return NULL;
		worker = registry_at(pool, ((uint32_t)head & SET_INDEX_MASK) - 1);
		next = nap_load_relaxed(&worker->idle_next);
		if (nap_cmpxchg_relaxed(&pool->idle_set, head, set__head(head, next)) != head)
			continue;
		/*
		 * The read of idle_next comes before this: pairs with set_enter() [I2]. Without the
		 * release an ARM or RISC-V machine may read idle_next after the worker has seen OUT
		 * and listed itself anew.
		 */
		if (nap_xchg_release(&worker->idle_state, SET_OUT) == SET_LISTED)
			return worker;
	}
}

/*
 * Called by a worker: leaves the set. If a wake is on its way already, waits for EVENT_WORK and
 * takes it. True: a wake was on its way.
 */
static inline bool withdraw(struct nap_worker *worker)
{
	bool woken = worker->in_idle_set && !set_withdraw(worker);

	if (woken)
		event_wait(&worker->event, EVENT_WORK, UINT64_MAX);
	worker->in_idle_set = false;
	return woken;
}

/* Called by a thread that has popped @worker: sets EVENT_WORK. */
static inline void wake_for_work(struct nap_worker *worker)
{
	probe2(wake, worker->pool, worker->index);
	watch_wake(worker);
	event_set(&worker->event, EVENT_WORK);
}

/* Called by any thread: wakes the most recently parked worker; false: none is listed. */
static inline bool set_wake(struct nap_pool *pool)
{
	struct nap_worker *worker = set_pop(pool);

	if (worker)
		wake_for_work(worker);
	return worker != NULL;
}

#endif /* NAP_IDLE_SET_H */

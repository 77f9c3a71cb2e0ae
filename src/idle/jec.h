/* SPDX-License-Identifier: MIT */
/*
 * The words of the JEC protocol and their transitions as pure functions; jec.c compare-exchanges
 * them. After Rayon, rayon-core/src/sleep/README.md and counters.rs.
 *
 * pool->counters, 64 bits:
 *
 *	bits  0..15  sleeping  workers in the idle set, or about to enter it
 *	bits 16..31  inactive  workers that look for work, are started for it, or sleep
 *	bits 32..63  JEC       the jobs event counter: even is sleepy, odd is active
 *
 * sleeping   A worker adds itself before it enters the idle set. The thread that takes the worker
 *            out, a waker or the worker itself, subtracts the worker afterwards. So the count is
 *            never less than the number of workers in the set.
 * inactive   A worker adds itself when it begins to look for work (a new worker is added by its
 *            starter), and subtracts itself when it has found work. inactive - sleeping workers are
 *            awake, and producers may rely on them to find new work.
 * JEC        A worker announces that it is about to sleep: it makes JEC even. New work makes JEC
 *            odd. A worker whose announcement is no longer the last event does not sleep. JEC
 *            wraps; only equality with a snapshot counts. 2^32 events between two loads would go
 *            unnoticed, but even then the worker searches once more when it is in the set.
 *
 * pool->sync, 32 bits:
 *
 *	bit  0       SHUTDOWN
 *	bit  3       WATCHED
 *	bits 4..31   spawned   workers that exist or are being started
 *
 * Bounds: a worker is counted once in each field, so no field passes NAP_MAX_WORKERS + NAP_GUESTS,
 * under 2^15.
 */
#ifndef NAP_IDLE_JEC_H
#define NAP_IDLE_JEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "worker/worker.h"

#define JEC_SLEEPING_ONE	((uint64_t)1)
#define JEC_INACTIVE_ONE	((uint64_t)1 << 16)
#define JEC_EVENT_ONE		((uint64_t)1 << 32)

#define JEC_SHUTDOWN		1u
#define JEC_WATCHED		(1u << 3)
#define JEC_SPAWNED_ONE		16u

/* How many other workers a worker wakes when it has found a task, and more are queued. */
#define JEC_CASCADE		2u

enum { JEC_COUNTS = true };

/* The protocol's data in a worker's record. */
struct jec_worker {
	bool searching;		/* counted as inactive */
	bool search_first;	/* woken or started, and has not searched since */
	bool sleepy;		/* has announced that it is sleepy */
	uint32_t announced;	/* the value of JEC after the announcement */
	uint32_t yields;	/* yields since the worker began to search */
	uint64_t since;		/* when the worker began to search, ns */
};

static inline struct jec_worker *jec_of(struct nap_worker *worker)
{
	return (struct jec_worker *)worker->protocol;
}

static inline uint32_t jec_sleeping(uint64_t word)
{
	return (uint16_t)word;
}

static inline uint32_t jec_inactive(uint64_t word)
{
	return (uint16_t)(word / JEC_INACTIVE_ONE);
}

/*
 * Returns how many workers look for work. The result is too small while a waker has popped a worker
 * and has not counted it down yet.
 */
static inline uint32_t jec_awake(uint64_t word)
{
	uint32_t inactive = jec_inactive(word), sleeping = jec_sleeping(word);

	return inactive > sleeping ? inactive - sleeping : 0;
}

static inline uint32_t jec_events(uint64_t word)
{
	return (uint32_t)(word / JEC_EVENT_ONE);
}

static inline bool jec_is_sleepy(uint64_t word)
{
	return !(jec_events(word) & 1);
}

/* Called by a worker that is about to sleep: makes JEC even; JEC may wrap. */
static inline uint64_t jec_announce(uint64_t word)
{
	return jec_is_sleepy(word) ? word : word + JEC_EVENT_ONE;
}

/* Called for new work: makes JEC odd. */
static inline uint64_t jec_new_work(uint64_t word)
{
	return jec_is_sleepy(word) ? word + JEC_EVENT_ONE : word;
}

/*
 * Returns how many more workers have to look for work when @jobs were queued (Rayon's rule). If the
 * queue was empty, each worker that is awake takes one of the jobs. If the queue was not empty, the
 * workers that are awake were too few even before.
 */
static inline size_t jec_missing(uint64_t word, size_t jobs, bool was_empty)
{
	uint32_t awake = was_empty ? jec_awake(word) : 0;

	return jobs > awake ? jobs - awake : 0;
}

/*
 * Whether a producer has nothing to do: JEC is odd already; and either enough workers are awake, or
 * no worker is left to wake or to start.
 */
static inline bool jec_is_notified(struct nap_pool *pool, uint32_t limit, bool was_empty, bool lone)
{
	uint64_t word = nap_load_relaxed(&pool->counters);
	uint32_t spawned = nap_load_relaxed(&pool->sync) / JEC_SPAWNED_ONE;

	(void)lone;
	if (jec_is_sleepy(word))
		return false;
	return !jec_missing(word, 1, was_empty) ||
	       (!jec_sleeping(word) && (jec_awake(word) || spawned >= limit));
}

#endif /* NAP_IDLE_JEC_H */

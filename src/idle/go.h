/* SPDX-License-Identifier: MIT */
/*
 * The word of the Go-style protocol, 64 bits, and its transitions as pure functions; go.c
 * compare-exchanges them. After proc.go of Go's runtime (wakep, resetspinning, findRunnable) and
 * kprotty/zap, src/thread_pool_go_based.zig.
 *
 *	bit   0      SHUTDOWN   for good
 *	bits 16..31  idle       workers that sleep or are about to
 *	bits 32..47  spawned    workers that exist or are being started
 *	bits 48..63  searching  workers that look for work, are being woken or started for it
 *
 * In pool->sync this protocol uses only the bit WATCHED.
 *
 * idle       A worker adds itself once it is in the set, and subtracts itself when it is woken or
 *            leaves.
 * spawned    as in the Sync word.
 * searching  Tokens that are out. A thread takes a token for a worker that it wakes or starts; a
 *            worker takes one for itself. The worker gives the token back when it has found
 *            something or goes idle; so does a waker that found no worker. While a token is out, no
 *            worker is woken.
 *
 * Bounds: each field counts a worker at most once, and one token may belong to a waker that has no
 * worker for it; so no field exceeds NAP_MAX_WORKERS + NAP_GUESTS + 1, under 2^15.
 */
#ifndef NAP_IDLE_GO_H
#define NAP_IDLE_GO_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "worker/worker.h"

#define GO_SHUTDOWN		((uint64_t)1)
#define GO_IDLE_ONE		((uint64_t)1 << 16)
#define GO_SPAWNED_ONE		((uint64_t)1 << 32)
#define GO_SEARCHING_ONE	((uint64_t)1 << 48)

#define GO_WATCHED		(1u << 3)

enum { GO_COUNTS = false };

/* The protocol's data in a worker's record. */
struct go_worker {
	bool searching;		/* counted as searching: has a token */
	bool search_first;	/* woken or started, and has not searched since */
};

static inline struct go_worker *go_of(struct nap_worker *worker)
{
	return (struct go_worker *)worker->protocol;
}

enum go_act { GO_NOTHING, GO_WAKE, GO_SPAWN };

struct go_step {
	uint64_t next;
	enum go_act act;
};

static inline uint32_t go_idle(uint64_t word)
{
	return (uint16_t)(word / GO_IDLE_ONE);
}

static inline uint32_t go_spawned(uint64_t word)
{
	return (uint16_t)(word / GO_SPAWNED_ONE);
}

static inline uint32_t go_searching(uint64_t word)
{
	return (uint16_t)(word / GO_SEARCHING_ONE);
}

/* There is work: wakes an idle worker, or starts one if there are fewer than @max. */
static inline struct go_step go_notify(uint64_t word, uint32_t max)
{
	struct go_step step = { word, GO_NOTHING };

	if ((word & GO_SHUTDOWN) || go_searching(word))
		return step;
	if (go_idle(word)) {
		step.next = word + GO_SEARCHING_ONE;
		step.act = GO_WAKE;
	} else if (go_spawned(word) < max) {
		step.next = word + GO_SEARCHING_ONE + GO_SPAWNED_ONE;
		step.act = GO_SPAWN;
	}
	return step;
}

static inline bool go_is_notified(struct nap_pool *pool, uint32_t max, bool was_empty, bool lone)
{
	(void)was_empty;
	(void)lone;
	return go_notify(nap_load_relaxed(&pool->counters), max).act == GO_NOTHING;
}

/*
 * Whether one more worker may search: at most half as many search as are busy, so that thieves do
 * not contend.
 */
static inline bool go_may_search(uint64_t word)
{
	/* Guests may be counted as idle, too, but not as spawned: then fewer workers search. */
	return 2 * go_searching(word) + go_idle(word) < go_spawned(word);
}

/* Whether every worker sleeps, and no worker is being woken or started. */
static inline bool go_quiet(uint64_t word)
{
	return !go_searching(word) && go_idle(word) == go_spawned(word);
}

#endif /* NAP_IDLE_GO_H */

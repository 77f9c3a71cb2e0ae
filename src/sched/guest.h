/* SPDX-License-Identifier: MIT */
/*
 * Guests: threads from outside that are workers of a pool for a while, to run a function that forks
 * (nap_call()) or the pool's tasks (nap_pool_help(), and waits on a pool without a worker).
 *
 * A guest takes a place: one of NAP_GUESTS records behind those of the workers. It forks, sleeps
 * and is woken as a worker. Asleep it counts as idle; it never counts as spawned, because no worker
 * is missing on its account. It keeps nothing in its ring: it may leave at any time.
 *
 * A guest that only runs tasks need not have a place, nor one in nap_call() when there is no memory
 * for places. Without one it stands aside: its record lies
 * on its own stack and is in no registry, so nobody steals from it and nobody wakes it. What its
 * tasks fork it runs itself.
 *
 * pool->guests says who is inside, with a place or aside:
 *
 *	bits  0..31  how many are inside now
 *	bits 32..63  how many ever were: with two equal readings nobody was inside in between
 */
#ifndef NAP_GUEST_H
#define NAP_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/worker.h"

#define GUEST_ONE	(((uint64_t)1 << 32) + 1)

/* Any thread; how many are inside. */
static inline uint32_t guests_inside(struct nap_pool *pool)
{
	return (uint32_t)nap_load_relaxed(&pool->guests);
}

/*
 * The index of the thread that stands aside; one more is 0, which stands for no thief in a frame.
 */
#define GUEST_UNREGISTERED	UINT32_MAX

static inline bool guest_is_unregistered(const struct nap_worker *worker)
{
	return worker->index == GUEST_UNREGISTERED;
}

/* Take a place; NULL: there is none, or no memory. The caller is inside a gate of @pool. */
struct nap_worker *nap__guest_begin(struct nap_pool *pool);

/* A record without a deque: nobody would steal from it, and stacks may be 16 KiB. */
struct nap__unregistered {
	char record[offsetof(struct nap_worker, frames) + NAP__CACHE_LINE] nap__line;
};

/* Become one that stands aside, on @aside, which is of the caller's stack. Inside a gate, too. */
struct nap_worker *nap__guest_begin_unregistered(struct nap_pool *pool, struct nap__unregistered *aside);

/* The last touch of the record. Not in the child of a fork, where nobody is inside. */
void nap__guest_end(struct nap_worker *guest);

#endif /* NAP_GUEST_H */

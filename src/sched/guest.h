/* SPDX-License-Identifier: MIT */
/*
 * Guests: threads from outside that are workers of a pool for a while, to run a function that forks
 * (nap_call()) or the pool's tasks (nap_pool_help(), and waits on a pool without a worker).
 *
 * A guest takes one of NAP_GUESTS records, which follow the workers' records. It forks, sleeps and
 * is woken as a worker. A sleeping guest counts as idle. No guest counts as spawned, because it
 * replaces no worker. A guest keeps nothing in its ring, because it may leave at any time.
 *
 * An unregistered guest has no such record: it is a thread that helps while no record is free, or a
 * thread in nap_call() when there is no memory for records. Its record lies on its own stack and is
 * in no registry, so no thread steals from it or wakes it. The guest itself runs the jobs that its
 * tasks fork.
 *
 * pool->guests counts both kinds:
 *
 *	bits  0..31  guests inside now
 *	bits 32..63  guests so far: between two equal readings no guest has come
 */
#ifndef NAP_GUEST_H
#define NAP_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/worker.h"

#define GUEST_ONE	(((uint64_t)1 << 32) + 1)

/* Returns how many guests are inside. Called by any thread. */
static inline uint32_t guests_inside(struct nap_pool *pool)
{
	return (uint32_t)nap_load_relaxed(&pool->guests);
}

/* The index of an unregistered guest: index + 1 is 0, which means "no thief" in a frame. */
#define GUEST_UNREGISTERED	UINT32_MAX

static inline bool guest_is_unregistered(const struct nap_worker *worker)
{
	return worker->index == GUEST_UNREGISTERED;
}

/*
 * Takes a guest record; NULL: no record is free, or there is no memory. The caller is inside a gate
 * of @pool.
 */
struct nap_worker *nap__guest_begin(struct nap_pool *pool);

/*
 * The record of an unregistered guest, without a deque, because no thread steals from this guest.
 */
struct nap__unregistered {
	char record[offsetof(struct nap_worker, frames) + NAP__CACHE_LINE] nap__line;
};

/*
 * Begins an unregistered guest, whose record @aside lies on the caller's stack. The caller is
 * inside a gate.
 */
struct nap_worker *nap__guest_begin_unregistered(struct nap_pool *pool,
						 struct nap__unregistered *aside);

/*
 * Ends a guest, as the last touch of its record. Not called in the child of a fork, where no guest
 * is inside.
 */
void nap__guest_end(struct nap_worker *guest);

#endif /* NAP_GUEST_H */

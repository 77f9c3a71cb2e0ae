/* SPDX-License-Identifier: MIT */
/*
 * A new worker begins on another CPU than its starter's. A kernel may put a new thread on its
 * creator's CPU, although another CPU is idle, and leave both there for milliseconds, because the
 * creator goes on running.
 *
 *	starter					worker
 *	-------					------
 *	start the thread			wait until it is placed
 *	take the starter's CPU out of
 *	the worker's mask
 *	let the worker go on			take its final mask
 *
 * The order matters: otherwise the worker would be left with the narrow mask.
 */
#ifndef NAP_LINUX_PLACE_H
#define NAP_LINUX_PLACE_H

#include <stdbool.h>
#include <stddef.h>

struct cpu_mask;
struct nap_pool;
struct nap_worker;

/*
 * Called by the starter: writes into @mask the CPUs that the new worker may run on, except the
 * caller's CPU. Returns the bytes of @mask; 0: the worker stays where it is, because there is no
 * other CPU, or a sandbox forbids the system calls.
 */
size_t nap__place_elsewhere(struct nap_pool *pool, struct cpu_mask *mask);

/* Called by the starter: lets the worker go on. */
void nap__place_done(struct nap_worker *worker);

/* Called by the new worker: waits for nap__place_done(). */
void nap__place_await(struct nap_worker *worker);

#endif /* NAP_LINUX_PLACE_H */

/* SPDX-License-Identifier: MIT */
/*
 * Where a new worker begins: on another CPU than its starter. A kernel may put a new thread on its
 * creator's CPU, although another CPU is idle, and leave both there for milliseconds, because the
 * creator goes on running.
 *
 *	starter					worker
 *	-------					------
 *	start the thread			wait until it is placed
 *	take the own CPU out of its mask
 *	it is placed				take its final mask
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
 * Starter: writes into @mask the CPUs that the new worker may run on, except the caller's. Returns
 * the bytes of @mask; 0: leave the worker where it is, because there is no other CPU, or a sandbox
 * does not say.
 */
size_t nap__place_elsewhere(struct nap_pool *pool, struct cpu_mask *mask);

/* Starter: lets the worker go on. */
void nap__place_done(struct nap_worker *worker);

/* New worker: waits for nap__place_done(). */
void nap__place_await(struct nap_worker *worker);

#endif /* NAP_LINUX_PLACE_H */

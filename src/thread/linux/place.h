/* SPDX-License-Identifier: MIT */
/*
 * Where a new worker begins: on another CPU than its starter. A kernel may put a new thread on its
 * creator's CPU, although another CPU is idle, and leave both there for milliseconds: the creator
 * is awake, and goes on.
 *
 *	starter					worker
 *	-------					------
 *	start the thread			wait until it is placed
 *	take the own CPU out of its mask
 *	it is placed				take the mask that it is to have
 *
 * The order matters: the worker would otherwise be left with the narrow mask.
 */
#ifndef NAP_LINUX_PLACE_H
#define NAP_LINUX_PLACE_H

#include <stdbool.h>
#include <stddef.h>

struct cpu_mask;
struct nap_pool;
struct nap_worker;

/*
 * The starter: the CPUs that the new worker may run on, except the one that the caller is on. Bytes
 * of @mask; 0: leave it where it is, because there is no other, or a sandbox does not say.
 */
size_t nap__place_elsewhere(struct nap_pool *pool, struct cpu_mask *mask);

/* The starter: the worker goes on. */
void nap__place_done(struct nap_worker *worker);

/* The new worker: until its starter says so. */
void nap__place_await(struct nap_worker *worker);

#endif /* NAP_LINUX_PLACE_H */

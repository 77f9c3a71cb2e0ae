/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_pool_new - a pool in memory of its own
 *
 * A pool in memory of its own, for a program whose memory is not aligned to 64 bytes: a library's
 * handle from malloc(), or an object from new before C++17.
 *
 *	struct nap_pool *pool;
 *
 *	err = nap_pool_new(&pool, &(struct nap_config){ .max_workers = 4 });
 *	...
 *	nap_pool_join(pool, &left);
 *	nap_pool_free(pool);
 *
 * Nothing else is different: each call that takes a pool takes this one. The memory is mapped from
 * the system, as the workers' memory is, and aligned to a page. So the bare library has these
 * calls, too. The child of a fork has a copy of the pool and of its memory. The child may free the
 * copy, which changes nothing for the parent.
 */
#ifndef NAP_NEW_H
#define NAP_NEW_H

#include "class.h"
#include "pool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * nap_pool_new() - map a pool, and initialise it as nap_pool_init() does
 * @pool: set to the address; the pool is the caller's until nap_pool_free()
 * @config: copied, and its classes with it: nap_config.classes need not stay. So one struct
 *          nap_classes, even on a stack, may serve any number of such pools. NULL for the defaults
 *
 * Any thread. Starts nothing. On an error *@pool is as it was. Returns 0; -ENOMEM when there is no
 * memory; -EINVAL and -ENOSYS as nap_pool_init(); -EINVAL also when @pool is NULL.
 */
int nap_pool_new(struct nap_pool **pool, const struct nap_config *config);

/**
 * nap_pool_free() - unmap a pool of nap_pool_new()
 * @pool: joined (nap_pool_join() has returned 0 or -EALREADY), or never used; no other thread is in
 *        a call on it
 *
 * No thread may use the pool afterwards. A task of the pool cannot free the pool, because the
 * task's worker has to leave first. A program that must not block is notified on its loop when the
 * pool has ended (nap_pool_notify_end()), and joins and frees the pool there.
 *
 * The pool is freed even if a drain has left tasks in it, such as those of armed timers.
 *
 * Returns 0; -EBUSY when @pool was used and not joined (in the child of a fork
 * nap_pool_init_child() comes first), or when a stop has left tasks in the pool that no join has
 * taken: then nothing has changed; -EINVAL when @pool is NULL, or cannot come from nap_pool_new().
 */
int nap_pool_free(struct nap_pool *pool);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_NEW_H */

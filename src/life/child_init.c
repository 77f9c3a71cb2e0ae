/* SPDX-License-Identifier: MIT */
/*
 * nap_pool_init_child(): the child of a fork initialises the parent's pool anew. Before this call
 * all calls on the pool are refused in the child: pool_forked() in src/worker/phase.h.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "os/os.h"
#include "thread/spawn.h"
#include "worker/async.h"
#include "worker/phase.h"
#include "worker/pools.h"
#include "worker/registry.h"
#include "worker/self.h"
#include "worker/measure.h"
#include "worker/worker.h"

/*
 * Whether the calling thread was inside a task or call of @pool at the fork, or in its check for
 * stuck workers, and has not returned from it.
 */
static bool is_left_inside(struct nap_pool *pool)
{
	struct nap__self *self = nap__self();
	struct nap_worker *worker = self->in_parent.worker;

	for (struct nap__outer *o = self->in_parent.outer; o && !(worker && worker->pool == pool);
	     o = o->outer)
		worker = o->worker;
	return (worker && worker->pool == pool) ||
	       nap_load_relaxed(&pool->checking_stuck) == this_thread();
}

/*
 * Unmaps the records, and the memory of the parent's threads. The contents of both are as at the
 * fork, perhaps half-written.
 */
static void unmap_workers(struct nap_pool *pool)
{
	struct nap_worker *records = nap_load_relaxed(&pool->records);

	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		if (record_has_thread(nap_load_relaxed(&w->record)))
			nap__os_thread_lost(w);
	if (records)
		nap__os_unmap(records, nap__records_size(pool));
}

/*
 * Clears by atomic stores: ThreadSanitizer does not know that the threads that read these words do
 * not exist in the child.
 */
static void clear(void *from, void *to)
{
	for (char *at = from; at < (char *)to; at += sizeof(uint32_t))
		nap_store_relaxed((uint32_t *)(void *)at, 0);
}

/*
 * Clears the pool except its configuration, and its classes except what the program has set in
 * them.
 */
static void forget(struct nap_pool *pool)
{
	struct nap_classes *classes = pool->config.classes;

	clear(&pool->limit, pool + 1);
	for (uint32_t i = 0; classes && i < NAP_CLASSES; i++)
		clear(&classes->of[i].inside, &classes->of[i] + 1);
}

int nap_pool_init_child(struct nap_pool *pool)
{
	if (!pool || (uintptr_t)pool % NAP__CACHE_LINE)
		return -EINVAL;
	if (!nap_load_relaxed(&pool->fork_gen))
		return 0;
	if (!pool_forked(pool))
		return -EBUSY;
	if (is_left_inside(pool))
		return -EDEADLK;
	if (pool_async(pool))
		async_ops(pool)->free(pool);
	watch_forget(pool);
#ifndef NAP_NO_TRACE
	pools_forget(pool);
#endif
	unmap_workers(pool);
	forget(pool);
	return 0;
}

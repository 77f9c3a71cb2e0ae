/* SPDX-License-Identifier: MIT */
/* Pools in memory of their own: nap/new.h. A page has the alignment that a pool needs. */
#include <nap/new.h>

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "os/os.h"
#include "worker/phase.h"

/* The smallest page size of any machine; larger sizes are multiples of it. */
#define PAGE 4096u

/* The pool is the first member, because nap_pool_free() is given the pool's address. */
struct mapped {
	struct nap_pool pool;
	struct nap_classes classes;
};

_Static_assert(offsetof(struct mapped, pool) == 0, "the pool's address is the mapping's");

static int init(struct mapped *mapped, const struct nap_config *config)
{
	struct nap_config kept = { 0 };

	if (config)
		kept = *config;
	if (kept.classes) {
		mapped->classes.count = kept.classes->count;
		for (uint32_t i = 0; i < NAP_CLASSES; i++) {
			mapped->classes.of[i].weight = kept.classes->of[i].weight;
			mapped->classes.of[i].limit = kept.classes->of[i].limit;
		}
		kept.classes = &mapped->classes;
	}
	return nap_pool_init(&mapped->pool, &kept);
}

int nap_pool_new(struct nap_pool **pool, const struct nap_config *config)
{
	struct mapped *mapped;
	int err;

	if (!pool)
		return -EINVAL;
	mapped = nap__os_map(sizeof(*mapped));
	if (!mapped)
		return -ENOMEM;
	err = init(mapped, config);
	if (err)
		nap__os_unmap(mapped, sizeof(*mapped));
	else
		*pool = &mapped->pool;
	return err;
}

/*
 * Whether a thread may still touch the pool, or tasks that a stop has left remain in the pool. What
 * a drain has left (armed timers, starts that never got a stack) keeps no pool: a caller that joins
 * with NULL does not expect any.
 */
static bool is_in_use(struct nap_pool *pool)
{
	/* Relaxed, because every use and the join of the pool happen before this call. */
	if (!nap_load_relaxed(&pool->limit))
		return false;
	return nap_load_relaxed(&pool->join) != JOIN_DONE ||
	       (pool->left.head && pool_canceled(pool));
}

int nap_pool_free(struct nap_pool *pool)
{
	if (!pool || (uintptr_t)pool % PAGE)
		return -EINVAL;
	if (is_in_use(pool))
		return -EBUSY;
	nap__os_unmap(pool, sizeof(struct mapped));
	return 0;
}

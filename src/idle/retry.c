/* SPDX-License-Identifier: MIT */
/* Whether a start is owed, and trying again: src/idle/retry.h. */
#include "idle/retry.h"

#include "arch/atomic.h"
#include "idle/idle.h"
#include "worker/queued.h"

bool nap__start_owed(struct nap_pool *pool)
{
	uint32_t spawned;

	if (!nap_load_relaxed(&pool->spawn_retry))
		return false;
	spawned = nap__idle_spawned(pool);
	return spawned && spawned < nap_load_relaxed(&pool->limit);
}

bool nap__retry_start(struct nap_pool *pool)
{
	bool owed = nap__start_owed(pool);

	if (owed && nap__work_queued(pool))
		nap__idle_notify(pool);
	return owed;
}

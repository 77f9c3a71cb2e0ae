/* SPDX-License-Identifier: MIT */
/* Calling workers: src/idle/wave.h. Typically there are few tasks, or no worker is idle. */
#include "idle/wave.h"

#include "idle/set.h"
#include "idle/sync.h"

void nap__wave(struct nap_pool *pool, size_t tasks)
{
	size_t n = tasks / NAP_WAVE_TASKS < WAVE_MOST ? tasks / NAP_WAVE_TASKS : WAVE_MOST;

	/* If no worker is idle, the line of the set's head is not touched. */
	if (!sync_idle(nap_load_relaxed(&pool->sync)))
		return;
	while (n-- && set_wake(pool))
		;
}

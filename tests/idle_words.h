/* SPDX-License-Identifier: MIT */
/*
 * The words of a pool's idle protocol, whichever that is, for tests that begin in the middle:
 *
 *	idle_words_set(&pool, 3, 1);	three workers are counted, one of them as idle
 *	idle_words_name(&pool)		"sync", "go" or "jec"
 *
 * Only what every protocol has. What is special to one of them is tested in unit/{sync,go,jec}.c.
 */
#ifndef NAP_TESTS_IDLE_WORDS_H
#define NAP_TESTS_IDLE_WORDS_H

#include <nap/nap.h>

#include "idle/go.h"
#include "idle/idle.h"
#include "idle/jec.h"
#include "idle/sync.h"

static inline const char *idle_words_name(struct nap_pool *pool)
{
	const struct nap__idle_ops *ops = idle_ops(pool);

	return ops == &nap__go_ops ? "go" : ops == &nap__jec_ops ? "jec" : "sync";
}

/* As if @spawned workers had been started, and @idle of them had gone to sleep. */
static inline void idle_words_set(struct nap_pool *pool, uint32_t spawned, uint32_t idle)
{
	const struct nap__idle_ops *ops = idle_ops(pool);

	if (ops == &nap__go_ops) {
		nap_store_relaxed(&pool->counters, spawned * GO_SPAWNED_ONE + idle * GO_IDLE_ONE);
	} else if (ops == &nap__jec_ops) {
		nap_store_relaxed(&pool->sync, spawned * JEC_SPAWNED_ONE);
		nap_store_relaxed(&pool->counters, idle * (JEC_SLEEPING_ONE + JEC_INACTIVE_ONE));
	} else {
		nap_store_relaxed(&pool->sync,
				  spawned * SYNC_SPAWNED_ONE + idle * SYNC_IDLE_ONE);
	}
}

/* As if @n workers, who are busy, had never been. Any thread. */
static inline void idle_words_uncount(struct nap_pool *pool, uint32_t n)
{
	const struct nap__idle_ops *ops = idle_ops(pool);

	if (ops == &nap__go_ops)
		nap_fetch_sub_relaxed(&pool->counters, n * GO_SPAWNED_ONE);
	else
		nap_fetch_sub_relaxed(&pool->sync, n * (ops == &nap__jec_ops ? JEC_SPAWNED_ONE :
								       SYNC_SPAWNED_ONE));
}

/* Whether producers rely on @worker to look at the queues, or to tell others. */
static inline bool idle_words_searching(struct nap_worker *worker)
{
	const struct nap__idle_ops *ops = idle_ops(worker->pool);

	return worker->relied_on || (ops == &nap__go_ops ? worker->go.searching :
				     ops == &nap__jec_ops ? worker->jec.searching :
							    worker->sync.waking);
}

/* @worker as it is when it sleeps, in the set and counted: idle_words_set(), set_enter(). */
static inline void idle_words_asleep(struct nap_worker *worker)
{
	worker->counted_idle = worker->in_idle_set = true;
	if (idle_ops(worker->pool) == &nap__jec_ops)
		worker->jec.searching = true;
}

/* Whether the protocol has been told that the pool ends. */
static inline bool idle_words_ended(struct nap_pool *pool)
{
	const struct nap__idle_ops *ops = idle_ops(pool);

	if (ops == &nap__go_ops)
		return nap_load_relaxed(&pool->counters) & GO_SHUTDOWN;
	if (ops == &nap__jec_ops)
		return nap_load_relaxed(&pool->sync) & JEC_SHUTDOWN;
	return sync_state(nap_load_relaxed(&pool->sync)) == SYNC_SHUTDOWN;
}

/*
 * As of the load: nobody is told to look at the queues once more, and nobody looks because of it.
 * (A worker that yields before it sleeps may be looking all the same.)
 */
static inline bool idle_words_nobody_called(struct nap_pool *pool)
{
	const struct nap__idle_ops *ops = idle_ops(pool);
	uint32_t sync;

	if (ops == &nap__go_ops)
		return go_searching(nap_load_relaxed(&pool->counters)) == 0;
	if (ops == &nap__jec_ops)
		return jec_awake(nap_load_relaxed(&pool->counters)) == 0;
	sync = nap_load_relaxed(&pool->sync);
	return sync_state(sync) == SYNC_PENDING && !(sync & SYNC_NOTIFIED);
}

#endif /* NAP_TESTS_IDLE_WORDS_H */

/* SPDX-License-Identifier: MIT */
/*
 * The idle protocols' answer to one more task when nobody is to be woken: in line, because that is
 * the usual one. What a protocol's notify begins with is asked here without a call.
 */
#ifndef NAP_IDLE_TOLD_H
#define NAP_IDLE_TOLD_H

#include <stdbool.h>

#include "idle/go.h"
#include "idle/idle.h"
#include "idle/jec.h"
#include "idle/sync.h"

/*
 * Called by a thread that has published one task: whether notifying would change nothing.
 * @was_empty: the queue was.
 * @lone: it is in the caller's own ring, which was. A full fence comes first.
 */
static inline bool idle_is_told(struct nap_pool *pool, bool was_empty, bool lone)
{
	uint32_t limit;

	nap_fence_seq_cst();	/* publish before looking; as each notify does [S1] [O1] [C1] */
	limit = nap_load_relaxed(&pool->limit);
	switch (idle_protocol(pool)) {
	case NAP_IDLE_SYNC:
		return !sync_must_notify(nap_load_relaxed(&pool->sync), limit) &&
		       (lone || !nap_load_relaxed(&pool->dozer));
	case NAP_IDLE_GO:
		return go_notify(nap_load_relaxed(&pool->counters), limit).act == GO_NOTHING;
	case NAP_IDLE_JEC:
		return jec_is_told(nap_load_relaxed(&pool->counters), was_empty,
				   nap_load_relaxed(&pool->sync) / JEC_SPAWNED_ONE, limit);
	default:
		return false;
	}
}

#endif /* NAP_IDLE_TOLD_H */

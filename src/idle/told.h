/* SPDX-License-Identifier: MIT */
/*
 * The idle protocols' answer to one more task when nobody is to be woken: in line, for that is the
 * usual one. What a protocol's notify begins with is asked here without a call.
 */
#ifndef NAP_IDLE_TOLD_H
#define NAP_IDLE_TOLD_H

#include <stdbool.h>

#include "idle/go.h"
#include "idle/idle.h"
#include "idle/jec.h"
#include "idle/sync.h"

/*
 * Worker that has published one task: whether notifying would change nothing. @was_empty: its ring
 * was. A full fence comes first.
 */
static inline bool idle_is_told(struct nap_pool *pool, bool was_empty)
{
	const struct nap__idle_ops *ops = idle_ops(pool);
	uint64_t word;

	nap_fence_seq_cst();	/* publish before looking; as each notify does [S1] [O1] [C1] */
	if (ops == &nap__sync_ops)
		return !sync_must_notify(nap_load_relaxed(&pool->sync),
					 nap_load_relaxed(&pool->limit));
	word = nap_load_relaxed(&pool->counters);
	if (ops == &nap__go_ops)
		return go_notify(word, nap_load_relaxed(&pool->limit)).act == GO_NOTHING;
	if (ops != &nap__jec_ops)
		return false;
	return !jec_is_sleepy(word) && !jec_missing(word, 1, was_empty);
}

#endif /* NAP_IDLE_TOLD_H */

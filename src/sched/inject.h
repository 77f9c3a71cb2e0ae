/* SPDX-License-Identifier: MIT */
/* Publishing from outside: pushes into the pool's injection queue. */
#ifndef NAP_INJECT_H
#define NAP_INJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "idle/protocols.h"
#include "idle/wave.h"
#include "queue/kind.h"

/*
 * Called by a thread inside: publishes a list in the injection queue. For a long list also calls
 * workers (src/idle/wave.h). False: the caller has to notify workers, with *@was_empty. Inlined
 * into each caller, so that the list of a single task stays in registers.
 */
IN_LINE bool inject(struct nap_pool *pool, struct nap_task *head, struct nap_task *tail,
		    size_t count, bool *was_empty)
{
	/*
	 * Checked only if the protocol wants to know, because the check reads a cache line that
	 * consumers write.
	 */
	*was_empty = idle_counts(pool) && inject_empty(&pool->inject);
	inject_push(&pool->inject, head, tail);
	wave(pool, count);
	return count == 1 && idle_is_notified(pool, *was_empty, false);
}

/*
 * Counts pushed tasks, perhaps after they were taken: src/life/remaining.c. Threads with a producer
 * slot do not use this: they count in the slot, by a plain store.
 */
static inline void count_injected(struct nap_pool *pool, size_t count)
{
	nap_fetch_add_relaxed(&pool->inject.pushed, count);
}

#endif /* NAP_INJECT_H */

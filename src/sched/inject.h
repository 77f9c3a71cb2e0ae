/* SPDX-License-Identifier: MIT */
/* Publishing from outside, in the pool's injection queue. */
#ifndef NAP_INJECT_H
#define NAP_INJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "idle/protocols.h"
#include "queue/kind.h"

/*
 * Publishes a list for all workers, from a thread inside. False: workers have to be notified, with
 * *@was_empty. Inlined into each caller: one with a single task keeps all in registers.
 */
IN_LINE bool inject(struct nap_pool *pool, struct nap_task *head, struct nap_task *tail,
		    size_t count, bool *was_empty)
{
	/* Only where the protocol counts: the check costs a line that the consumers write. */
	*was_empty = idle_counts(pool) && inject_empty(&pool->inject);
	inject_push(&pool->inject, head, tail);
	return count == 1 && idle_is_notified(pool, *was_empty, false);
}

/*
 * Counts what was pushed, perhaps after it was taken: src/life/remaining.c. A thread with a
 * producer slot counts there, by a plain store. Threads without a slot come seldom.
 */
static inline void count_injected(struct nap_pool *pool, size_t count)
{
	nap_fetch_add_relaxed(&pool->inject.pushed, count);
}

#endif /* NAP_INJECT_H */

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
 * A thread that is inside: publish for all workers. False: they are to be told, and if it
 * @was_empty. Each caller has a copy: one that knows of a single task keeps all in registers.
 */
IN_LINE bool inject(struct nap_pool *pool, struct nap_task *head, struct nap_task *tail,
		    size_t count, bool *was_empty)
{
	/* Unasked it would cost a line that the consumers write. */
	*was_empty = idle_counts(pool) && inject_empty(&pool->inject);
	inject_push(&pool->inject, head, tail);
	return count == 1 && idle_is_notified(pool, *was_empty, false);
}

/*
 * What was pushed, for src/life/remaining.c; perhaps after it was taken. A thread that has a producer slot has a
 * line for it, and a plain store. A thread that has none comes seldom.
 */
static inline void count_injected(struct nap_pool *pool, size_t count)
{
	nap_fetch_add_relaxed(&pool->inject.pushed, count);
}

#endif /* NAP_INJECT_H */

/* SPDX-License-Identifier: MIT */
/* What a thread that holds the consumer lock of an unbounded queue keeps on its stack. */
#ifndef NAP_QUEUE_CONSUMER_H
#define NAP_QUEUE_CONSUMER_H

#include <stdbool.h>

#include <nap/pool.h>

#include "arch/atomic.h"

struct nap__consumer {
	struct nap__queue *queue;
	struct nap_task *first;	/* the task that comes out next; none: NULL, or the stub */
	bool drained;		/* the last pop found no task: vyukov.h */
};

/* Called by the lock holder: counts @n tasks that were taken out. Any thread may read the count. */
static inline void queue_taken(struct nap__queue *q, uint32_t n)
{
	nap_store_relaxed(&q->taken, q->taken + n);
}

#endif /* NAP_QUEUE_CONSUMER_H */

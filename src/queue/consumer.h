/* SPDX-License-Identifier: MIT */
/* What the holder of an unbounded queue's consumer lock keeps at hand; on its stack. */
#ifndef NAP_QUEUE_CONSUMER_H
#define NAP_QUEUE_CONSUMER_H

#include <stdbool.h>

#include <nap/pool.h>

#include "arch/atomic.h"

struct nap__consumer {
	struct nap__queue *queue;
	struct nap_task *first;	/* the next to come out, or the kind's way to say none */
	bool drained;		/* the last pop found nothing (Vyukov) */
};

/* Lock holder: @n tasks were taken out. Read by anybody at any time. */
static inline void queue_taken(struct nap__queue *q, uint32_t n)
{
	nap_store_relaxed(&q->taken, q->taken + n);
}

#endif /* NAP_QUEUE_CONSUMER_H */

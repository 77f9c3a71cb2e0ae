/* SPDX-License-Identifier: MIT */
/*
 * Which class a worker serves next. Each worker chooses by itself, by stride scheduling
 * (Waldspurger and Weihl, "Stride Scheduling", 1995). The stride of a class is inversely
 * proportional to its weight. Serving a class adds its stride to its pass (classed.ahead), and the
 * class with the smallest pass is served next. Each pass is kept relative to the pass of the class
 * served last, and is never below it. So no pass wraps, and a class that had no tasks saves up no
 * claim. Strides are exact: the stride of a class is the product of the other classes' weights.
 *
 * The bound of nap/class.h. Suppose a task is queued behind n others while the pass of its class is
 * at most the stride of the class, s. The task is taken when the pass is at most (n + 1) * s beyond
 * the worker's pass at that time. Until then another class of stride t is served at most
 * (n + 1) * s / t + 1 times; s / t is the ratio of the weights. The sum over all classes is the
 * bound. A class is not charged if another consumer held its queue.
 *
 * The tasks without a class compete as one class, whether or not any is queued, because only a
 * search could find that out. When this class is next it is charged. If no such task is found, the
 * next class is served.
 *
 * Two designs were rejected. The first has rounds, in which each class is served as often as its
 * weight says. But a class of a large weight would wait for a whole round of the others; by strides
 * it is served between them. The second has one order for all workers. But each dequeue would write
 * a shared cache line.
 */
#ifndef NAP_CLASS_STRIDE_H
#define NAP_CLASS_STRIDE_H

#include <stdint.h>

#include "kit/class.h"
#include "worker/worker.h"

static inline uint32_t class_weight(struct nap_pool *pool, uint32_t party)
{
	uint32_t count = class_count(pool), w;

	if (party == CLASS_ORDINARY)
		/* Not noticed in tests when operands of - swapped: the count is 1 there. */
		party = count > NAP_CLASS_NORMAL ? NAP_CLASS_NORMAL : count - 1;
	w = pool->config.classes->of[party].weight;
	if (w == 0)
		return 1;
	return w < NAP_CLASS_WEIGHT_MAX ? w : NAP_CLASS_WEIGHT_MAX;
}

/* Returns the product of the other parties' weights. Four factors of 255 fit into 32 bits. */
static inline uint32_t find_stride(struct nap_pool *pool, uint32_t party)
{
	uint32_t product = 1;

	for (uint32_t p = 0; p < class_count(pool); p++)
		if (p != party)
			product *= class_weight(pool, p);
	return party == CLASS_ORDINARY ? product : product * class_weight(pool, CLASS_ORDINARY);
}

static inline uint32_t class_stride(struct nap_worker *worker, uint32_t party)
{
	uint32_t *known = &worker->classed.strides[party];

	if (!*known)
		*known = find_stride(worker->pool, party);
	return *known;
}

/* Charges @party, which has been served. */
static inline void charge_class(struct nap_worker *worker, uint32_t party)
{
	uint32_t *ahead = worker->classed.ahead, by = ahead[party];

	for (uint32_t p = 0; p < NAP__PARTIES; p++)
		ahead[p] -= ahead[p] < by ? ahead[p] : by;
	ahead[party] = class_stride(worker, party);
}

#endif /* NAP_CLASS_STRIDE_H */

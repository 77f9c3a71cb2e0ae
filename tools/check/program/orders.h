/* SPDX-License-Identifier: MIT */
#ifndef NAP_CHECK_ORDERS_H
#define NAP_CHECK_ORDERS_H

#include <stdint.h>

#include "graph/graph.h"

/* Translates __ATOMIC_RELAXED .. __ATOMIC_SEQ_CST. */
static inline unsigned parts(int order)
{
	static const uint8_t of[] = { O_RELAXED, O_ACQUIRE, O_ACQUIRE, O_RELEASE, O_ACQ_REL,
				      O_SEQ_CST };

	return of[order & 7];
}

#endif /* NAP_CHECK_ORDERS_H */

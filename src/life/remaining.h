/* SPDX-License-Identifier: MIT */
/* How much a pool has left to do: src/life/remaining.c. */
#ifndef NAP_REMAINING_H
#define NAP_REMAINING_H

#include <stdint.h>

#include <nap/end.h>


/* What is left, by place. */
struct nap__remaining {
	uint64_t injected, classes, rings, overflow;
	uint64_t serial;	/* in serial queues, beside the one that each queue stands for */
	uint32_t starts;	/* of fibers that wait for a stack */
	uint32_t calls;		/* that wait for a place */
	uint32_t workers, guests;	/* inside tasks */
};

/* Everything that is queued, calls included. */
static inline uint64_t left_queued(const struct nap__remaining *left)
{
	return left->injected + left->classes + left->rings + left->overflow + left->serial +
	       left->starts + left->calls;
}

/* Inside the visits; notes what was the most. */
void nap__remaining_count(struct nap_pool *pool, struct nap__remaining *left);

#endif /* NAP_REMAINING_H */

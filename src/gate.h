/* SPDX-License-Identifier: MIT */
/*
 * The gate: how many threads from outside are inside the pool. Its end takes away the workers'
 * memory and collects the queues, so it must know that nobody is left who looks at one or is about to
 * push into the other. Workers do not pass it: they are joined.
 *
 *	bits 2..31  calls inside
 *	GATE_GONE   no more entry at all: the workers' memory is about to go
 *	GATE_CLOSED schedules from outside are refused
 */
#ifndef NAP_GATE_H
#define NAP_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "atomic.h"
#include "futex.h"

#define GATE_CLOSED	1u
#define GATE_GONE	2u
#define GATE_ONE	4u

/* The caller's own memory keeps the pool's alive until it returns, so touching it here is fine. */
static inline void gate_leave(struct nap_pool *pool)
{
	/* Pairs with gate_wait_empty(): what was done inside. [G1] */
	uint32_t gate = nap_fetch_sub_release(&pool->gate, GATE_ONE);

	if ((gate & GATE_GONE) && gate < 2 * GATE_ONE)
		nap__futex_wake(&pool->gate, UINT32_MAX >> 1);
}

/* False: refused because of one of the bits in @closed. True: gate_leave() is owed. */
static inline bool gate_enter(struct nap_pool *pool, uint32_t closed)
{
	/* Pairs with gate_close(): what closed it. [G2] */
	uint32_t gate = nap_fetch_add_acquire(&pool->gate, GATE_ONE);

	if (!(gate & closed))
		return true;
	gate_leave(pool);
	return false;
}

static inline void gate_close(struct nap_pool *pool, uint32_t bits)
{
	nap_fetch_or_release(&pool->gate, bits);	/* pairs with gate_enter() [G2] */
}

/* The joiner, after GATE_GONE: until nobody is inside. */
static inline void gate_wait_empty(struct nap_pool *pool)
{
	uint32_t gate;

	/* Pairs with gate_leave(). [G1] */
	while ((gate = nap_load_acquire(&pool->gate)) >= GATE_ONE)
		nap__futex_wait(&pool->gate, gate, UINT64_MAX);
}

#endif /* NAP_GATE_H */

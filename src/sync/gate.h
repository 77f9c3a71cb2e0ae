/* SPDX-License-Identifier: MIT */
/*
 * Gates: how many calls from outside are inside the pool, and whether more may come in.
 *
 *	pool->intake	schedules, prewarms, and calls (src/fork/call.c) until they have returned.
 *			Closed by the shutdown. Once this gate and the producer slots are empty
 *			(src/worker/producer.h), every accepted task is published and notified.
 *	pool->visits	calls that read workers' records or wait for the pool. Closed by the
 *			joiner when all workers have left. Once this gate is empty, the records may
 *			be unmapped: of the calls that have begun only the join touches the pool.
 *
 * A worker needs no gate to schedule or to search, because the pool's join waits for its workers. A
 * worker that waits for a group, or makes a call that any thread may make, enters as other threads
 * do.
 *
 *	bit 0       GATE_CLOSED
 *	bits 1..31  calls inside
 */
#ifndef NAP_GATE_H
#define NAP_GATE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "os/futex.h"

#define GATE_CLOSED	1u
#define GATE_ONE	2u

/* Leaves the gate. The decrement is the last touch; the wake uses the address only. */
static inline void gate_leave(uint32_t *gate)
{
	/* Publishes what was done inside: pairs with gate_wait_empty(). [G1] */
	uint32_t word = nap_fetch_sub_release(gate, GATE_ONE);

	if (word == GATE_ONE + GATE_CLOSED)
		nap__futex_wake(gate, UINT32_MAX >> 1);
}

/*
 * Enters the gate. True: the caller has to call gate_leave(). False: the gate is closed. A thread
 * that finds the gate closed at its load writes nothing, so it does not delay a waiter for an empty
 * gate.
 */
static inline bool gate_enter(uint32_t *gate)
{
	/* Sees what was done before the closing: pairs with gate_close(). [G2] */
	if (nap_load_acquire(gate) & GATE_CLOSED)
		return false;
	/* pairs with gate_close() [G2] */
	if (!(nap_fetch_add_acquire(gate, GATE_ONE) & GATE_CLOSED))
		return true;
	gate_leave(gate);
	return false;
}

static inline void gate_close(uint32_t *gate)
{
	nap_fetch_or_release(gate, GATE_CLOSED);	/* pairs with gate_enter() [G2] */
}

/* Whether the gate is closed. If it is, the caller sees what was done before the closing. */
static inline bool gate_is_closed(uint32_t *gate)
{
	return nap_load_acquire(gate) & GATE_CLOSED;	/* pairs with gate_close() [G2] */
}

/*
 * Called after gate_close(): waits until no call is inside. Returns 0, or -ETIMEDOUT at the
 * @deadline (ns).
 */
static inline int gate_wait_empty(uint32_t *gate, uint64_t deadline)
{
	uint32_t word;
	int err = 0;	/* Not noticed in tests when 1 for 0: only -ETIMEDOUT is told apart. */

	/* Sees what was done inside: pairs with gate_leave(). [G1] */
	while ((word = nap_load_acquire(gate)) >= GATE_ONE) {
		if (err == -ETIMEDOUT)
			return err;
		err = nap__futex_wait(gate, word, deadline);
	}
	return 0;
}

#endif /* NAP_GATE_H */

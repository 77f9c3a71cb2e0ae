/* SPDX-License-Identifier: MIT */
/*
 * Producer slots. A thread from outside that schedules again and again owns a slot, and passes the
 * intake (src/sync/gate.h) without a locked instruction. (The idea is that of biased locks: Dice,
 * Moir and Scherer, "Quickly Reacquirable Locks", 2003; here no thread takes over another's slot.)
 *
 * A thread takes one of the pool's few slots at its second schedule in a row, and remembers it.
 * From then on it marks by plain stores that it is inside. The cost is on the thread that closes
 * the intake and waits until no thread is inside:
 *
 *	producer				closer
 *	--------				------
 *	inside					membarrier [G3]
 *	compiler barrier [G3]			wait while a thread is inside [G1]
 *	is the intake closed? then refused
 *	push and notify
 *	no longer inside [G1]
 *
 * Either the producer sees that the intake is closed, or the closer sees that the producer is
 * inside.
 *
 * A slot keeps its owner until the pool is initialised again. A slot is one word: the address of
 * the owner's record (nap__self()), and PRODUCER_INSIDE. So the end of a thread needs no action: a
 * later thread with a record at the same address has the same slot. A thread without a slot counts
 * itself in the gate.
 */
#ifndef NAP_PRODUCER_H
#define NAP_PRODUCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/atomic.h"
#include "sync/gate.h"
#include "worker/self.h"

#define PRODUCER_INSIDE	((uintptr_t)1)

/* Leaves the slot, as the thread's last touch of the pool. */
static inline void producer_leave(struct nap__producer *producer)
{
	/*
	 * Publishes what was done inside, now or earlier: pairs with nap__producers_wait_empty().
	 * [G1]
	 */
	nap_store_release(&producer->owner, (uintptr_t)nap__self_in_parent());
}

/*
 * Enters a plain pool by the calling thread's producer slot; NULL: not entered. A signal handler
 * may schedule while its thread is inside: the handler finds the slot marked, and enters by the
 * gate. The handler may then change self->producer, so this function reads the word only once.
 */
static inline struct nap__producer *producer_enter(struct nap_pool *pool)
{
	struct nap__self *self = nap__self_in_parent();
	struct nap__producer *producer = nap_load_relaxed(&self->producer);
	uintptr_t me = (uintptr_t)self;

	/*
	 * In the child of a fork the pool is not plain; and in a new pool the slot has another
	 * owner.
	 */
	if ((uintptr_t)producer - (uintptr_t)pool->producers >= sizeof(pool->producers) ||
	    !pool_is_plain(pool) || nap_load_relaxed(&producer->owner) != me)
		return NULL;
	nap_store_relaxed(&producer->owner, me | PRODUCER_INSIDE);
	/*
	 * Mark the slot before checking the gate; pairs with the membarrier in
	 * nap__producers_wait_empty(). [G3]
	 */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!gate_is_closed(&pool->intake))
		return producer;
	producer_leave(producer);
	return NULL;
}

/*
 * Called by a thread without a slot, inside the intake: may take a slot for the thread's next call.
 */
void nap__producer_take(struct nap_pool *pool);

/*
 * Waits until all producer slots are empty, as gate_wait_empty(). Called by the thread that has
 * closed the intake and found it empty.
 */
int nap__producers_wait_empty(struct nap_pool *pool, uint64_t deadline);

#endif /* NAP_PRODUCER_H */

/* SPDX-License-Identifier: MIT */
/*
 * The ring of events of threads from outside: many writers, which overwrite the oldest, and readers
 * that copy.
 *
 * A writer takes a ticket, by which the slot is chosen. The slot's stamp says which ticket was
 * written there last, or is being written:
 *
 *	writer with ticket t              reader of ticket t
 *	--------------------              ------------------
 *	stamp: older, done -> busy t [M4] is the stamp done t?		[M4]
 *	write the words		   [M5]   copy the words		[M5]
 *	stamp = done t		   [M4]   is it still?
 *
 * If a slower writer, one lap behind, is still writing the slot, or a faster writer has taken the
 * slot already, the event is dropped, and counted. So no thread waits for another.
 *
 * If the reader copied a word of a later ticket, that ticket's writer had made the stamp busy
 * before. The acquire of the word makes this visible, so the second load of the stamp finds it
 * changed.
 */
#ifndef NAP_TRACE_SHARED_H
#define NAP_TRACE_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/state.h>

#include "arch/atomic.h"

/* The words of a struct nap_trace_outside: those of the event, and the thread. */
#define SHARED_WORDS	5

#define STAMP_BUSY(ticket)	(2 * (ticket) + 1)
#define STAMP_DONE(ticket)	(2 * (ticket) + 2)

struct nap__trace_slot {
	uint64_t stamp;			/* A: 0: never written */
	uint64_t words[SHARED_WORDS];	/* A */
};

struct nap__trace_shared {
	uint64_t tickets nap__line;	/* A */
	uint64_t dropped;		/* A: events that were not written */
	struct nap__trace_slot slots[] nap__line;
};

/* Any thread: writes an event. @mask: the ring's size, a power of two, less one. */
static inline void trace_shared_put(struct nap__trace_shared *ring, uint64_t mask,
				    const uint64_t *words)
{
	uint64_t ticket = nap_fetch_add_relaxed(&ring->tickets, 1);
	struct nap__trace_slot *slot = &ring->slots[ticket & mask];
	uint64_t stamp = nap_load_relaxed(&slot->stamp);

	/*
	 * The words of the earlier ticket come before these: pairs with the release of the stamp
	 * below. [M4] Not noticed in tests when >= for >: STAMP_BUSY() is odd.
	 */
	if ((stamp & 1) || stamp > STAMP_BUSY(ticket) ||
	    nap_cmpxchg_acquire(&slot->stamp, stamp, STAMP_BUSY(ticket)) != stamp) {
		nap_fetch_add_relaxed(&ring->dropped, 1);
		return;
	}
	for (uint32_t i = 0; i < SHARED_WORDS; i++)
		/* The stamp is busy before this: pairs with trace_shared_get(). [M5] */
		nap_store_release(&slot->words[i], words[i]);
	/* The words are written before this: pairs with trace_shared_get(). [M4] */
	nap_store_release(&slot->stamp, STAMP_DONE(ticket));
}

/* Any thread: copies the event of @ticket. False: the ring does not have it. */
static inline bool trace_shared_get(struct nap__trace_shared *ring, uint64_t mask, uint64_t ticket,
				    uint64_t *to)
{
	struct nap__trace_slot *slot = &ring->slots[ticket & mask];

	/* pairs with trace_shared_put() [M4] */
	if (nap_load_acquire(&slot->stamp) != STAMP_DONE(ticket))
		return false;
	for (uint32_t i = 0; i < SHARED_WORDS; i++)
		to[i] = nap_load_acquire(&slot->words[i]); /* pairs with trace_shared_put() [M5] */
	return nap_load_relaxed(&slot->stamp) == STAMP_DONE(ticket);
}

#endif /* NAP_TRACE_SHARED_H */

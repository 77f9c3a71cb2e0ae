/* SPDX-License-Identifier: MIT */
/*
 * A worker's ring of events: one writer, which overwrites the oldest, and readers that copy.
 *
 *	owner                             reader
 *	-----                             ------
 *	head is h                         read head: h0			[M3]
 *	write the words of event h [M2]   copy the events below h0	[M2]
 *	head = h + 1		   [M3]   read head: h1
 *	                                  keep those above h1 - size
 *
 * All of the owner's stores are releases, and the reader's loads acquires but the last. Below h0
 * everything is written. If a word that the reader copied for event e was that of e + size, or of
 * a later one, the owner had stored head = e + size before it; the word's store carries that
 * along, and so h1 is at least e + size. Then event e is not kept.
 *
 * On x86-64 the owner's stores are plain moves; nowhere does it lock or fence. (The idea is that of
 * the sequence lock's reader: Boehm, "Can Seqlocks Get Along With Programming Language Memory
 * Models?", 2012.)
 */
#ifndef NAP_TRACE_TRACK_H
#define NAP_TRACE_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/state.h>

#include "arch/atomic.h"

/* struct nap_trace_event as words: the time; kind, flags and other; a; b. */
#define TRACE_WORDS	4

/* Access: O the owner, o written by the owner and read by all. */
struct nap__trace_ring {
	uint64_t head nap__line;	/* o: how many were written */
	uint64_t dropped;		/* o: by a signal's handler inside of another event */
	uint64_t last;			/* O: the time of the last event */
	uint32_t writing;		/* O */
	uint64_t words[] nap__line;	/* o: TRACE_WORDS an event */
};

/*
 * Owner: begins an event. False: the caller is a handler that has interrupted another event, and
 * its own is dropped. From here until trace_ring_put() a handler neither writes the slot that the
 * owner has chosen, nor a later time than the owner has read. It is the same thread, so program
 * order is enough.
 */
static inline bool trace_ring_begin(struct nap__trace_ring *ring)
{
	if (nap_load_relaxed(&ring->writing)) {
		nap_store_relaxed(&ring->dropped, nap_load_relaxed(&ring->dropped) + 1);
		return false;
	}
	nap_store_relaxed(&ring->writing, 1);
	return true;
}

/* Owner: returns @time, or that of the last event, if another CPU's counter is a little behind. */
static inline uint64_t trace_ring_time(struct nap__trace_ring *ring, uint64_t time)
{
	uint64_t last = nap_load_relaxed(&ring->last);

	time = time < last ? last : time;
	nap_store_relaxed(&ring->last, time);
	return time;
}

/*
 * Owner: writes the event that has begun. @mask: the ring's size, a power of two, less one.
 */
static inline void trace_ring_put(struct nap__trace_ring *ring, uint64_t mask, const uint64_t *words)
{
	uint64_t head = nap_load_relaxed(&ring->head);
	uint64_t *slot = &ring->words[(head & mask) * TRACE_WORDS];

	for (uint32_t i = 0; i < TRACE_WORDS; i++)
		/* Pairs with trace_ring_copy(): head, as it was before this event. [M2] */
		nap_store_release(&slot[i], words[i]);
	nap_store_release(&ring->head, head + 1);	/* pairs with trace_ring_copy(): the words [M3] */
	nap_store_relaxed(&ring->writing, 0);
}

/*
 * Any thread: copies the events that are there to @to, which has room for all of the ring's.
 * Returns how many events were ever written. Those from *@first on are kept: @to has them from
 * *@begin on, in events.
 */
static inline uint64_t trace_ring_copy(struct nap__trace_ring *ring, uint64_t mask, uint64_t *to,
				       uint64_t *first, uint64_t *begin)
{
	uint64_t head = nap_load_acquire(&ring->head);	/* pairs with trace_ring_put() [M3] */
	uint64_t from = head > mask ? head - mask - 1 : 0, now, n = 0;

	for (uint64_t e = from; e < head; e++)
		for (uint32_t i = 0; i < TRACE_WORDS; i++)
			/* Pairs with trace_ring_put(). [M2] */
			to[n++] = nap_load_acquire(&ring->words[(e & mask) * TRACE_WORDS + i]);
	now = nap_load_relaxed(&ring->head);
	/* The slot of event now - size may be the one that the owner is writing. */
	*first = now > mask ? now - mask : 0;
	*first = *first < from ? from : *first;
	*first = *first > head ? head : *first;
	*begin = *first - from;
	return head;
}

#endif /* NAP_TRACE_TRACK_H */

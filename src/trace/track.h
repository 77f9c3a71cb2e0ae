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
 * All of the owner's stores are releases, and all of the reader's loads, except the last, are
 * acquires. All events below h0 are written. If a word that the reader copied for event e was that
 * of e + size, or of a later one, the owner had stored head = e + size before the word. The acquire
 * of the word makes this visible: so h1 is at least e + size, and event e is not kept.
 *
 * On x86-64 the owner's stores are plain moves; on no machine does the owner execute a locked
 * instruction or a fence. (The idea is that of the sequence lock's reader: Boehm, "Can Seqlocks Get
 * Along With Programming Language Memory Models?", 2012.)
 */
#ifndef NAP_TRACE_TRACK_H
#define NAP_TRACE_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/state.h>

#include "arch/atomic.h"

/* The words of a struct nap_trace_event: the time; kind, flags and other; a; b. */
#define TRACE_WORDS	4

/* Access letters: O: only the owner, o: written by the owner, read by all threads. */
struct nap__trace_ring {
	uint64_t head nap__line;	/* o: the number of events that were ever written */
	/* o: events of signal handlers that interrupted another event */
	uint64_t dropped;
	uint64_t last;			/* O: the time of the last event */
	uint32_t writing;		/* O: an event has begun */
	uint64_t words[] nap__line;	/* o: TRACE_WORDS for each event */
};

/*
 * Owner: begins an event. False: the caller is a signal handler that has interrupted another event,
 * and its own event is dropped. So until trace_ring_put() no handler writes the slot that the owner
 * has chosen, and none stores a later time than the owner's. A handler is the same thread, so
 * program order is enough.
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

/*
 * Owner: returns @time, or the time of the last event if that is later: the counters of two CPUs
 * can differ a little, and the thread may have moved.
 */
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
static inline void trace_ring_put(struct nap__trace_ring *ring, uint64_t mask,
				  const uint64_t *words)
{
	uint64_t head = nap_load_relaxed(&ring->head);
	uint64_t *slot = &ring->words[(head & mask) * TRACE_WORDS];

	for (uint32_t i = 0; i < TRACE_WORDS; i++)
		/* The earlier head is stored before this: pairs with trace_ring_copy(). [M2] */
		nap_store_release(&slot[i], words[i]);
	/* publishes the words: pairs with trace_ring_copy() [M3] */
	nap_store_release(&ring->head, head + 1);
	nap_store_relaxed(&ring->writing, 0);
}

/*
 * Any thread: copies the events of the ring to @to, which has room for all of them. Returns how
 * many events were ever written. Events from number *@first on are valid: they begin at event
 * *@begin of @to.
 */
static inline uint64_t trace_ring_copy(struct nap__trace_ring *ring, uint64_t mask, uint64_t *to,
				       uint64_t *first, uint64_t *begin)
{
	uint64_t head = nap_load_acquire(&ring->head);	/* pairs with trace_ring_put() [M3] */
	uint64_t from = head > mask ? head - mask - 1 : 0, now, n = 0;

	for (uint64_t e = from; e < head; e++)
		for (uint32_t i = 0; i < TRACE_WORDS; i++)
			/*
			 * Sees the head that was stored before the word: pairs with
			 * trace_ring_put(). [M2]
			 */
			to[n++] = nap_load_acquire(&ring->words[(e & mask) * TRACE_WORDS + i]);
	now = nap_load_relaxed(&ring->head);
	/* The owner may just be writing the slot of event now - size. */
	*first = now > mask ? now - mask : 0;
	*first = *first < from ? from : *first;
	*first = *first > head ? head : *first;
	*begin = *first - from;
	return head;
}

#endif /* NAP_TRACE_TRACK_H */

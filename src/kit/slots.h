/* SPDX-License-Identifier: MIT */
/*
 * The slots of a submitter: which are free, and how many are taken.
 *
 * A submitting thread is first counted as one that takes a slot. That fails when all are taken;
 * else there is one on the list of free slots, until it has popped that. The thread that has run
 * the function does the opposite: it pushes the slot, then is no longer counted.
 *
 *	submit->taken	bits 0..23   slots that are taken
 *			bit 24       the high mark was passed
 *			bit 25       workers may sleep until there is one, listed in submit->waiters
 *			bits 32..63  others that do, on submit->event, or are about to
 *	submit->free	bits 0..31   the first free slot; behind the last one there is none
 *			bits 32..63  a tag, which every change counts up
 *
 * A slot's next is how far its successor is from the adjacent slot. So zeroed memory is a list of
 * all of them. While its function runs it is SLOT_RUNS, which no distance is.
 *
 * The count and the mark are one word, so the thread that passes a mark knows it, and no other
 * does. The program is told after the schedule: its function may take its time, and what the slot
 * is for does not wait for that.
 */
#ifndef NAP_SLOTS_H
#define NAP_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/submit.h>

#include "arch/atomic.h"
#include "os/futex.h"
#include "os/happens.h"
#include "sync/waitlist.h"

/* 0, or what nap_submit() and nap_submit_wait() answer before they look for a slot. */
int nap__submit_check(const struct nap_submitter *submit, nap_submit_fn fn);

/* Take a slot and schedule @fn; -EAGAIN: there is none. */
int nap__submit_one(struct nap_submitter *submit, nap_submit_fn fn, void *arg);

#define TAKEN_HIGH		((uint64_t)1 << 24)
#define TAKEN_LISTED		((uint64_t)1 << 25)
#define TAKEN_WAITER_ONE	((uint64_t)1 << 32)

/* What a slot's next is from the beginning of its function on, until it is pushed again. */
#define SLOT_RUNS		((uint32_t)1 << 31)

static inline uint32_t slots_taken(uint64_t taken)
{
	return (uint32_t)taken & NAP_SLOTS;
}

/* So many may be taken, of as many as there are. */
static inline uint32_t slots_limit(const struct nap_submitter *submit)
{
	uint32_t limit = nap_load_relaxed((uint32_t *)&submit->limit);

	return limit ? limit : submit->count;
}

static inline bool slots_all_taken(struct nap_submitter *submit)
{
	return slots_taken(nap_load_relaxed(&submit->taken)) >= slots_limit(submit);
}

static inline void slots_call_mark(struct nap_submitter *submit)
{
	unseen_end();
	submit->mark(submit);
	unseen_begin();
}

static inline void slots__remember_most(struct nap_submitter *submit, uint32_t count)
{
	uint32_t most = nap_load_relaxed(&submit->most);

	while (most < count && !nap_try_cmpxchg_relaxed(&submit->most, &most, count))
		;
}

/* Count a slot as taken. False: all are taken. @passed: the count has passed the high mark. */
static inline bool slots_count_up(struct nap_submitter *submit, bool *passed)
{
	uint64_t taken = nap_load_relaxed(&submit->taken), next;

	do {
		if (slots_taken(taken) >= slots_limit(submit))
			return false;
		next = taken + 1;
		if (submit->high && slots_taken(next) >= submit->high)
			next |= TAKEN_HIGH;
		/* Pairs with slots_count_down(): the slots that were pushed. [K1] */
	} while (!nap_try_cmpxchg_acquire(&submit->taken, &taken, next));
	slots__remember_most(submit, slots_taken(next));
	*passed = submit->mark && (taken ^ next) & TAKEN_HIGH;
	return true;
}

/*
 * There is a slot, and there were those who wait. Of those outside one is told. Of the workers all
 * that are listed: each is needed for what is queued, too, so there is no order among them.
 */
static inline void slots__tell(struct nap_submitter *submit, uint64_t taken)
{
	if (taken >= TAKEN_WAITER_ONE) {
		/* Pairs with sleep_outside(): the count. [K3] */
		nap_fetch_add_release(&submit->event, 1);
		nap__futex_wake(&submit->event, 1);
	}
	if (taken & TAKEN_LISTED) {
		/*
		 * The list: our count was a read-modify-write of what slots_await() has
		 * stored, and continues its release sequence. [K4]
		 */
		nap_load_acquire(&submit->taken);
		waitlist_wake(&submit->waiters, EVENT_LATCH);
	}
}

/*
 * The caller is to be told of a slot: it is listed, and has @flag set, or is counted, and adds
 * @one. False: there is a slot.
 */
static inline bool slots_await(struct nap_submitter *submit, uint64_t flag, uint64_t one)
{
	uint64_t taken = nap_load_relaxed(&submit->taken);

	while (slots_taken(taken) >= slots_limit(submit)) {
		/*
		 * Pairs with slots__tell(): the list; a counted waiter has none. [K4] With
		 * slots_tell_all(): the limit, for the look that comes after this. [K7]
		 */
		if (nap_try_cmpxchg_acq_rel(&submit->taken, &taken, (taken | flag) + one))
			return true;
	}
	return false;
}

/* There may be many slots more: the limit has risen. */
static inline void slots_tell_all(struct nap_submitter *submit)
{
	/* Pairs with slots_await(): the limit, or who waits. [K7] */
	uint64_t taken = nap_fetch_and_release(&submit->taken, ~TAKEN_LISTED);

	if (taken >= TAKEN_WAITER_ONE) {
		/* Pairs with sleep_outside(): the limit. [K3] */
		nap_fetch_add_release(&submit->event, 1);
		nap__futex_wake(&submit->event, UINT32_MAX >> 1);
	}
	if (taken & TAKEN_LISTED) {
		/* As in slots__tell(). [K4] */
		nap_load_acquire(&submit->taken);
		waitlist_wake(&submit->waiters, EVENT_LATCH);
	}
}

static inline void slots_count_down(struct nap_submitter *submit)
{
	uint64_t taken = nap_load_relaxed(&submit->taken), next;

	do {
		next = (taken - 1) & ~TAKEN_LISTED;
		if (slots_taken(next) <= submit->low)
			next &= ~TAKEN_HIGH;
		/* Pairs with slots_count_up(). [K1] */
	} while (!nap_try_cmpxchg_release(&submit->taken, &taken, next));
	slots__tell(submit, taken);
	if (submit->mark && (taken ^ next) & TAKEN_HIGH)
		slots_call_mark(submit);
}

static inline uint64_t slots__free(uint32_t first, uint64_t old)
{
	return ((old >> 32) + 1) << 32 | first;
}

/* By one that is counted. */
static inline struct nap_slot *slots_pop(struct nap_submitter *submit)
{
	for (;;) {
		/* Pairs with slots_push(): the link, and what its last user has read. [K2] */
		uint64_t word = nap_load_acquire(&submit->free);
		uint32_t first = (uint32_t)word;
		uint32_t next = first + 1 + nap_load_relaxed(&submit->slots[first].next);

		if (nap_try_cmpxchg_relaxed(&submit->free, &word, slots__free(next, word)))
			return &submit->slots[first];
	}
}

static inline void slots_push(struct nap_submitter *submit, struct nap_slot *slot)
{
	uint32_t index = (uint32_t)(slot - submit->slots);
	uint64_t word = nap_load_relaxed(&submit->free);

	do {
		nap_store_relaxed(&slot->next, (uint32_t)word - (index + 1));
		/* Pairs with slots_pop(). [K2] */
	} while (!nap_try_cmpxchg_release(&submit->free, &word, slots__free(index, word)));
}

/* By the worker that is about to call the slot's function. */
static inline void slots_begin(struct nap_slot *slot)
{
	/* Pairs with slots_nr_run(): the worker is none that waits for something else. [K6] */
	nap_store_release(&slot->next, SLOT_RUNS);
}

/*
 * How many are taken: the last word that is there, and all that gave slots back before it, so that
 * none of their SLOT_RUNS is still seen.
 */
static inline uint32_t slots_taken_last(struct nap_submitter *submit)
{
	uint64_t taken = nap_load_relaxed(&submit->taken);

	/* Pairs with slots_count_down(). [K1] */
	while (!nap_try_cmpxchg_acquire(&submit->taken, &taken, taken))
		;
	return slots_taken(taken);
}

/*
 * In how many slots the function has begun, and the slot was not given back. If these are all that
 * are taken, no slot is about to be scheduled, or to be free, and none is queued.
 */
static inline uint32_t slots_nr_run(struct nap_submitter *submit)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < submit->count; i++)
		/* Pairs with slots_begin(). [K6] */
		n += nap_load_acquire(&submit->slots[i].next) == SLOT_RUNS;
	return n;
}

#endif /* NAP_SLOTS_H */

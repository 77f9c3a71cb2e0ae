/* SPDX-License-Identifier: MIT */
/*
 * The slots of a submitter: which are free, and how many are taken.
 *
 * A submitting thread first counts a slot as taken, which fails when all are taken; then it pops a
 * slot from the list of free slots. The thread that has run the function does the opposite: it
 * pushes the slot, then counts it as free.
 *
 *	submit->taken	bits 0..23   slots that are taken
 *			bit 24       the high mark was passed
 *			bit 25       workers wait for a slot, listed in submit->waiters
 *			bits 32..63  other threads that wait, or are about to, on submit->event
 *	submit->free	bits 0..31   the first free slot; an index after the last slot: none
 *			bits 32..63  a tag, which every change increments
 *
 * A slot's next is the distance from the adjacent slot to the slot's successor in the list. So
 * zeroed memory is a list of all slots. While a slot's function runs, next is SLOT_RUNS, which is
 * no distance.
 *
 * The count and the mark are in one word, so exactly one thread knows that it has passed a mark.
 * That thread calls the program's function after it has scheduled, so that the slot does not wait
 * for that function.
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

/* Returns 0, or the error of nap_submit() and nap_submit_wait() for wrong arguments. */
int nap__submit_check(const struct nap_submitter *submit, nap_submit_fn fn);

/* Takes a slot and schedules @fn; -EAGAIN: no slot is free. */
int nap__submit_one(struct nap_submitter *submit, nap_submit_fn fn, void *arg);

#define TAKEN_HIGH		((uint64_t)1 << 24)
#define TAKEN_LISTED		((uint64_t)1 << 25)
#define TAKEN_WAITER_ONE	((uint64_t)1 << 32)

/* A slot's next from the beginning of its function until the slot is pushed. */
#define SLOT_RUNS		((uint32_t)1 << 31)

static inline uint32_t slots_taken(uint64_t taken)
{
	return (uint32_t)taken & NAP_SLOTS;
}

/* Returns how many slots may be taken. */
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

/* Counts a slot as taken. False: all are taken. @passed: the count has passed the high mark. */
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
 * Wakes, for a free slot, the waiters that @taken has: one thread from outside, and all listed
 * workers. Each worker is needed for what is queued, too, so there is no order among workers.
 */
static inline void slots__notify(struct nap_submitter *submit, uint64_t taken)
{
	if (taken >= TAKEN_WAITER_ONE) {
		/* Pairs with sleep_outside(): the count. [K3] */
		nap_fetch_add_release(&submit->event, 1);
		nap__futex_wake(&submit->event, 1);
	}
	if (taken & TAKEN_LISTED) {
		/*
		 * Acquire: the list. The caller's count was a read-modify-write of what
		 * slots_await() has stored, and continues its release sequence. [K4]
		 */
		nap_load_acquire(&submit->taken);
		waitlist_wake(&submit->waiters, EVENT_LATCH);
	}
}

/*
 * Asks for notification of a free slot: the caller has listed itself, and sets @flag; or adds @one,
 * and sleeps on submit->event. False: there is a slot.
 */
static inline bool slots_await(struct nap_submitter *submit, uint64_t flag, uint64_t one)
{
	uint64_t taken = nap_load_relaxed(&submit->taken);

	while (slots_taken(taken) >= slots_limit(submit)) {
		/*
		 * Pairs with slots__notify(): the list; a counted waiter has none. [K4] With
		 * slots_notify_all(): the limit, for the check that comes after this. [K7]
		 */
		if (nap_try_cmpxchg_acq_rel(&submit->taken, &taken, (taken | flag) + one))
			return true;
	}
	return false;
}

/* Wakes all waiters: the limit has risen, so there may be many free slots. */
static inline void slots_notify_all(struct nap_submitter *submit)
{
	/* Pairs with slots_await(): the limit, or that a thread waits. [K7] */
	uint64_t taken = nap_fetch_and_release(&submit->taken, ~TAKEN_LISTED);

	if (taken >= TAKEN_WAITER_ONE) {
		/* Pairs with sleep_outside(): the limit. [K3] */
		nap_fetch_add_release(&submit->event, 1);
		nap__futex_wake(&submit->event, UINT32_MAX >> 1);
	}
	if (taken & TAKEN_LISTED) {
		/* As in slots__notify(). [K4] */
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
	slots__notify(submit, taken);
	if (submit->mark && (taken ^ next) & TAKEN_HIGH)
		slots_call_mark(submit);
}

static inline uint64_t slots__free(uint32_t first, uint64_t old)
{
	return ((old >> 32) + 1) << 32 | first;
}

/* Pops a slot, which the caller has counted as taken. */
static inline struct nap_slot *slots_pop(struct nap_submitter *submit)
{
	for (;;) {
		/* Pairs with slots_push(): the link, and what the last user has read. [K2] */
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

/* Marks the slot, whose function the worker is about to call. */
static inline void slots_begin(struct nap_slot *slot)
{
	/* Pairs with slots_nr_run(): that the worker no longer waits for anything else. [K6] */
	nap_store_release(&slot->next, SLOT_RUNS);
}

/*
 * Returns how many slots are taken, by a read-modify-write: the latest value. The acquire also
 * orders all that gave slots back before, so that none of their SLOT_RUNS is seen any longer.
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
 * Returns in how many slots the function runs. If these are all taken slots, no slot is queued,
 * about to be scheduled, or about to be free.
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

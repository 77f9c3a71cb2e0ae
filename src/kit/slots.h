/* SPDX-License-Identifier: MIT */
/*
 * The slots of a submitter: the list of free slots, and the count of taken ones.
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
 * A slot's next is a distance: from the slot that follows it in memory to the slot that follows it
 * in the list. So zeroed memory is a list of all slots. While a slot's function runs, next is
 * SLOT_RUNS, which is no distance.
 *
 * The count and the mark are in one word, so exactly one thread knows that it has passed a mark. At
 * the high mark that thread calls @mark after it has scheduled its slot, so that the slot's
 * function does not wait for @mark.
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

	/* Not noticed in tests when <= for <: an equal number would only be stored again. */
	while (most < count && !nap_try_cmpxchg_relaxed(&submit->most, &most, count))
		;
}

/*
 * Counts a slot as taken. False: all are taken. *@passed: whether the count has passed the high
 * mark.
 */
static inline bool slots_count_up(struct nap_submitter *submit, bool *passed)
{
	uint64_t taken = nap_load_relaxed(&submit->taken), next;

	do {
		if (slots_taken(taken) >= slots_limit(submit))
			return false;
		next = taken + 1;
		if (submit->high && slots_taken(next) >= submit->high)
			next |= TAKEN_HIGH;
		/* Sees the slots that were pushed back: pairs with slots_count_down(). [K1] */
	} while (!nap_try_cmpxchg_acquire(&submit->taken, &taken, next));
	slots__remember_most(submit, slots_taken(next));
	*passed = submit->mark && (taken ^ next) & TAKEN_HIGH;
	return true;
}

/*
 * Wakes waiters for a free slot, as @taken says: one thread from outside, and all listed workers.
 * All workers are woken, because each may also run queued tasks.
 */
static inline void slots__notify(struct nap_submitter *submit, uint64_t taken)
{
	/* Not noticed in tests when > for >=: never equal, because @taken has a slot, too. */
	if (taken >= TAKEN_WAITER_ONE) {
		/* The count is changed before this: pairs with sleep_outside(). [K3] */
		nap_fetch_add_release(&submit->event, 1);
		nap__futex_wake(&submit->event, 1);
	}
	if (taken & TAKEN_LISTED) {
		/*
		 * Sees the list of waiters: pairs with slots_await(), whose release sequence the
		 * caller's change of the count continues. [K4]
		 */
		nap_load_acquire(&submit->taken);
		waitlist_wake(&submit->waiters, EVENT_LATCH);
	}
}

/*
 * Asks for a notification when a slot is free: a worker, which has listed itself, sets @flag;
 * another thread adds @one, and then sleeps on submit->event. False: there is a free slot.
 */
static inline bool slots_await(struct nap_submitter *submit, uint64_t flag, uint64_t one)
{
	uint64_t taken = nap_load_relaxed(&submit->taken);

	while (slots_taken(taken) >= slots_limit(submit)) {
		/*
		 * Release: publishes the listed waiter to slots__notify(). [K4] Acquire: sees the
		 * limit that was set before slots_notify_all(); the caller checks the limit after
		 * this. [K7]
		 */
		if (nap_try_cmpxchg_acq_rel(&submit->taken, &taken, (taken | flag) + one))
			return true;
	}
	return false;
}

/* Wakes all waiters: the limit has risen, so there may be many free slots. */
static inline void slots_notify_all(struct nap_submitter *submit)
{
	/*
	 * The new limit is stored before this: pairs with slots_await(). Either this thread sees
	 * the waiter, or the waiter sees the limit. [K7]
	 */
	uint64_t taken = nap_fetch_and_release(&submit->taken, ~TAKEN_LISTED);

	/* Not noticed in tests when > for >=: if equal, all slots are free, as the waiter knows. */
	if (taken >= TAKEN_WAITER_ONE) {
		/* The limit is stored before this: pairs with sleep_outside(). [K3] */
		nap_fetch_add_release(&submit->event, 1);
		nap__futex_wake(&submit->event, UINT32_MAX >> 1);
	}
	if (taken & TAKEN_LISTED) {
		/*
		 * Sees the list of waiters: pairs with slots_await(), as in slots__notify(). [K4]
		 */
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
		/* The slot was pushed before this: pairs with slots_count_up(). [K1] */
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
		/* Sees the link, and the end of the last use: pairs with slots_push(). [K2] */
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
		/* The link is written before this: pairs with slots_pop(). [K2] */
	} while (!nap_try_cmpxchg_release(&submit->free, &word, slots__free(index, word)));
}

/* Marks the slot, before the worker calls its function. */
static inline void slots_begin(struct nap_slot *slot)
{
	/* The worker is no longer idle before this: pairs with slots_nr_run(). [K6] */
	nap_store_release(&slot->next, SLOT_RUNS);
}

/*
 * Returns how many slots are taken, by a read-modify-write, which reads the latest value. By the
 * acquire the caller sees all slots that were given back before, and no old SLOT_RUNS in them.
 */
static inline uint32_t slots_taken_last(struct nap_submitter *submit)
{
	uint64_t taken = nap_load_relaxed(&submit->taken);

	/* Sees what was given back: pairs with slots_count_down(). [K1] */
	while (!nap_try_cmpxchg_acquire(&submit->taken, &taken, taken))
		;
	return slots_taken(taken);
}

/*
 * Returns how many slots have a running function. If these are all taken slots, no function is
 * queued or about to be scheduled, and no slot is about to be free.
 */
static inline uint32_t slots_nr_run(struct nap_submitter *submit)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < submit->count; i++)
		/* Sees that the worker is no longer idle: pairs with slots_begin(). [K6] */
		n += nap_load_acquire(&submit->slots[i].next) == SLOT_RUNS;
	return n;
}

#endif /* NAP_SLOTS_H */

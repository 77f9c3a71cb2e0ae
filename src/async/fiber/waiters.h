/* SPDX-License-Identifier: MIT */
/*
 * Fibers and threads that wait for something, in order: a list under a small lock
 * (src/sync/lock.h). A waiter lies on the stack of the waiting fiber or thread.
 *
 *	waiter                            thread that has something to hand over
 *	------                            --------------------------------------
 *	open the wait (src/async/fiber/wait.h)
 *	lock: is there something? else    lock
 *	  list itself                     waiters_claim(): the first whose wait is still open
 *	unlock; sleep                     unlock
 *	                                  waiter_go_on(), the last touch
 *	wait ended otherwise: lock,
 *	  leave the list, unlock
 *
 * Waits are claimed under the lock. So if a wait has ended for another reason, and the waiter is no
 * longer listed, the waiter was skipped: nothing was handed over to it.
 */
#ifndef NAP_FIBER_WAITERS_H
#define NAP_FIBER_WAITERS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/sync.h>

#include "async/fiber/fiber.h"
#include "async/fiber/wait.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "sync/lock_word.h"

struct nap__fiber_waiter {
	struct nap__fiber_waiter *next, *prev;
	struct nap__fiber_wait *wait;
	uint32_t number;
	bool listed;
	bool has_twin;		/* the wait is listed more than once in this object */
	bool off;		/* the claim's result was CLAIM_OFF */
	uint32_t winner;	/* copied to the wait's winner when the wait is claimed here */
	void *what;		/* the value or memory that is handed over */
	int result;
};

/* Called under the lock: appends @waiter. */
static inline void waiters_add(struct nap__waiters *list, struct nap__fiber_waiter *waiter,
			       const struct nap__sleeper *sleeper)
{
	waiter->wait = sleeper->wait;
	waiter->number = sleeper->number;
	waiter->listed = true;
	waiter->next = NULL;
	waiter->prev = list->last;
	if (list->last)
		list->last->next = waiter;
	else
		list->first = waiter;
	list->last = waiter;
}

/* Called under the lock: puts @waiter before all other waiters. */
static inline void waiters_add_first(struct nap__waiters *list, struct nap__fiber_waiter *waiter,
				     const struct nap__sleeper *sleeper)
{
	waiter->wait = sleeper->wait;
	waiter->number = sleeper->number;
	waiter->listed = true;
	waiter->prev = NULL;
	waiter->next = list->first;
	if (list->first)
		list->first->prev = waiter;
	else
		list->last = waiter;
	list->first = waiter;
}

/* Called under the lock: removes @waiter, if it is listed. */
static inline void waiters_take(struct nap__waiters *list, struct nap__fiber_waiter *waiter)
{
	if (!waiter->listed)
		return;
	waiter->listed = false;
	if (waiter->prev)
		waiter->prev->next = waiter->next;
	else
		list->first = waiter->next;
	if (waiter->next)
		waiter->next->prev = waiter->prev;
	else
		list->last = waiter->prev;
}

/* Removes the first waiter of a list that is not empty. */
static inline struct nap__fiber_waiter *waiters_take_first(struct nap__waiters *list)
{
	struct nap__fiber_waiter *waiter = list->first, *next = waiter->next;

	waiter->listed = false;
	list->first = next;
	if (next)
		next->prev = NULL;
	else
		list->last = NULL;
	return waiter;
}

/*
 * Called under the lock: removes waiters up to the first one whose wait is still open, and claims
 * its wait. Returns this waiter, or NULL.
 */
static inline struct nap__fiber_waiter *waiters_claim(struct nap__waiters *list)
{
	while (list->first) {
		struct nap__fiber_waiter *waiter = waiters_take_first(list);
		enum nap__claim claim = nap__fiber_wait_claim_whole(waiter->wait, waiter->number);

		if (claim) {
			waiter->off = claim == CLAIM_OFF;
			waiter->wait->winner = waiter->winner;
			return waiter;
		}
	}
	return NULL;
}

/* Called under the lock: claims all waiters. Returns them as a list, linked by next. */
static inline struct nap__fiber_waiter *waiters_claim_all(struct nap__waiters *list)
{
	struct nap__fiber_waiter *all = NULL, **end = &all, *waiter;

	while ((waiter = waiters_claim(list))) {
		*end = waiter;
		end = &waiter->next;
	}
	*end = NULL;
	return all;
}

/*
 * Resumes @waiter, which the caller has claimed. Called without the lock, as the last touch of
 * @waiter.
 */
static inline void waiter_go_on(struct nap__fiber_waiter *waiter)
{
	happens_before(waiter);	/* for detectors: what the caller has done with the members */
	if (waiter->off)
		nap__fiber_ready(waiter->wait->fiber);
	else
		nap__fiber_wait_ready(waiter->wait);
}

static inline void waiters_go_on(struct nap__fiber_waiter *all)
{
	while (all) {
		struct nap__fiber_waiter *next = all->next;

		waiter_go_on(all);
		all = next;
	}
}

/*
 * Sleeps. The caller has listed @waiter, and released @lock. Returns 0 if @waiter was claimed, or
 * an error.
 */
static inline int waiter_sleep(struct nap__waiters *list, uint32_t *lock,
			       struct nap__fiber_waiter *waiter, struct nap__sleeper *sleeper,
			       uint64_t deadline)
{
	int err = nap__sleep(sleeper, deadline);

	if (!err) {
		happens_after(waiter);
	} else if (err != -ESHUTDOWN) {
		/* Not in the child of a fork, where the lock may be taken for ever. */
		word_take(lock);
		waiters_take(list, waiter);
		word_give(lock, 0, 0);
	}
	is_given(sleeper, sizeof(*sleeper));
	is_given(waiter, sizeof(*waiter));
	return err;
}

/*
 * Does the whole wait. @found() is called under the lock, which is part of @word; if it returns
 * true there is nothing to wait for. Otherwise the caller lists a waiter, and sleeps until another
 * thread claims this waiter. Inlined, so that @found is inlined, too. @on and @object are for
 * sleeper_waits_for().
 */
static inline __attribute__((always_inline)) int
waiters_wait(struct nap__waiters *list, uint32_t *word, bool (*found)(uint32_t *word),
	     uint64_t deadline, uint32_t on, const void *object)
{
	struct nap__fiber_waiter waiter = { .what = NULL };
	struct nap__sleeper sleeper;
	bool is_there;
	int err;

	if (deadline_passed(deadline))
		return nap__timed_out();
	err = nap__sleeper_begin(&sleeper, NULL);
	if (err)
		return err;
	sleeper_waits_for(&sleeper, on, object);
	word_take(word);
	is_there = found(word);
	if (!is_there)
		waiters_add(list, &waiter, &sleeper);
	word_give(word, 0, 0);
	if (!is_there)
		return waiter_sleep(list, word, &waiter, &sleeper, deadline);
	nap__sleeper_withdraw(&sleeper);
	return 0;
}

#endif /* NAP_FIBER_WAITERS_H */

/* SPDX-License-Identifier: MIT */
/*
 * The waiters for something, in order: a list under a small lock (src/sync/lock.h). A waiter lies
 * on the stack of the waiting fiber or thread.
 *
 *	waits                             has something for it
 *	------                            ------
 *	open the wait (src/async/fiber/wait.h)
 *	lock: is there something? else    lock
 *	  list itself                     waiters_claim(): the first whose wait is still open
 *	unlock; sleep                     unlock
 *	                                  waiter_go_on(), the last touch
 *	ended otherwise: lock, leave the
 *	  list, unlock
 *
 * A wait is claimed under the lock. So a waiter that is no longer listed after a wait that has
 * ended otherwise was passed over, and got nothing.
 */
#ifndef NAP_FIBER_WAITERS_H
#define NAP_FIBER_WAITERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/sync.h>

#include "async/fiber/wait.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "sync/lock_word.h"

struct nap__fiber_waiter {
	struct nap__fiber_waiter *next, *prev;
	struct nap__wait *wait;
	uint32_t number;
	bool listed;
	bool has_twin;		/* its wait is listed more than once with this object */
	uint32_t winner;	/* what the wait's is to be, when it is claimed here */
	void *what;		/* whatever is handed over */
	int result;
};

/* Under the lock. */
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

/* The same, before all others. */
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

/* Under the lock: take it out, if it is in. */
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

/* The first of them, out of the list, which is not empty. */
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
 * Under the lock: the one that has waited longest, out of the list, whose wait nobody else ends; or
 * NULL.
 */
static inline struct nap__fiber_waiter *waiters_claim(struct nap__waiters *list)
{
	while (list->first) {
		struct nap__fiber_waiter *waiter = waiters_take_first(list);

		if (nap__wait_claim(waiter->wait, waiter->number, WAIT_WOKEN)) {
			waiter->wait->winner = waiter->winner;
			return waiter;
		}
	}
	return NULL;
}

/* Under the lock: all of them, as a list by next. */
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

/* Called by the thread that has claimed @waiter, without the lock. The last touch. */
static inline void waiter_go_on(struct nap__fiber_waiter *waiter)
{
	happens_before(waiter);	/* what it waits with was looked at, or written */
	nap__wait_ready(waiter->wait);
}

static inline void waiters_go_on(struct nap__fiber_waiter *all)
{
	while (all) {
		struct nap__fiber_waiter *next = all->next;

		waiter_go_on(all);
		all = next;
	}
}

/* The caller has listed @waiter, and given @lock: until it is claimed, or why it was not. */
static inline int waiter_sleep(struct nap__waiters *list, uint32_t *lock,
			       struct nap__fiber_waiter *waiter, struct nap__sleeper *sleeper,
			       uint64_t deadline)
{
	int err = nap__sleep(sleeper, deadline);

	if (err) {
		word_take(lock);
		waiters_take(list, waiter);
		word_give(lock, 0, 0);
	} else {
		happens_after(waiter);
	}
	is_given(sleeper, sizeof(*sleeper));
	is_given(waiter, sizeof(*waiter));
	return err;
}

/*
 * Until @found, asked under the lock about @word, which is the lock too, says that there is nothing
 * to wait for, or until the caller is claimed. In line, so that @found is.
 */
static inline __attribute__((always_inline)) int
waiters_wait(struct nap__waiters *list, uint32_t *word, bool (*found)(uint32_t *word),
	     uint64_t deadline)
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

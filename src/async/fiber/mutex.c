/* SPDX-License-Identifier: MIT */
/*
 * Mutexes: nap/sync.h. The word has the lock of the list (src/sync/lock_word.h), and these:
 *
 *	OWNED	locked
 *	AWAITED	a waiter is listed
 *	WOKEN	a waiter was woken, and is about to lock; no other is woken until then
 *	passed	how often later callers have locked since a waiter last owned the mutex
 *
 * Without waiters each call is one compare-exchange.
 *
 *	owner                             waiter
 *	------                            ------
 *	                                  list itself: AWAITED
 *	unlock: AWAITED, not WOKEN:
 *	  claim the first, WOKEN, free
 *	...may lock it again: passed + 1
 *	                                  free: lock it, not WOKEN, passed = 0
 *	                                  else: list itself first, passed = the maximum
 *	unlock: passed is the maximum:
 *	  claim the first, hand over      owns it
 *
 * A mutex that is free and AWAITED is also WOKEN, because a woken waiter that gives up wakes the
 * next. When passed is the maximum, only the woken waiter may lock. (Go's sync/mutex.go also wakes
 * first and hands over later, and chooses between the two by a clock.)
 */
#include <nap/sync.h>

#include "arch/atomic.h"
#include "async/fiber/budget.h"
#include "async/fiber/waiters.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "worker/self.h"

#define OWNED		LOCK_STATE
#define AWAITED		(2 * LOCK_STATE)
#define WOKEN		(4 * LOCK_STATE)
#define PASSED		(8 * LOCK_STATE)	/* adds one to passed */
#define ALL_PASSED	(~(PASSED - 1))
#define MOST_PASSED	(NAP_MUTEX_OVERTAKES * PASSED)

_Static_assert(NAP_MUTEX_OVERTAKES <= ALL_PASSED / PASSED, "they are counted in the word");

/* waiter->result of a woken waiter: it has to try to lock, or is the owner */
enum { TO_TRY, HANDED_OVER };

void nap_mutex_init(struct nap_mutex *mutex)
{
	*mutex = (struct nap_mutex)NAP_MUTEX_INIT;
}

/*
 * Whether the caller may lock the mutex; *@next: the word when it is locked. @woken: the caller is
 * the WOKEN waiter.
 */
static bool may_take(uint32_t word, bool woken, uint32_t *next)
{
	if (word & OWNED)
		return false;
	*next = (woken ? word & ~(WOKEN | ALL_PASSED) : word) | OWNED;
	if (woken)
		return true;
	if (word & (AWAITED | WOKEN))
		*next += PASSED;
	/* Not noticed in tests when <= for <: one that was passed is AWAITED or WOKEN. */
	return word < MOST_PASSED;
}

/*
 * Notes the thread that has just locked. Relaxed, because was_taken_here() takes this only as a
 * hint.
 */
static inline void taken_here(struct nap_mutex *mutex)
{
	nap_store_relaxed(&mutex->taken_by, this_thread());
}

/* As taken_here(), out of line: after a wait the fiber may be on another thread. */
static __attribute__((noinline)) void taken_apart(struct nap_mutex *mutex)
{
	taken_here(mutex);
}

/*
 * Whether the owner locked the mutex on the calling thread; such an owner is a fiber that has
 * waited or given way since. Relaxed: a thread reads its own last store, or a later one of another
 * thread. If a later store is not visible yet, the answer is about an earlier owner; if two threads
 * have the same number, it may be about the other thread's owner. At worst a waiter then lists
 * itself where it could have tried again, or tries in vain.
 */
static inline bool was_taken_here(struct nap_mutex *mutex)
{
	return nap_load_relaxed(&mutex->taken_by) == this_thread();
}

/* Locks if possible. Sees what the earlier owner has done: pairs with nap_mutex_unlock(). [Y5] */
static __attribute__((noinline)) bool mutex_take(struct nap_mutex *mutex, bool woken)
{
	uint32_t word = nap_load_relaxed(&mutex->state), next;

	while (may_take(word, woken, &next)) {
		/* pairs with nap_mutex_unlock() [Y5] */
		if (nap_try_cmpxchg_acquire(&mutex->state, &word, next)) {
			taken_here(mutex);
			return true;
		}
	}
	return false;
}

/* Locks if possible. Typically the first compare-exchange succeeds. */
static inline bool take_at_once(struct nap_mutex *mutex)
{
	/* pairs with nap_mutex_unlock() [Y5] */
	return nap_cmpxchg_acquire(&mutex->state, 0, OWNED) == 0 ||
	       mutex_take(mutex, false);
}

/*
 * Spins for a short time: the caller was woken to try, and another caller has locked the mutex
 * since. An owner on another CPU soon unlocks; an owner that is a fiber of the calling thread
 * cannot run before the caller waits. (Linux spins while the owner runs, kernel/locking/mutex.c; Go
 * spins unless the worker has other work, runtime/proc.go.) Out of line, as taken_apart().
 */
static __attribute__((noinline)) bool take_soon(struct nap_mutex *mutex)
{
	/* Not noticed in tests when 1 for 0: the last attempt is left out. */
	for (int looks = 0; !mutex_take(mutex, true); looks++) {
		/* Not noticed in tests when > for >=: there is one more attempt. */
		if (looks >= NAP_LOCK_LOOKS || was_taken_here(mutex))
			return false;
		/* Not noticed in tests when dropped: only the other CPU has less of the cache. */
		nap_cpu_relax();
	}
	return true;
}

/* Called under the list's lock: locks, or sets AWAITED, and the caller lists itself. */
static bool mutex_take_or_await(struct nap_mutex *mutex, bool woken)
{
	uint32_t word = nap_load_relaxed(&mutex->state), next;
	bool taken;

	do {
		taken = may_take(word, woken, &next);
		/* the waiter was woken in vain: the next unlock hands over */
		if (!taken && woken)
			next = (word & ~(WOKEN | ALL_PASSED)) | AWAITED | MOST_PASSED;
		else if (!taken)
			next = word | AWAITED;
	/* pairs with nap_mutex_unlock() [Y5] */
	} while (!nap_try_cmpxchg_acquire(&mutex->state, &word, next));
	return taken;
}

/* Wakes the next waiter, because the woken waiter gives up. */
static void mutex_pass_on(struct nap_mutex *mutex)
{
	struct nap__fiber_waiter *next;

	word_take(&mutex->state);
	next = waiters_claim(&mutex->waiters);
	if (next) {
		/* Not noticed in tests when dropped: a waiter begins with it. */
		next->result = TO_TRY;
		/* Not noticed in tests when 1 for 0: word_give() clears that bit anyway. */
		word_give(&mutex->state, mutex->waiters.first ? 0 : AWAITED, 0);
		waiter_go_on(next);
	} else {
		word_give(&mutex->state, WOKEN | AWAITED | ALL_PASSED, 0);
	}
}

/* Notes the owner for a dump: the calling fiber, or NULL for a thread. */
static inline void owned_here(struct nap_mutex *mutex)
{
#ifndef NAP_NO_TRACE
	nap_store_relaxed(&mutex->owner, nap__self_in_parent()->fiber);
#else
	(void)mutex;
#endif
}

/* As owned_here(), out of line for the same reason as taken_apart(). */
static __attribute__((noinline)) void owned_apart(struct nap_mutex *mutex)
{
	owned_here(mutex);
}

/*
 * Waits once. If this returns 0, *@taken says whether the caller owns the mutex. A caller that does
 * not own it tries again.
 */
static int mutex_wait_once(struct nap_mutex *mutex, uint64_t deadline, bool woken, bool *taken)
{
	struct nap__fiber_waiter waiter = { .what = NULL };
	struct nap__sleeper sleeper;
	int err;

	err = deadline_passed(deadline) ? nap__timed_out() : nap__sleeper_begin(&sleeper, NULL);
	if (err) {
		if (woken)
			mutex_pass_on(mutex);
		return err;
	}
	sleeper_waits_for(&sleeper, NAP_TRACE_ON_MUTEX, mutex);
	word_take(&mutex->state);
	*taken = mutex_take_or_await(mutex, woken);
	if (!*taken && woken)
		waiters_add_first(&mutex->waiters, &waiter, &sleeper);
	else if (!*taken)
		waiters_add(&mutex->waiters, &waiter, &sleeper);
	word_give(&mutex->state, 0, 0);
	if (*taken) {
		taken_apart(mutex);
		nap__sleeper_withdraw(&sleeper);
		return 0;
	}
	err = waiter_sleep(&mutex->waiters, &mutex->state, &waiter, &sleeper, deadline);
	*taken = waiter.result == HANDED_OVER;
	return err;
}

static __attribute__((noinline)) int lock_slow(struct nap_mutex *mutex, uint64_t deadline)
{
	bool taken, woken = false;
	int err;

	do {
		err = mutex_wait_once(mutex, deadline, woken, &taken);
		woken = true;
	} while (!err && !taken && !take_soon(mutex));
	if (!err)
		owned_apart(mutex);
	return err;
}

static inline __attribute__((always_inline)) int lock_now(struct nap_mutex *mutex, uint64_t until,
							  bool from_now)
{
	int err = 0;

	if (take_at_once(mutex))
		owned_here(mutex);
	else
		err = lock_slow(mutex, from_now ? deadline_after(until) : until);
	if (!err)
		happens_after(mutex);
	return err;
}

/* Out of line for the same reason as taken_apart(). */
static __attribute__((noinline)) int give_way_and_lock(struct nap_mutex *mutex, uint64_t until,
						       bool from_now)
{
	nap__budget_spent();
	return lock_now(mutex, until, from_now);
}

/*
 * @until is a deadline; with @from_now it is a timeout, so that only a wait reads the clock. If
 * @until is 0 the call only polls.
 */
static inline __attribute__((always_inline)) int lock(struct nap_mutex *mutex, uint64_t until,
						      bool from_now)
{
	int err;

	unseen_begin();
	if (until && budget_is_spent())
		err = give_way_and_lock(mutex, until, from_now);
	else
		err = lock_now(mutex, until, from_now);
	unseen_end();
	return err;
}

int nap_mutex_lock(struct nap_mutex *mutex)
{
	/* Not noticed in tests when true for false: NAP_FOREVER from now on is the same. */
	return lock(mutex, NAP_FOREVER, false);
}

int nap_mutex_lock_for(struct nap_mutex *mutex, uint64_t timeout_ns)
{
	return lock(mutex, timeout_ns, true);
}

int nap_mutex_lock_until(struct nap_mutex *mutex, uint64_t deadline)
{
	return lock(mutex, deadline, false);
}

bool nap_mutex_trylock(struct nap_mutex *mutex)
{
	bool taken;

	unseen_begin();
	taken = take_at_once(mutex);
	if (taken) {
		owned_here(mutex);
		happens_after(mutex);
	}
	unseen_end();
	return taken;
}

/*
 * Called when a waiter is listed, and none is WOKEN: wakes a waiter. Only the owner wakes, so the
 * condition still holds under the lock. The release is the last touch of the mutex; the claimed
 * waiter is resumed after the release.
 */
static void unlock_slow(struct nap_mutex *mutex)
{
	struct nap__fiber_waiter *waiter;
	uint32_t clear;

	word_take(&mutex->state);
	waiter = waiters_claim(&mutex->waiters);
	/* Not noticed in tests when 1 for 0: word_give() clears that bit anyway. */
	clear = mutex->waiters.first ? 0 : AWAITED;
	/*
	 * Each word_give() is a release for the next locker, as in nap_mutex_unlock() [Y5]. A mutex
	 * that is handed over is ordered by the new owner's wait.
	 */
	if (!waiter) {
		word_give(&mutex->state, OWNED | AWAITED | ALL_PASSED, 0);
		return;
	}
	/* Not noticed in tests when > for >=: the bits of OWNED and of the lock are set. */
	if (nap_load_relaxed(&mutex->state) >= MOST_PASSED) {
		waiter->result = HANDED_OVER;
		word_give(&mutex->state, clear | ALL_PASSED, 0);
	} else {
		/* Not noticed in tests when dropped: a waiter begins with it. */
		waiter->result = TO_TRY;
		word_give(&mutex->state, clear | OWNED, WOKEN);
	}
	waiter_go_on(waiter);
}

/* Unlocks while a waiter is listed, or the list's lock is held. */
static __attribute__((noinline)) void unlock_awaited(struct nap_mutex *mutex)
{
	uint32_t word = nap_load_relaxed(&mutex->state);

	do {
		if ((word & (AWAITED | WOKEN)) == AWAITED) {
			unlock_slow(mutex);
			return;
		}
		/* A release, as in nap_mutex_unlock(): pairs with mutex_take(). [Y5] */
	} while (!nap_try_cmpxchg_release(&mutex->state, &word, word & ~OWNED));
}

void nap_mutex_unlock(struct nap_mutex *mutex)
{
	unseen_begin();
	happens_before(mutex);
	/* Publishes what this owner has done: pairs with mutex_take(). [Y5] */
	if (nap_cmpxchg_release(&mutex->state, OWNED, 0) != OWNED)
		unlock_awaited(mutex);
	unseen_end();
}

/* SPDX-License-Identifier: MIT */
/*
 * Mutexes: nap/sync.h.
 *
 *	OWNED	locked
 *	AWAITED	somebody is listed
 *	WOKEN	a waiter was woken, and is about to lock it; no other is woken until then
 *	passed	how often later callers have locked it since a waiter last had it
 *
 * and the lock of the list (src/sync/lock_word.h). Without waiters each call is one
 * compare-exchange.
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
 * If it is free and AWAITED it is WOKEN, too: a woken waiter that gives up wakes the next. When
 * passed is the maximum, only the woken waiter may lock it. (First woken, later handed over, as in
 * Go's sync/mutex.go, which chooses between the two by a clock.)
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
#define PASSED		(8 * LOCK_STATE)	/* one */
#define ALL_PASSED	(~(PASSED - 1))
#define MOST_PASSED	(NAP_MUTEX_OVERTAKES * PASSED)

_Static_assert(NAP_MUTEX_OVERTAKES <= ALL_PASSED / PASSED, "they are counted in the word");

/* waiter->result of a waiter that was woken: it has to try; it is the owner. */
enum { TO_TRY, HANDED_OVER };

void nap_mutex_init(struct nap_mutex *mutex)
{
	*mutex = (struct nap_mutex)NAP_MUTEX_INIT;
}

/*
 * Whether the caller may lock it, and *@next, the word then. @woken: the caller is the WOKEN
 * waiter.
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
	return word < MOST_PASSED;
}

/* A number that is the calling thread's alone while it runs. */
static inline uint32_t this_thread(void)
{
	return (uint32_t)((uintptr_t)nap__self_in_parent() / NAP__CACHE_LINE);
}

/* The caller has just locked it. Relaxed: was_taken_here() reads it as a hint. */
static inline void taken_here(struct nap_mutex *mutex)
{
	nap_store_relaxed(&mutex->taken_by, this_thread());
}

/* Apart, for a caller that has waited: after a wait a fiber may be on another thread. */
static __attribute__((noinline)) void taken_apart(struct nap_mutex *mutex)
{
	taken_here(mutex);
}

/*
 * Whether the owner locked the mutex on the calling thread. If so it is a fiber that has waited or
 * given way since. Relaxed: a thread reads what it has written itself, until it sees a later value.
 * If another thread has locked the mutex, and its store is not seen yet, the answer is about an
 * earlier owner: at worst a waiter lists itself where it could have tried again, or tries in vain.
 */
static inline bool was_taken_here(struct nap_mutex *mutex)
{
	return nap_load_relaxed(&mutex->taken_by) == this_thread();
}

/* Pairs with nap_mutex_unlock(): what was done before it. [Y5] */
static __attribute__((noinline)) bool mutex_take(struct nap_mutex *mutex, bool woken)
{
	uint32_t word = nap_load_relaxed(&mutex->state), next;

	while (may_take(word, woken, &next)) {
		if (nap_try_cmpxchg_acquire(&mutex->state, &word, next)) {	/* [Y5] */
			taken_here(mutex);
			return true;
		}
	}
	return false;
}

/* Typically the first compare-exchange succeeds. */
static inline bool take_at_once(struct nap_mutex *mutex)
{
	return nap_cmpxchg_acquire(&mutex->state, 0, OWNED) == 0 ||	/* [Y5] */
	       mutex_take(mutex, false);
}

/*
 * The caller was woken to try, and another caller has locked the mutex since: spin for a short
 * time. An owner that runs on another CPU soon unlocks; one that is a fiber of the calling thread
 * cannot run before the caller waits. (Linux spins while the owner runs, kernel/locking/mutex.c; Go
 * unless the worker has other work, runtime/proc.go.) Apart, for the same reason as taken_apart().
 */
static __attribute__((noinline)) bool take_soon(struct nap_mutex *mutex)
{
	for (int looks = 0; !mutex_take(mutex, true); looks++) {
		if (looks >= NAP_LOCK_LOOKS || was_taken_here(mutex))
			return false;
		nap_cpu_relax();
	}
	return true;
}

/* Under the list's lock: lock it; else the caller is about to list itself. */
static bool mutex_take_or_await(struct nap_mutex *mutex, bool woken)
{
	uint32_t word = nap_load_relaxed(&mutex->state), next;
	bool taken;

	do {
		taken = may_take(word, woken, &next);
		if (!taken && woken)	/* woken in vain, once: the next unlock hands over to it */
			next = (word & ~(WOKEN | ALL_PASSED)) | AWAITED | MOST_PASSED;
		else if (!taken)
			next = word | AWAITED;
	} while (!nap_try_cmpxchg_acquire(&mutex->state, &word, next));	/* as mutex_take() [Y5] */
	return taken;
}

/* The woken waiter gives up: wake the next one. */
static void mutex_pass_on(struct nap_mutex *mutex)
{
	struct nap__fiber_waiter *next;

	word_take(&mutex->state);
	next = waiters_claim(&mutex->waiters);
	if (next) {
		next->result = TO_TRY;
		word_give(&mutex->state, mutex->waiters.first ? 0 : AWAITED, 0);
		waiter_go_on(next);
	} else {
		word_give(&mutex->state, WOKEN | AWAITED | ALL_PASSED, 0);
	}
}

/* 0: *@taken says whether the caller is the owner, or has to try. */
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
	return err;
}

/* @until: a time, or with @from_now a timeout: the clock is read only to wait. 0: only poll. */
static inline __attribute__((always_inline)) int lock(struct nap_mutex *mutex, uint64_t until,
						      bool from_now)
{
	int err;

	unseen_begin();
	if (until)
		budget_spend();
	err = take_at_once(mutex) ? 0 : lock_slow(mutex, from_now ? deadline_after(until) : until);
	if (!err)
		happens_after(mutex);
	unseen_end();
	return err;
}

int nap_mutex_lock(struct nap_mutex *mutex)
{
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
	if (taken)
		happens_after(mutex);
	unseen_end();
	return taken;
}

/*
 * Somebody waits, and nobody is WOKEN. Nobody else changes that, because only the owner wakes. The
 * last touch of the mutex releases it; the claimed waiter is resumed after that.
 */
static void unlock_slow(struct nap_mutex *mutex)
{
	struct nap__fiber_waiter *waiter;
	uint32_t clear;

	word_take(&mutex->state);
	waiter = waiters_claim(&mutex->waiters);
	clear = mutex->waiters.first ? 0 : AWAITED;
	/* Each releases, as nap_mutex_unlock() [Y5]. A new owner is ordered by its wait. */
	if (!waiter) {
		word_give(&mutex->state, OWNED | AWAITED | ALL_PASSED, 0);
		return;
	}
	if (nap_load_relaxed(&mutex->state) >= MOST_PASSED) {
		waiter->result = HANDED_OVER;
		word_give(&mutex->state, clear | ALL_PASSED, 0);
	} else {
		waiter->result = TO_TRY;
		word_give(&mutex->state, clear | OWNED, WOKEN);
	}
	waiter_go_on(waiter);
}

/* Somebody waits, or holds the list's lock. */
static __attribute__((noinline)) void unlock_awaited(struct nap_mutex *mutex)
{
	uint32_t word = nap_load_relaxed(&mutex->state);

	do {
		if ((word & (AWAITED | WOKEN)) == AWAITED) {
			unlock_slow(mutex);
			return;
		}
		/* As nap_mutex_unlock(). [Y5] */
	} while (!nap_try_cmpxchg_release(&mutex->state, &word, word & ~OWNED));
}

void nap_mutex_unlock(struct nap_mutex *mutex)
{
	unseen_begin();
	happens_before(mutex);
	/* Pairs with mutex_take(): what was done until now. [Y5] */
	if (nap_cmpxchg_release(&mutex->state, OWNED, 0) != OWNED)
		unlock_awaited(mutex);
	unseen_end();
}

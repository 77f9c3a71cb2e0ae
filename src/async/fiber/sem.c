/* SPDX-License-Identifier: MIT */
/*
 * Semaphores: nap/sync.h.
 *
 * The word has the count, whether a caller waits, and the lock of the list (src/sync/lock_word.h).
 * While a caller waits the count is 0, and released units are handed over, so no caller overtakes a
 * waiter. Without waiters each call is one compare-exchange. A release becomes visible with the
 * last touch of the releasing thread, so the acquiring thread may free the semaphore.
 */
#include <nap/sync.h>

#include "arch/atomic.h"
#include "async/fiber/budget.h"
#include "async/fiber/waiters.h"
#include "os/happens.h"
#include "sync/deadline.h"

#define AWAITED	LOCK_STATE	/* a caller waits, or has given up; the count is 0 */
#define ONE	(2 * LOCK_STATE)

void nap_sem_init(struct nap_sem *sem, uint32_t n)
{
	*sem = (struct nap_sem)NAP_SEM_INIT(n);
}

/*
 * Takes a unit, if any. Sees what was done before the unit was released: pairs with
 * nap_sem_release(). [Y3]
 */
static bool take_one(struct nap_sem *sem)
{
	uint32_t word = nap_load_relaxed(&sem->state);

	while (word >= ONE) {
		/* pairs with nap_sem_release() [Y3] */
		if (nap_try_cmpxchg_acquire(&sem->state, &word, word - ONE))
			return true;
	}
	return false;
}

/* Called under the lock: takes a unit, or sets AWAITED. */
static bool sem_take_or_await(uint32_t *state)
{
	uint32_t word = nap_load_relaxed(state);

	while (!(word & AWAITED)) {
		/* Not noticed in tests when > for >=: the bit of the lock is set. */
		uint32_t next = word >= ONE ? word - ONE : word | AWAITED;

		/* Pairs with nap_sem_release(), as in take_one(). [Y3] */
		if (nap_try_cmpxchg_acquire(state, &word, next))
			/* Not noticed in tests when > for >=: as above. */
			return word >= ONE;
	}
	return false;
}

static __attribute__((noinline)) int acquire_slow(struct nap_sem *sem, uint64_t deadline)
{
	return waiters_wait(&sem->waiters, &sem->state, sem_take_or_await, deadline,
			    NAP_TRACE_ON_SEM, sem);
}

IN_LINE int acquire_here(struct nap_sem *sem, uint64_t until, bool from_now)
{
	return take_one(sem) ? 0 : acquire_slow(sem, from_now ? deadline_after(until) : until);
}

/*
 * Acquires in a program with a race detector, or, with @spent, after the caller has given way. Out
 * of line, so that the fast path saves no registers.
 */
static __attribute__((noinline)) int acquire_apart(struct nap_sem *sem, uint64_t until,
						   bool from_now, bool spent)
{
	int err;

	unseen_begin();
	if (spent)
		nap__budget_spent();
	err = acquire_here(sem, until, from_now);
	if (!err)
		happens_after(sem);
	unseen_end();
	return err;
}

/*
 * @until is a deadline; with @from_now it is a timeout, so that only a wait reads the clock. If
 * @until is 0 the call only polls.
 */
IN_LINE int acquire(struct nap_sem *sem, uint64_t until, bool from_now)
{
	bool spent = until && budget_is_spent();

	if (spent || is_detected())
		return acquire_apart(sem, until, from_now, spent);
	return acquire_here(sem, until, from_now);
}

/* Called under the lock: hands units to the waiters. Returns how many of @n remain. */
static uint32_t hand_over(struct nap_sem *sem, uint32_t n, struct nap__fiber_waiter **claimed)
{
	struct nap__fiber_waiter **end = claimed, *waiter;

	while (n && (waiter = waiters_claim(&sem->waiters))) {
		*end = waiter;
		end = &waiter->next;
		n--;
	}
	*end = NULL;
	return n;
}

static __attribute__((noinline)) void release_slow(struct nap_sem *sem, uint32_t n)
{
	struct nap__fiber_waiter *claimed = NULL;
	/* Not noticed in tests when 1 for 0: word_give() clears that bit anyway. */
	uint32_t clear = 0;

	word_take(&sem->state);
	if (nap_load_relaxed(&sem->state) & AWAITED) {
		n = hand_over(sem, n, &claimed);
		/* Not noticed in tests when 1 for 0: as above. */
		clear = sem->waiters.first ? 0 : AWAITED;
	}
	/*
	 * If a waiter remains, @n is 0 now. A release, as in nap_sem_release(): pairs with
	 * take_one(). [Y3]
	 */
	word_give(&sem->state, clear, n * ONE);
	waiters_go_on(claimed);
}

IN_LINE void release_here(struct nap_sem *sem, uint32_t n)
{
	uint32_t word = nap_load_relaxed(&sem->state);

	do {
		if (word & AWAITED) {
			release_slow(sem, n);
			return;
		}
		/*
		 * Publishes what the releasing thread has done before: pairs with take_one(). [Y3]
		 */
	} while (!nap_try_cmpxchg_release(&sem->state, &word, word + n * ONE));
}

/* Releases in a program with a race detector. */
static __attribute__((noinline)) void release_apart(struct nap_sem *sem, uint32_t n)
{
	unseen_begin();
	happens_before(sem);
	release_here(sem, n);
	unseen_end();
}

void nap_sem_release(struct nap_sem *sem, uint32_t n)
{
	if (is_detected())
		release_apart(sem, n);
	else
		release_here(sem, n);
}

int nap_sem_acquire(struct nap_sem *sem)
{
	/* Not noticed in tests when true for false: NAP_FOREVER from now on is the same. */
	return acquire(sem, NAP_FOREVER, false);
}

int nap_sem_acquire_for(struct nap_sem *sem, uint64_t timeout_ns)
{
	return acquire(sem, timeout_ns, true);
}

int nap_sem_acquire_until(struct nap_sem *sem, uint64_t deadline)
{
	return acquire(sem, deadline, false);
}

bool nap_sem_try(struct nap_sem *sem)
{
	bool taken;

	unseen_begin();
	taken = take_one(sem);
	if (taken)
		happens_after(sem);
	unseen_end();
	return taken;
}

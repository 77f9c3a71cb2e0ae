/* SPDX-License-Identifier: MIT */
/* The rows of the table of waits: nap/sync.h, and sleeps. */
#include "fault/waits_calls.h"

#include <errno.h>

#include "sync/lock_word.h"

/* Whether any waiter is in the list. */
static bool somebody_waits(const struct nap__waiters *waiters, uint32_t *lock)
{
	bool is;

	word_take(lock);
	is = waiters->first;
	word_give(lock, 0, 0);
	return is;
}

/* ---- a mutex, which another thread owns at first */

static void have_mutex(struct cell *cell)
{
	nap_mutex_init(&cell->mutex);
	WAITS_CHECK(cell, nap_mutex_trylock(&cell->mutex));
}

static void unlock(struct cell *cell)
{
	nap_mutex_unlock(&cell->mutex);
}

static long lock(struct cell *cell)
{
	return WAITS_CALL(cell, nap_mutex_lock, &cell->mutex);
}

static bool mutex_is(struct cell *cell, bool held)
{
	if (nap_mutex_trylock(&cell->mutex) == held)
		return false;
	nap_mutex_unlock(&cell->mutex);
	return nap_mutex_trylock(&cell->mutex) && !cell->mutex.waiters.first;
}

static bool mutex_is_left(struct cell *cell)
{
	return mutex_is(cell, waits_took(cell) || !cell->given);
}

const struct call waits_mutex = {
	.name = "mutex",
	.flags = OF_WORKER | TIMED | SUSPENDS,
	.init = have_mutex,
	.possible = unlock,
	.call = lock,
	.left = mutex_is_left,
};

/* ---- a semaphore without permits */

static void begin_sem(struct cell *cell)
{
	nap_sem_init(&cell->sem, 0);
}

static void release(struct cell *cell)
{
	nap_sem_release(&cell->sem, 1);
}

static long acquire(struct cell *cell)
{
	return WAITS_CALL(cell, nap_sem_acquire, &cell->sem);
}

static bool sem_is_left(struct cell *cell)
{
	return nap_sem_try(&cell->sem) == (cell->given && !waits_took(cell)) &&
	       !nap_sem_try(&cell->sem) && !cell->sem.waiters.first;
}

const struct call waits_sem = {
	.name = "semaphore",
	.flags = OF_WORKER | TIMED | SUSPENDS,
	.init = begin_sem,
	.possible = release,
	.call = acquire,
	.left = sem_is_left,
};

/* ---- an event */

static void set_event(struct cell *cell)
{
	nap_event_set(&cell->is_so);
}

static long wait_for_event(struct cell *cell)
{
	return WAITS_CALL(cell, nap_event_wait, &cell->is_so);
}

static bool event_is_awaited(struct cell *cell)
{
	return somebody_waits(&cell->is_so.waiters, &cell->is_so.state);
}

static bool event_is_left(struct cell *cell)
{
	return nap_event_is_set(&cell->is_so) == cell->given && !cell->is_so.waiters.first;
}

const struct call waits_event_wait = {
	.name = "event",
	.flags = OF_WORKER | TIMED | SUSPENDS,
	.possible = set_event,
	.listed = event_is_awaited,
	.call = wait_for_event,
	.left = event_is_left,
};

/* ---- a condition; the caller owns the mutex, before and after */

static void begin_cond(struct cell *cell)
{
	nap_mutex_init(&cell->mutex);
}

static void signal_cond(struct cell *cell)
{
	nap_cond_signal(&cell->cond);
}

static long wait_for_cond(struct cell *cell)
{
	long err;

	if (!nap_mutex_trylock(&cell->mutex))
		return -EINVAL;
	err = WAITS_CALL(cell, nap_cond_wait, &cell->cond, &cell->mutex);
	cell->held = !nap_mutex_trylock(&cell->mutex);
	nap_mutex_unlock(&cell->mutex);
	return err;
}

static bool cond_is_awaited(struct cell *cell)
{
	return somebody_waits(&cell->cond.waiters, &cell->cond.lock);
}

static bool cond_is_left(struct cell *cell)
{
	return (cell->held || waits_is_fork(cell->event)) && mutex_is(cell, false) &&
	       !cell->cond.waiters.first;
}

static struct expected cond_differs(enum who who, enum event event)
{
	(void)who;
	return (struct expected){ 0, event == POSSIBLE ? "a signal is not kept" : NULL };
}

const struct call waits_cond = {
	.name = "condition",
	.flags = OF_WORKER | TIMED | SUSPENDS,
	.init = begin_cond,
	.possible = signal_cond,
	.listed = cond_is_awaited,
	.call = wait_for_cond,
	.left = cond_is_left,
	.except = cond_differs,
};

/* ---- a sleep */

static long sleep_so_long(struct cell *cell)
{
	if (cell->event == PAST)
		return nap_sleep_until(1);
	return nap_sleep(cell->event == POSSIBLE ? 0 : cell->timeout);
}

static struct expected sleep_differs(enum who who, enum event event)
{
	(void)who;
	return (struct expected){ 0, event == NEVER ? "nobody would end it" : NULL };
}

const struct call waits_sleep = {
	.name = "sleep",
	.flags = OF_WORKER | TIMED | SUSPENDS | ENDS_ITSELF,
	.call = sleep_so_long,
	.except = sleep_differs,
};

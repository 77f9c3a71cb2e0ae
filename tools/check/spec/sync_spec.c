/* SPDX-License-Identifier: MIT */
/*
 * nap/sync.h: semaphores, mutexes, conditions, events. Waiters are served in any order; except that
 * a signal wakes the waiter that has waited longest. A fiber leaves its worker while it waits. A
 * task keeps its worker, which runs nothing else.
 */
#include "spec.h"

/* ---- semaphores: a count */

#define UNIT 8u		/* as NAP_SEM_INIT() has it */

void nap_sem_init(struct nap_sem *sem, uint32_t n)
{
	store_relaxed(&sem->state, n * UNIT);
}

bool nap_sem_try(struct nap_sem *sem)
{
	uint32_t count = UNIT;

	while (!try_acquire(&sem->state, &count, count - UNIT))
		if (!count)
			return false;
	return true;
}

int nap_sem_acquire_until(struct nap_sem *sem, uint64_t deadline)
{
	return WAIT("the semaphore", sem, nap_sem_try(sem), deadline);
}

int nap_sem_acquire(struct nap_sem *sem)
{
	return nap_sem_acquire_until(sem, NAP_FOREVER);
}

int nap_sem_acquire_for(struct nap_sem *sem, uint64_t timeout_ns)
{
	return nap_sem_acquire_until(sem, timeout_ns);
}

void nap_sem_release(struct nap_sem *sem, uint32_t n)
{
	__atomic_fetch_add(&sem->state, n * UNIT, __ATOMIC_RELEASE);
}

/* ---- mutexes: 0, or the number, plus 1, of the thread that has locked the mutex */

void nap_mutex_init(struct nap_mutex *mutex)
{
	store_relaxed(&mutex->state, 0);
}

bool nap_mutex_trylock(struct nap_mutex *mutex)
{
	uint32_t owner = 0;

	if (try_acquire(&mutex->state, &owner, check_self() + 1))
		return true;
	held_by(owner);
	return false;
}

int nap_mutex_lock_until(struct nap_mutex *mutex, uint64_t deadline)
{
	return WAIT("the mutex", mutex, nap_mutex_trylock(mutex), deadline);
}

int nap_mutex_lock(struct nap_mutex *mutex)
{
	return nap_mutex_lock_until(mutex, NAP_FOREVER);
}

int nap_mutex_lock_for(struct nap_mutex *mutex, uint64_t timeout_ns)
{
	return nap_mutex_lock_until(mutex, timeout_ns);
}

void nap_mutex_unlock(struct nap_mutex *mutex)
{
	store_release(&mutex->state, 0);
}

/*
 * ---- conditions: how many have waited, and how many of these were woken, in one word. Waiter
 * number n is woken when more than n waiters were woken. What a woken waiter reads is ordered by
 * the mutex, not by the signal.
 */

#define LISTED	1ull
#define WOKEN	(1ull << 32)
#define listed(word)	((uint32_t)(word))
#define woken(word)	((uint32_t)((word) >> 32))

static uint64_t *word_of(struct nap_cond *cond)
{
	return (uint64_t *)&cond->waiters.first;
}

/*
 * A wait of no time does not even unlock. A wait with a deadline that ends without a signal does so
 * before it is listed: so it takes no signal. A wait with a deadline that does not end so is woken;
 * executions in which it is not woken are given up.
 */
static int wait_listed(struct nap_cond *cond, void *lock, const struct nap_lock_ops *ops,
		       uint64_t deadline)
{
	bool timed = is_timed(deadline), late;
	uint32_t mine = 0;
	int err;

	if (!deadline)
		return -ETIMEDOUT;
	late = timed && check_choose(2);
	if (!late)
		mine = listed(__atomic_fetch_add(word_of(cond), LISTED, __ATOMIC_RELAXED));
	ops->unlock(lock);
	if (late)
		err = self_is_stopped() ? -ECANCELED : -ETIMEDOUT;
	else if (timed)
		err = 0, check_assume((int32_t)(woken(relaxed(word_of(cond))) - mine) > 0);
	else
		err = WAIT("the condition", cond,
			   (int32_t)(woken(relaxed(word_of(cond))) - mine) > 0, NAP_FOREVER);
	ops->lock(lock);
	return err;
}

static void unlock(void *mutex)
{
	nap_mutex_unlock(mutex);
}

static void lock(void *mutex)
{
	nap_check_waits_for("the mutex", mutex, &spec_holder[check_self()], "which * has");
	while (!nap_mutex_trylock(mutex))
		;
	waits_no_more();
}

int nap_cond_wait_until(struct nap_cond *cond, struct nap_mutex *mutex, uint64_t deadline)
{
	static const struct nap_lock_ops ops = { unlock, lock };

	return wait_listed(cond, mutex, &ops, deadline);
}

int nap_cond_wait(struct nap_cond *cond, struct nap_mutex *mutex)
{
	return nap_cond_wait_until(cond, mutex, NAP_FOREVER);
}

int nap_cond_wait_for(struct nap_cond *cond, struct nap_mutex *mutex, uint64_t timeout_ns)
{
	return nap_cond_wait_until(cond, mutex, timeout_ns);
}

int nap_cond_wait_with(struct nap_cond *cond, void *lock, const struct nap_lock_ops *ops,
		       uint64_t deadline)
{
	return wait_listed(cond, lock, ops, deadline);
}

void nap_cond_signal(struct nap_cond *cond)
{
	uint64_t word = relaxed(word_of(cond));

	while (listed(word) != woken(word) &&
	       !__atomic_compare_exchange_n(word_of(cond), &word, word + WOKEN, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void nap_cond_broadcast(struct nap_cond *cond)
{
	uint64_t word = relaxed(word_of(cond));

	while (listed(word) != woken(word) &&
	       !__atomic_compare_exchange_n(word_of(cond), &word, listed(word) * (WOKEN + LISTED),
					    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* ---- events: a number, odd from each set until the reset */

void nap_event_set(struct nap_event *event)
{
	uint32_t state = relaxed(&event->state);

	while (!__atomic_compare_exchange_n(&event->state, &state, state | 1, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* A waiter that has not looked yet goes on, too, because the number has changed. */
void nap_event_reset(struct nap_event *event)
{
	uint32_t state = relaxed(&event->state);

	while (state & 1 && !__atomic_compare_exchange_n(&event->state, &state, state + 1, false,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

bool nap_event_is_set(struct nap_event *event)
{
	return acquire(&event->state) & 1;
}

int nap_event_wait_until(struct nap_event *event, uint64_t deadline)
{
	uint32_t first = acquire(&event->state), now = first;

	return WAIT("the event", event, now & 1 || (now = acquire(&event->state)) != first,
		    deadline);
}

int nap_event_wait(struct nap_event *event)
{
	return nap_event_wait_until(event, NAP_FOREVER);
}

int nap_event_wait_for(struct nap_event *event, uint64_t timeout_ns)
{
	return nap_event_wait_until(event, timeout_ns);
}

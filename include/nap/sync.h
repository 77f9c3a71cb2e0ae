/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_sync - what fibers wait on: semaphores, mutexes, conditions, events
 *
 * This header has semaphores, mutexes, conditions and events. Channels are in nap/channel.h.
 *
 * Any thread may use these objects. A fiber that waits is suspended (nap/fiber.h names exceptions);
 * a thread outside the pool sleeps. A task that is no fiber blocks its worker, which runs no other
 * task until the wait ends. (Otherwise a task that is nested in the wait could want a mutex that
 * the waiting task holds, and neither could go on.)
 *
 * The objects are the caller's memory, nothing is allocated, and there is nothing to destroy: an
 * unused object is just memory. A call that releases waiters (nap_sem_release(),
 * nap_mutex_unlock(), nap_event_set(), nap_cond_signal()) no longer touches the object once a
 * waiter can go on. So the last waiter may free the object at once, even if the releasing call has
 * not returned yet.
 *
 * Waiters are served in order, except that a mutex may be locked by others in between
 * (NAP_MUTEX_OVERTAKES). Each wait has a form with a timeout (ns; see nap_group_wait_for): with 0
 * the call does not wait, and returns -ETIMEDOUT where it would have to. Each wait may return
 * -ECANCELED in a fiber that was canceled, or in a fiber or task whose pool was stopped; then it
 * has acquired nothing. In the child of a fork each wait returns -ESHUTDOWN in a fiber of the
 * parent (nap/fiber.h). The child initialises an object again that other threads or fibers used or
 * waited for at the fork: otherwise a unit or lock could be handed to a waiter that does not exist
 * in the child.
 */
#ifndef NAP_SYNC_H
#define NAP_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap__fiber_waiter;
struct nap_fiber;

/* The waiters, in order. Their list is locked by a word of the object that has this struct. */
struct nap__waiters {
	struct nap__fiber_waiter *first, *last;
};

/** DOC: nap_sem_acquire - a counting semaphore */

/**
 * struct nap_sem - a counting semaphore, whose units are handed over in order
 *
 * Initialised by NAP_SEM_INIT() or nap_sem_init(). The count is at most 2^29 - 1. There is no
 * overtaking: a unit that is released while a thread waits belongs to the waiter at once, before
 * the waiter runs. So if a semaphore is used as a mutex, and is contended, each release changes the
 * owner, which costs a switch; an unlock of a mutex does not.
 */
struct nap_sem {
	uint32_t state;
	struct nap__waiters waiters;
};

/** NAP_SEM_INIT() - static initialiser of a semaphore with the count @n */
#define NAP_SEM_INIT(n) { (uint32_t)(n) * 8, { 0, 0 } }

/** nap_sem_init() - prepare @sem, which is not in use, with the count @n */
void nap_sem_init(struct nap_sem *sem, uint32_t n);

/**
 * nap_sem_acquire() - take a unit, or wait for one
 *
 * What was done before the nap_sem_release() of this unit is visible to the caller. Returns 0, or
 * -ECANCELED; in a thread that is no fiber the errors of nap_group_wait(); -ESHUTDOWN in a fiber of
 * the parent in the child of a fork.
 */
int nap_sem_acquire(struct nap_sem *sem);

/** nap_sem_acquire_for() - nap_sem_acquire() within @timeout_ns, or -ETIMEDOUT */
int nap_sem_acquire_for(struct nap_sem *sem, uint64_t timeout_ns);

/**
 * nap_sem_acquire_until() - nap_sem_acquire() until @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_sem_acquire_until(struct nap_sem *sem, uint64_t deadline);

/** nap_sem_try() - take a unit if that is possible at once */
bool nap_sem_try(struct nap_sem *sem);

/**
 * nap_sem_release() - release @n units
 *
 * Waiters get the units first. Any thread.
 */
void nap_sem_release(struct nap_sem *sem, uint32_t n);

/** DOC: nap_mutex_lock - mutual exclusion of fibers and threads */

/**
 * NAP_MUTEX_OVERTAKES - how often later comers may lock a mutex before a waiter
 *
 * A mutex that is unlocked is free: the longest waiter is woken, and any other thread or fiber may
 * lock the mutex before that waiter does. (If each unlock handed the mutex over, every lock of a
 * contended mutex would cost a switch.) The waiters lock in the order in which they came, and
 * between two waiters others lock the mutex at most NAP_MUTEX_OVERTAKES times. If the woken waiter
 * finds the mutex locked, even after a short spin, the next unlock hands the mutex over to this
 * waiter. So a waiter with k waiters before it is overtaken at most (k + 1) * NAP_MUTEX_OVERTAKES
 * times. (Go's sync.Mutex and parking_lot bound overtaking, too, but by a time.)
 */
#ifndef NAP_MUTEX_OVERTAKES
#define NAP_MUTEX_OVERTAKES 1024u
#endif

/**
 * struct nap_mutex - mutual exclusion
 *
 * Initialised by NAP_MUTEX_INIT or nap_mutex_init(), or all zero. A fiber or thread that is not the
 * owner may unlock a mutex, too.
 *
 * A fiber of a stopped pool that an unlock has woken runs only in the pool's join, and until then
 * no waiter that came later locks. So the thread that joins the pool must not wait before that,
 * without a deadline, for a mutex for which fibers of the pool wait.
 */
struct nap_mutex {
	uint32_t state;
	uint32_t taken_by;
	struct nap__waiters waiters;
	struct nap_fiber *owner;	/* the last owner; NULL: a thread */
};

/** NAP_MUTEX_INIT - static initialiser of a free mutex */
#define NAP_MUTEX_INIT { 0, 0, { 0, 0 }, 0 }

/** nap_mutex_init() - prepare @mutex, which is not in use, as free */
void nap_mutex_init(struct nap_mutex *mutex);

/** nap_mutex_lock() - lock @mutex, after a wait if necessary; returns as nap_sem_acquire() */
int nap_mutex_lock(struct nap_mutex *mutex);

/** nap_mutex_lock_for() - nap_mutex_lock() within @timeout_ns, or -ETIMEDOUT */
int nap_mutex_lock_for(struct nap_mutex *mutex, uint64_t timeout_ns);

/**
 * nap_mutex_lock_until() - nap_mutex_lock() until @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_mutex_lock_until(struct nap_mutex *mutex, uint64_t deadline);

/** nap_mutex_trylock() - lock @mutex if it is free and not reserved for a waiter */
bool nap_mutex_trylock(struct nap_mutex *mutex);

/** nap_mutex_unlock() - free @mutex, or hand it to the longest waiter: NAP_MUTEX_OVERTAKES */
void nap_mutex_unlock(struct nap_mutex *mutex);

/** DOC: nap_cond_wait - condition variables, with a mutex or another lock */

/**
 * struct nap_cond - a condition, with a mutex beside it, or another lock (nap_cond_wait_with())
 *
 * Initialised by NAP_COND_INIT, or all zero.
 */
struct nap_cond {
	uint32_t lock;
	struct nap__waiters waiters;
};

/** NAP_COND_INIT - static initialiser */
#define NAP_COND_INIT { 0, { 0, 0 } }

/**
 * nap_cond_wait() - unlock @mutex, wait for a signal, lock it again
 * @cond:  the condition; any number of callers may wait with the same mutex
 * @mutex: locked by the caller
 *
 * There are no spurious wake-ups; but before the caller has the mutex again another thread may have
 * changed what the caller waits for. Whatever the call returns, the caller has the mutex, even in a
 * fiber that was canceled, and after a stop. (Such a fiber's waits do not unlock the mutex, except
 * that a fiber gives way now and then, with the mutex unlocked: NAP_FIBER_BUDGET.) So a task that
 * is no fiber must not wait here with a mutex that fibers of its pool keep locked during their own
 * waits: after a stop such a fiber continues only when the task has ended, and the task would wait
 * for the fiber to unlock.
 *
 * Returns 0, -ETIMEDOUT (nap_cond_wait_for) or -ECANCELED; in a thread that is no fiber the errors
 * of nap_group_wait(); -ESHUTDOWN in a fiber of the parent in the child of a fork.
 */
int nap_cond_wait(struct nap_cond *cond, struct nap_mutex *mutex);

/**
 * nap_cond_wait_for() - nap_cond_wait() within @timeout_ns; locking @mutex again may take longer
 *
 * With 0 the call does not unlock @mutex.
 */
int nap_cond_wait_for(struct nap_cond *cond, struct nap_mutex *mutex, uint64_t timeout_ns);

/**
 * nap_cond_wait_until() - nap_cond_wait() until @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_cond_wait_until(struct nap_cond *cond, struct nap_mutex *mutex, uint64_t deadline);

/**
 * struct nap_lock_ops - a lock of another kind, for a condition
 * @unlock: releases the lock, which the caller has; must not wait
 * @lock:   locks again, however long that takes; if a wait of nap's inside @lock returns an error,
 *          @lock tries again
 *
 * The program provides the functions. The thread or fiber that waits calls each once, or neither.
 * They must not fail, and are left by return only. @unlock may make calls that never wait
 * (nap_mutex_unlock(), nap_sem_release(), nap_cond_signal()). A @lock that blocks the thread, as
 * pthread_mutex_lock() does, blocks the worker. A fiber may run @lock on another thread than
 * @unlock.
 */
struct nap_lock_ops {
	void (*unlock)(void *lock);
	void (*lock)(void *lock);
};

/**
 * nap_cond_wait_with() - nap_cond_wait_until() with a lock of another kind
 * @lock:     held by the caller; passed to the functions of @ops
 * @ops:      the functions that unlock and lock @lock; not used after the call
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER. Locking again may take longer
 *
 * Callers that wait for one condition may use different locks. The caller is listed before @lock is
 * unlocked. So if another thread then locks @lock, and calls nap_cond_signal(), that call wakes the
 * caller, or a waiter that has waited longer. Whatever the call returns, the caller has @lock: the
 * call has locked it again, or, with a deadline that had passed, or in a fiber that had been
 * canceled or stopped before, has never unlocked it (unless the fiber gave way: NAP_FIBER_BUDGET
 * calls in a row). While @ops->lock runs the fiber is shielded from cancellation
 * (nap_fiber_shield()), so a wait of nap's in @ops->lock ends early only after a stop of the pool.
 * After such an error @ops->lock calls nap_yield() and tries again: the owner may be a fiber of the
 * pool, which continues during the yield. If the waiter is a task that is no fiber, such an owner
 * cannot continue: see nap_cond_wait().
 *
 * Returns as nap_cond_wait_until().
 */
int nap_cond_wait_with(struct nap_cond *cond, void *lock, const struct nap_lock_ops *ops,
		       uint64_t deadline);

/**
 * nap_cond_signal() - wake the waiter that has waited longest; any thread, whether it has the mutex
 * or not
 */
void nap_cond_signal(struct nap_cond *cond);

/** nap_cond_broadcast() - wake all waiters; any thread */
void nap_cond_broadcast(struct nap_cond *cond);

/** DOC: nap_event_wait - something that has happened, or not yet */

/**
 * struct nap_event - something that has happened, or not yet
 *
 * Initialised by NAP_EVENT_INIT, or all zero: the event has not happened.
 */
struct nap_event {
	uint32_t state;
	struct nap__waiters waiters;
};

/** NAP_EVENT_INIT - static initialiser of an event that has not happened */
#define NAP_EVENT_INIT { 0, { 0, 0 } }

/**
 * nap_event_set() - say that @event has happened: present and later waiters go on
 *
 * Any thread. The call no longer touches @event once a waiter can go on.
 */
void nap_event_set(struct nap_event *event);

/**
 * nap_event_reset() - say that @event has not happened; released waiters still go on
 */
void nap_event_reset(struct nap_event *event);

/**
 * nap_event_is_set() - whether @event has happened; if so, what was done before nap_event_set() is
 * visible
 */
bool nap_event_is_set(struct nap_event *event);

/** nap_event_wait() - wait until @event has happened; returns as nap_sem_acquire() */
int nap_event_wait(struct nap_event *event);

/** nap_event_wait_for() - nap_event_wait() within @timeout_ns, or -ETIMEDOUT */
int nap_event_wait_for(struct nap_event *event, uint64_t timeout_ns);

/**
 * nap_event_wait_until() - nap_event_wait() until @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_event_wait_until(struct nap_event *event, uint64_t deadline);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_SYNC_H */

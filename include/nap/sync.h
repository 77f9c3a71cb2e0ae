/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_sync - what fibers wait on: semaphores, mutexes, conditions, events
 *
 * Semaphores, mutexes, conditions and events. (Channels: nap/channel.h.)
 *
 * Any thread may use these objects. A fiber that waits is suspended (nap/fiber.h says where it is
 * not); a thread that is no fiber sleeps, and a task that is none blocks its worker, which runs
 * nothing until the wait ends: a task that ran on top of the waiting one could want the same mutex,
 * and neither could go on.
 *
 * The objects are the caller's memory, nothing is allocated, and there is nothing to destroy: an
 * unused object is just memory. A call that gives (nap_sem_release(), nap_mutex_unlock(),
 * nap_event_set(), nap_cond_signal()) no longer touches the object once another thread can have got
 * what it gives. So the thread that gets the last of what is given may free the object at once,
 * though the giving call has not returned.
 *
 * Waiters are served in order, except that a mutex may be locked by others in between (struct
 * nap_mutex). Each wait has a form with a timeout (ns; see nap_group_wait_for): with 0 it does not
 * wait, and is -ETIMEDOUT where it would have to. Each may be -ECANCELED in a fiber that was
 * canceled, or in a fiber or task whose pool was stopped; then it got nothing. Each is -ESHUTDOWN
 * in a fiber of the parent in the child of a fork. An object that other threads or fibers used at
 * the fork, or waited for, is initialised again in the child: what is given there could go to a
 * waiter that is not there.
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

/* Waiters, in order, under the lock in the word beside this list. */
struct nap__waiters {
	struct nap__fiber_waiter *first, *last;
};

/** DOC: nap_sem_acquire - a counting semaphore */

/**
 * struct nap_sem - a counting semaphore; handed over in order
 *
 * By NAP_SEM_INIT() or nap_sem_init(). The count is at most 2^29 - 1. There is no overtaking:
 * units that are released while others wait belong to the waiters before they run. So a contended
 * semaphore that is used as a mutex changes its owner at each release, which costs a switch; a
 * mutex does not.
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
 * What was done before the nap_sem_release() that gave the unit is visible. Returns 0, or
 * -ECANCELED; of a thread what nap_group_wait() says.
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
 * nap_sem_release() - give @n units
 *
 * Waiters get the units first. Any thread.
 */
void nap_sem_release(struct nap_sem *sem, uint32_t n);

/** DOC: nap_mutex_lock - mutual exclusion of fibers and threads */

/**
 * NAP_MUTEX_OVERTAKES - how often later comers may lock a mutex before a waiter
 *
 * A mutex that is unlocked is free: the longest waiter is woken, and any other thread or fiber may
 * lock the mutex before that waiter does. (If the mutex were handed over each time, every locking
 * would be a switch, for ever, once it was contended.) The waiters lock in the order in which they
 * came, and between two of their lockings there are at most this many by others. If the waiter
 * that was woken finds the mutex locked nevertheless, the waiter is no longer overtaken: the next
 * unlock hands the mutex over to it. So a waiter with k others before it is overtaken at most (k +
 * 1) * NAP_MUTEX_OVERTAKES times. (As in Go's sync.Mutex and in parking_lot, which go by a time.)
 */
#ifndef NAP_MUTEX_OVERTAKES
#define NAP_MUTEX_OVERTAKES 1024u
#endif

/**
 * struct nap_mutex - mutual exclusion
 *
 * By NAP_MUTEX_INIT or nap_mutex_init(), or all zero. Another fiber or thread than the owner may
 * unlock a mutex: a fiber may go on on another thread, and a mutex here is for the data, not for
 * the thread.
 */
struct nap_mutex {
	uint32_t state;
	uint32_t taken_by;
	struct nap__waiters waiters;
	struct nap_fiber *owner;	/* the last; NULL: a thread */
};

/** NAP_MUTEX_INIT - static initialiser of a free mutex */
#define NAP_MUTEX_INIT { 0, 0, { 0, 0 }, 0 }

/** nap_mutex_init() - prepare @mutex, which is not in use, as free */
void nap_mutex_init(struct nap_mutex *mutex);

/** nap_mutex_lock() - lock @mutex, or wait until that is possible; returns as nap_sem_acquire() */
int nap_mutex_lock(struct nap_mutex *mutex);

/** nap_mutex_lock_for() - nap_mutex_lock() within @timeout_ns, or -ETIMEDOUT */
int nap_mutex_lock_for(struct nap_mutex *mutex, uint64_t timeout_ns);

/**
 * nap_mutex_lock_until() - nap_mutex_lock() until @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_mutex_lock_until(struct nap_mutex *mutex, uint64_t deadline);

/** nap_mutex_trylock() - lock @mutex if it is free, and not kept for a waiter */
bool nap_mutex_trylock(struct nap_mutex *mutex);

/** nap_mutex_unlock() - free @mutex, or hand it to the longest waiter: NAP_MUTEX_OVERTAKES */
void nap_mutex_unlock(struct nap_mutex *mutex);

/** DOC: nap_cond_wait - a condition with a mutex, or another lock, beside it */

/**
 * struct nap_cond - a condition, with a mutex beside it, or another lock (nap_cond_wait_with())
 *
 * By NAP_COND_INIT, or all zero.
 */
struct nap_cond {
	uint32_t lock;
	struct nap__waiters waiters;
};

/** NAP_COND_INIT - static initialiser */
#define NAP_COND_INIT { 0, { 0, 0 } }

/**
 * nap_cond_wait() - unlock @mutex, wait for a signal, lock it again
 * @cond:  any number may wait with the same mutex
 * @mutex: the caller has it
 *
 * There are no wake-ups without nap_cond_signal() or nap_cond_broadcast(); but another thread may
 * have changed the condition again before the caller has the mutex. Whatever the call returns, the
 * caller has the mutex, as before: it is locked again in a fiber that was canceled, and after a
 * stop. So a task that is no fiber must not wait with a mutex that fibers of its pool keep over
 * their waits, because after a stop those fibers go on when the task has ended.
 *
 * Returns 0, -ETIMEDOUT (nap_cond_wait_for) or -ECANCELED; in a thread what nap_group_wait() says;
 * -ESHUTDOWN in the child of a fork, in a fiber of the parent.
 */
int nap_cond_wait(struct nap_cond *cond, struct nap_mutex *mutex);

/** nap_cond_wait_for() - nap_cond_wait() within @timeout_ns, not counting the new locking */
int nap_cond_wait_for(struct nap_cond *cond, struct nap_mutex *mutex, uint64_t timeout_ns);

/**
 * nap_cond_wait_until() - nap_cond_wait() until @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_cond_wait_until(struct nap_cond *cond, struct nap_mutex *mutex, uint64_t deadline);

/**
 * struct nap_lock_ops - a lock of another kind, beside a condition
 * @unlock: give @lock, which the caller has; it waits for nothing, because the wait has begun
 * @lock:   take it again, however long that takes, and whatever a wait of nap's in it returns
 *
 * The functions are the program's. The thread or fiber that waits calls each once or not at all.
 * The functions neither fail nor leave by an exception or a jump. @unlock may call what never
 * waits (nap_mutex_unlock(), nap_sem_release(), nap_cond_signal()). A @lock that blocks the
 * thread, as pthread_mutex_lock(), blocks the worker; a fiber may be on another thread there than
 * in @unlock.
 */
struct nap_lock_ops {
	void (*unlock)(void *lock);
	void (*lock)(void *lock);
};

/**
 * nap_cond_wait_with() - nap_cond_wait_until() with a lock of another kind
 * @lock:     held by the caller; passed to the functions of @ops
 * @ops:      give @lock, and take it again; not used after the call
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER. Taking @lock again may last
 *            longer
 *
 * Any number of callers may wait with one lock, others with another lock, or with a mutex. The
 * caller is listed before @lock is given. So a nap_cond_signal() by a thread that has taken @lock
 * since then wakes the caller, or a waiter that has waited longer. Whatever the call returns, the
 * caller has @lock, as before: @lock was taken again, or was not given, in a fiber that had been
 * canceled or stopped before the call. While @ops->lock runs the fiber is shielded from
 * cancellation (nap_fiber_shield()), so a wait of nap's in @ops->lock ends early only after a stop
 * of the pool. Then @ops->lock calls nap_yield() and tries again: the owner may be a fiber of the
 * pool, which goes on in between. Where a task that is no fiber waits the owner cannot go on, as
 * with a mutex.
 *
 * Returns as nap_cond_wait_until().
 */
int nap_cond_wait_with(struct nap_cond *cond, void *lock, const struct nap_lock_ops *ops,
		       uint64_t deadline);

/**
 * nap_cond_signal() - wake the waiter that has waited longest; any thread, with the mutex or
 * without
 */
void nap_cond_signal(struct nap_cond *cond);

/** nap_cond_broadcast() - wake all waiters; any thread */
void nap_cond_broadcast(struct nap_cond *cond);

/** DOC: nap_event_wait - something that has happened, or not yet */

/**
 * struct nap_event - something that has happened, or not yet
 *
 * By NAP_EVENT_INIT, or all zero: has not happened.
 */
struct nap_event {
	uint32_t state;
	struct nap__waiters waiters;
};

/** NAP_EVENT_INIT - static initialiser of an event that has not happened */
#define NAP_EVENT_INIT { 0, { 0, 0 } }

/**
 * nap_event_set() - say that @event has happened: all waiters, and all later ones, go on
 *
 * Any thread. The call no longer touches @event once a waiter can go on.
 */
void nap_event_set(struct nap_event *event);

/**
 * nap_event_reset() - say that @event has not happened; released waiters still go on
 */
void nap_event_reset(struct nap_event *event);

/** nap_event_is_set() - whether @event has happened; then what was done before is visible */
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

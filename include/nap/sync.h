/* SPDX-License-Identifier: MIT */
/*
 * What fibers wait on: semaphores, mutexes, conditions, events. (Channels: nap/channel.h.)
 *
 * Any thread may use them. A fiber that waits is suspended (nap/fiber.h says where it is not); a
 * thread that is no fiber sleeps, and a task that is none blocks its worker, which runs nothing
 * meanwhile: what was run on top of the waiting task could want the same mutex, and neither could go
 * on.
 *
 * They are the caller's memory, nothing is allocated, and there is nothing to destroy: one that
 * nobody uses is just memory. Who waits is served in order. Each wait has a form with a timeout (ns;
 * see nap_group_wait_for): 0 looks only, and is -ETIMEDOUT where it would have to wait. Each may be
 * -ECANCELED in a fiber that was canceled, or in a fiber or task whose pool was stopped; then it got nothing.
 */
#ifndef NAP_SYNC_H
#define NAP_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap__waiter;

/* Who waits, in order. Under the lock that is beside it. */
struct nap__waiters {
	struct nap__waiter *first, *last;
};

/**
 * struct nap_sem - a counting semaphore
 *
 * By NAP_SEM_INIT(n) or nap_sem_init(). At most 2^31 - 1.
 */
struct nap_sem {
	uint32_t state;
	uint32_t lock;
	struct nap__waiters waiters;
};

#define NAP_SEM_INIT(n) { (uint32_t)(n) * 2, 0, { 0, 0 } }

/** nap_sem_init() - @sem, which nobody uses, has the count @n */
void nap_sem_init(struct nap_sem *sem, uint32_t n);

/**
 * nap_sem_acquire() - take one, or wait for it
 *
 * What was done before the nap_sem_release() that gave it is visible. Returns 0, or -ECANCELED; of a
 * thread what nap_group_wait() says.
 */
int nap_sem_acquire(struct nap_sem *sem);

/** nap_sem_acquire_for() - the same within @timeout_ns, or -ETIMEDOUT */
int nap_sem_acquire_for(struct nap_sem *sem, uint64_t timeout_ns);

/** nap_sem_try() - take one if that is possible at once */
bool nap_sem_try(struct nap_sem *sem);

/**
 * nap_sem_release() - give @n
 *
 * Those who wait get them first. Any thread.
 */
void nap_sem_release(struct nap_sem *sem, uint32_t n);

/**
 * struct nap_mutex - mutual exclusion; handed over in order
 *
 * By NAP_MUTEX_INIT or nap_mutex_init(). It may be unlocked by another than who has locked it: a
 * fiber may go on on another thread, and what a mutex is for here is the data, not the thread.
 */
struct nap_mutex {
	struct nap_sem sem;
};

#define NAP_MUTEX_INIT { NAP_SEM_INIT(1) }

/** nap_mutex_init() - @mutex, which nobody uses, is free */
void nap_mutex_init(struct nap_mutex *mutex);

/** nap_mutex_lock() - lock it, or wait for that; returns as nap_sem_acquire() */
int nap_mutex_lock(struct nap_mutex *mutex);

/** nap_mutex_lock_for() - the same within @timeout_ns, or -ETIMEDOUT */
int nap_mutex_lock_for(struct nap_mutex *mutex, uint64_t timeout_ns);

/** nap_mutex_trylock() - lock it if that is possible at once */
bool nap_mutex_trylock(struct nap_mutex *mutex);

/** nap_mutex_unlock() - hand it to who has waited longest, or free it */
void nap_mutex_unlock(struct nap_mutex *mutex);

/**
 * struct nap_cond - a condition, with a mutex beside it
 *
 * By NAP_COND_INIT, or all zero.
 */
struct nap_cond {
	uint32_t lock;
	struct nap__waiters waiters;
};

#define NAP_COND_INIT { 0, { 0, 0 } }

/**
 * nap_cond_wait() - unlock @mutex, wait to be told, lock it again
 * @cond:  any number may wait with the same mutex
 * @mutex: the caller has it
 *
 * Nobody is told without nap_cond_signal() or nap_cond_broadcast(); what one was told of may still
 * be gone when one has the mutex again. Returns 0, -ETIMEDOUT (nap_cond_wait_for) or -ECANCELED, each with
 * the mutex locked, also in a fiber that is canceled meanwhile; -ESHUTDOWN in a fiber whose pool was
 * stopped meanwhile: without the mutex.
 */
int nap_cond_wait(struct nap_cond *cond, struct nap_mutex *mutex);

/** nap_cond_wait_for() - the same within @timeout_ns, which is over before the mutex is locked again */
int nap_cond_wait_for(struct nap_cond *cond, struct nap_mutex *mutex, uint64_t timeout_ns);

/** nap_cond_signal() - tell who has waited longest; any thread, with the mutex or without */
void nap_cond_signal(struct nap_cond *cond);

/** nap_cond_broadcast() - tell all who wait by now */
void nap_cond_broadcast(struct nap_cond *cond);

/**
 * struct nap_event - something that has happened, or not yet
 *
 * By NAP_EVENT_INIT, or all zero: it has not.
 */
struct nap_event {
	uint32_t happened;
	uint32_t lock;
	struct nap__waiters waiters;
};

#define NAP_EVENT_INIT { 0, 0, { 0, 0 } }

/**
 * nap_event_set() - it has happened: whoever waits, or comes later, goes on
 *
 * Any thread. @event is used until this returns, perhaps behind what somebody does who went on.
 */
void nap_event_set(struct nap_event *event);

/** nap_event_reset() - from now on it has not; those who were told go on all the same */
void nap_event_reset(struct nap_event *event);

/** nap_event_is_set() - whether it has, and then what was done before is visible */
bool nap_event_is_set(struct nap_event *event);

/** nap_event_wait() - until it has happened; returns as nap_sem_acquire() */
int nap_event_wait(struct nap_event *event);

/** nap_event_wait_for() - the same within @timeout_ns, or -ETIMEDOUT */
int nap_event_wait_for(struct nap_event *event, uint64_t timeout_ns);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_SYNC_H */

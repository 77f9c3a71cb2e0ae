/* SPDX-License-Identifier: MIT */
/* POSIX threads, continued from pthreads.c: rwlocks and spin locks, semaphores, barriers, once. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#include "program/caller.h"
#include "program/clock.h"
#include "program/fault.h"
#include "program/locks.h"
#include "program/ops.h"
#include "program/pthreads.h"
#include "program/shadow.h"
#include "program/siblings.h"
#include "program/turns.h"

/*
 * Returns the first word of an object. This word is a lock or a count; the second word is the value
 * that the object was initialised with.
 */
static uint32_t *word_of(const void *object)
{
	return (uint32_t *)object;
}

#pragma GCC visibility push(default)

/* Does nothing: names are for debuggers. */
int pthread_setname_np(pthread_t thread, const char *name)
{
	(void)thread;
	string_read(name, SIZE_MAX, PC);
	return 0;
}

int pthread_getname_np(pthread_t thread, char *name, size_t size)
{
	plain_range((uintptr_t)name, size, true, PC);
	siblings_differ(1u << (thread - 1) % MAX_THREADS);
	snprintf(name, size, "%s", thread_name((unsigned)(thread - 1) % MAX_THREADS));
	return 0;
}

int pthread_once(pthread_once_t *once, void (*run)(void))
{
	do_once(word_of(once), run, PC);
	return 0;
}

/* ---- locks */

int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
	(void)attr;
	object_make(l, sizeof(*l), 0, 0, PC);
	return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	lock_unmake(l, sizeof(*l), "an rwlock", PC);
	return 0;
}

#define SHARED_LOCK(name, write, try)				\
int name(pthread_rwlock_t *l)					\
{								\
	return share_take(word_of(l), write, try, OP_PC);	\
}
SHARED_LOCK(pthread_rwlock_rdlock, false, false)
SHARED_LOCK(pthread_rwlock_wrlock, true, false)
SHARED_LOCK(pthread_rwlock_tryrdlock, false, true)
SHARED_LOCK(pthread_rwlock_trywrlock, true, true)

int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	return share_release(word_of(l), PC);
}

int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
	(void)shared;
	object_make((void *)l, sizeof(*l), 0, 0, PC);
	return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *l)
{
	lock_unmake((void *)l, sizeof(*l), "a spinlock", PC);
	return 0;
}

int pthread_spin_lock(pthread_spinlock_t *l)
{
	return lock_take(word_of((void *)l), LOCK_NORMAL, false, "the spinlock", PC);
}

int pthread_spin_trylock(pthread_spinlock_t *l)
{
	return lock_try(word_of((void *)l), LOCK_NORMAL, OP_PC);
}

int pthread_spin_unlock(pthread_spinlock_t *l)
{
	return lock_release(word_of((void *)l), LOCK_NORMAL, "the spinlock", PC);
}

/* ---- barriers */

int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned total)
{
	(void)attr;
	if (!total)
		return EINVAL;
	object_make(b, sizeof(*b), 0, total, PC);
	word_of(b)[2] = barrier_number();
	return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *b)
{
	object_unmake(b, sizeof(*b), PC);
	return 0;
}

int pthread_barrier_wait(pthread_barrier_t *b)
{
	uint32_t total = word_of(b)[1];

	if (OUTSIDE || !total)
		fault_at(PC, 0, OUTSIDE ? "pthread_barrier_wait() outside of threads" :
			 "pthread_barrier_wait() of what is no barrier");
	plain_access(&word_of(b)[1], sizeof(total), false, PC);
	return meet(word_of(b), total, word_of(b)[2], PC) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* ---- semaphores */

static int fails_with(int err)
{
	errno = err;
	return err ? -1 : 0;
}

int sem_init(sem_t *s, int shared, unsigned value)
{
	(void)shared;
	object_make(s, sizeof(*s), value, 0, PC);
	return 0;
}

int sem_destroy(sem_t *s)
{
	object_unmake(s, sizeof(*s), PC);
	return 0;
}

int sem_wait(sem_t *s)
{
	return count_take(word_of(s), false, false, PC);
}

int sem_trywait(sem_t *s)
{
	return fails_with(count_take(word_of(s), true, false, OP_PC));
}

int sem_timedwait(sem_t *s, const struct timespec *deadline)
{
	return fails_with(clock_waited(deadline, count_take(word_of(s), false, true, PC)));
}

int sem_post(sem_t *s)
{
	count_give(word_of(s), PC);
	return 0;
}

int sem_getvalue(sem_t *s, int *value)
{
	plain_access(value, sizeof(*value), true, PC);
	*value = (int)op_load(s, 4, O_RELAXED, PC);
	return 0;
}

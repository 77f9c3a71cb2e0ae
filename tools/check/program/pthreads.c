/* SPDX-License-Identifier: MIT */
/*
 * POSIX threads, by their names. The calls of the program, and those of the C++ library on its
 * behalf, come here, to pthreads_more.c and to pthreads_threads.c. A program that calls a function
 * of POSIX threads which these files lack is refused before it is built (tools/check/nap-check).
 *
 * A lock is the first word of its object. The C library's static initialiser makes this word 0, so
 * such an object is a free lock here, too.
 */
#include <errno.h>
#include <pthread.h>

#include "program/caller.h"
#include "program/clock.h"
#include "program/locks.h"
#include "program/ops.h"
#include "program/shadow.h"

#pragma GCC visibility push(default)

/* ---- mutexes */

static uint32_t *mutex_word(pthread_mutex_t *m)
{
	return (uint32_t *)&m->__data.__lock;
}

#define ROBUST 16	/* in a mutex's kind */

static enum lock_kind mutex_kind(const pthread_mutex_t *m)
{
	enum lock_kind robust = m->__data.__kind & ROBUST ? LOCK_ROBUST : LOCK_NORMAL;

	switch (m->__data.__kind & 3) {
	case PTHREAD_MUTEX_RECURSIVE:
		return LOCK_RECURSIVE | robust;
	case PTHREAD_MUTEX_ERRORCHECK:
		return LOCK_ERRORCHECK | robust;
	default:
		return robust;
	}
}

int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	int kind = PTHREAD_MUTEX_NORMAL, robust = PTHREAD_MUTEX_STALLED;

	if (attr) {
		pthread_mutexattr_gettype(attr, &kind);
		pthread_mutexattr_getrobust(attr, &robust);
	}
	if (robust == PTHREAD_MUTEX_ROBUST)
		kind |= ROBUST;
	object_is_new(m, PC);
	plain_range((uintptr_t)m, sizeof(*m), true, PC);
	*m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	m->__data.__kind = kind;
	return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *m)
{
	lock_unmake(m, sizeof(*m), "a mutex", PC);
	return 0;
}

int pthread_mutex_lock(pthread_mutex_t *m)
{
	return lock_take(mutex_word(m), mutex_kind(m), false, "the mutex", PC);
}

int pthread_mutex_trylock(pthread_mutex_t *m)
{
	return lock_try(mutex_word(m), mutex_kind(m), OP_PC);
}

int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *deadline)
{
	return clock_waited(deadline,
			    lock_take(mutex_word(m), mutex_kind(m), true, "the mutex", PC));
}

int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *deadline)
{
	(void)clock;
	return clock_waited(deadline,
			    lock_take(mutex_word(m), mutex_kind(m), true, "the mutex", PC));
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
	return lock_release(mutex_word(m), mutex_kind(m), "the mutex", PC);
}

int pthread_mutex_consistent(pthread_mutex_t *m)
{
	return lock_consistent(mutex_word(m));
}

/* ---- attributes that mutexes do not have here */

/* A thread that inherits a priority is not faster here. */
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol)
{
	(void)attr;
	if (protocol == PTHREAD_PRIO_PROTECT)
		give_up("a mutex with a priority's ceiling");
	return 0;
}

/* ---- condition variables */

int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
	(void)attr;
	object_make(c, sizeof(*c), 0, 0, PC);
	return 0;
}

int pthread_cond_destroy(pthread_cond_t *c)
{
	object_unmake(c, sizeof(*c), PC);
	return 0;
}

static int cond_wait(pthread_cond_t *c, pthread_mutex_t *m, bool timed, uintptr_t pc)
{
	return condition_wait(c, mutex_word(m), mutex_kind(m), timed, pc);
}

int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return cond_wait(c, m, false, PC);
}

int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *deadline)
{
	return clock_waited(deadline, cond_wait(c, m, true, PC));
}

int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
			   const struct timespec *deadline)
{
	(void)clock;
	return clock_waited(deadline, cond_wait(c, m, true, PC));
}

int pthread_cond_signal(pthread_cond_t *c)
{
	condition_wake(c, false, PC);
	return 0;
}

int pthread_cond_broadcast(pthread_cond_t *c)
{
	condition_wake(c, true, PC);
	return 0;
}

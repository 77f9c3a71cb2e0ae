/* SPDX-License-Identifier: MIT */
/*
 * POSIX threads, by their names: the program's calls, and those of the C++ library on its behalf, come
 * here. What is not here is refused before the program is built (tools/check/nap-check).
 *
 * A lock is the first word of its object, so that an object that is initialised as the C library has
 * it, statically, is one here.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#include "program/caller.h"
#include "program/fault.h"
#include "program/locks.h"
#include "program/ops.h"
#include "program/pthreads.h"
#include "program/scenario.h"
#include "program/shadow.h"
#include "program/stop.h"
#include "program/turns.h"

/* ---- threads */

static struct start {
	void *(*run)(void *arg);
	void *arg, *value;
	bool joined, detached;
} starts[MAX_THREADS];

/* Numbers of threads that threads start, as they were met first: the same in every execution. */
static struct { unsigned by, nth; } creations[MAX_THREADS];
static unsigned nr_creations;

void creations_clear(void)
{
	nr_creations = 0;
}

static unsigned number_for(unsigned nth)
{
	unsigned number, used = 0;

	while (used < MAX_THREADS && scenario->threads[used].run)
		used++;
	for (unsigned i = 0; i < nr_creations; i++)
		if (creations[i].by == self && creations[i].nth == nth)
			return used + i;
	number = used + nr_creations;
	if (number >= MAX_THREADS)
		give_up("the bound on threads");
	creations[nr_creations].by = self;
	creations[nr_creations++].nth = nth;
	return number;
}

static void run_started(void *arg)
{
	struct start *start = arg;

	start->value = start->run(start->arg);
}

static unsigned number_of_thread(pthread_t thread, uintptr_t pc)
{
	unsigned number = (unsigned)thread - 1;

	if (number >= MAX_THREADS || threads[number].state == T_ABSENT)
		fault_at(pc, 0, "%#lx is no thread", (unsigned long)thread);
	return number;
}

#pragma GCC visibility push(default)

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	unsigned number;
	int detached = PTHREAD_CREATE_JOINABLE, err;

	if (OUTSIDE)
		fault_at(PC, 0, "pthread_create() outside of threads");
	number = number_for(threads[self].created++);
	if (attr)
		pthread_attr_getdetachstate(attr, &detached);
	starts[number] = (struct start){
		.run = run, .arg = arg, .detached = detached == PTHREAD_CREATE_DETACHED,
	};
	err = thread_create(number, run_started, &starts[number], NULL, PC);
	if (err)
		return -err;
	plain_access(thread, sizeof(*thread), true, PC);
	*thread = number + 1;
	return 0;
}

int pthread_join(pthread_t thread, void **value)
{
	unsigned number = number_of_thread(thread, PC);

	if (number == self)
		return EDEADLK;
	if (starts[number].detached || starts[number].joined)
		fault_at(PC, 0, "%s is joined, and %s", thread_name(number),
			 starts[number].detached ? "detached" : "was joined before");
	thread_join(number, PC);
	starts[number].joined = true;
	if (value) {
		plain_access(value, sizeof(*value), true, PC);
		*value = starts[number].value;
	}
	return 0;
}

int pthread_detach(pthread_t thread)
{
	starts[number_of_thread(thread, PC)].detached = true;
	return 0;
}

pthread_t pthread_self(void)
{
	return self == MAX_THREADS ? MAX_THREADS + 1 : self + 1;
}

_Noreturn void pthread_exit(void *value)
{
	if (OUTSIDE)
		fault_at(PC, 0, "pthread_exit() outside of threads");
	starts[self].value = value;
	thread_leaves();
}

/* ---- mutexes */

static uint32_t *mutex_word(pthread_mutex_t *m)
{
	return (uint32_t *)&m->__data.__lock;
}

static enum lock_kind mutex_kind(const pthread_mutex_t *m)
{
	switch (m->__data.__kind & 3) {
	case PTHREAD_MUTEX_RECURSIVE:
		return LOCK_RECURSIVE;
	case PTHREAD_MUTEX_ERRORCHECK:
		return LOCK_ERRORCHECK;
	default:
		return LOCK_NORMAL;
	}
}

int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	int kind = PTHREAD_MUTEX_NORMAL;

	if (attr)
		pthread_mutexattr_gettype(attr, &kind);
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
	(void)deadline;
	return lock_take(mutex_word(m), mutex_kind(m), true, "the mutex", PC);
}

int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *deadline)
{
	(void)clock;
	(void)deadline;
	return lock_take(mutex_word(m), mutex_kind(m), true, "the mutex", PC);
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
	return lock_release(mutex_word(m), mutex_kind(m), "the mutex", PC);
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
	(void)deadline;
	return cond_wait(c, m, true, PC);
}

int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
			   const struct timespec *deadline)
{
	(void)clock;
	(void)deadline;
	return cond_wait(c, m, true, PC);
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

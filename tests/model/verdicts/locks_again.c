/* SPDX-License-Identifier: MIT */
/*
 * A thread takes a lock that it already has.
 *
 * verdict reads_twice: no fault
 * verdict reads_and_writes: found: dead-lock: T0 waits for ever for the rwlock
 * verdict writes_and_locks: no fault
 * verdict waits_locked_twice: found: T0 waits for a condition with the mutex again, which it has locked
 */
#include <errno.h>
#include <nap/check.h>
#include <pthread.h>

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t again;

static void make_again(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&again, &attr);
}

static void read_twice(void *arg)
{
	pthread_rwlock_rdlock(&rwlock);
	CHECK(!pthread_rwlock_rdlock(&rwlock));
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static void read_and_write(void *arg)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_wrlock(&rwlock);
}

static void write_and_lock(void *arg)
{
	pthread_rwlock_wrlock(&rwlock);
	CHECK(pthread_rwlock_wrlock(&rwlock) == EDEADLK);
	CHECK(pthread_rwlock_rdlock(&rwlock) == EDEADLK);
	CHECK(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
	pthread_rwlock_unlock(&rwlock);
}

static void wait_locked_twice(void *arg)
{
	pthread_mutex_lock(&again);
	pthread_mutex_lock(&again);
	pthread_cond_wait(&changed, &again);
}

CHECK_SCENARIO(reads_twice, .threads = { { read_twice }, { read_twice } });
CHECK_SCENARIO(reads_and_writes, .threads = { { read_and_write } });
CHECK_SCENARIO(writes_and_locks, .threads = { { write_and_lock } });
CHECK_SCENARIO(waits_locked_twice, .setup = make_again, .threads = { { wait_locked_twice } });

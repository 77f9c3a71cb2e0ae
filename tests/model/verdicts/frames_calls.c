/* SPDX-License-Identifier: MIT */
/*
 * Whatever a thread calls next shows that the thread has left a function.
 *
 * verdict gone_before_lock: found: a stack frame that is gone: T1 uses a variable of T0
 * verdict gone_before_post: found: a stack frame that is gone: T1 uses a variable of T0
 * verdict gone_before_signal: found: a stack frame that is gone: T1 uses a variable of T0
 * verdict gone_before_malloc: found: a stack frame that is gone: T1 uses a variable of T0
 * verdict gone_before_join: found: a stack frame that is gone: T1 uses a variable of T0
 * verdict there: no fault
 */
#include <nap/check.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int *_Atomic shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t items;

static void publish(void)
{
	atomic_int local = 0;

	atomic_store(&shared, &local);
}

static void use(void *arg)
{
	atomic_int *p;

	while (!(p = atomic_load(&shared)))
		;
	atomic_store(p, 1);
}

/* Gives up before the end of the thread, which would show the fault, too. */
static void wait_for_ever(void)
{
	check_assume(false);
}

static void then_lock(void *arg)
{
	publish();
	pthread_mutex_lock(&lock);
	wait_for_ever();
}

static void then_post(void *arg)
{
	publish();
	sem_post(&items);
	wait_for_ever();
}

static void then_signal(void *arg)
{
	publish();
	pthread_cond_signal(&changed);
	wait_for_ever();
}

static void then_malloc(void *arg)
{
	publish();
	free(malloc(8));
	wait_for_ever();
}

CHECK_SCENARIO(gone_before_lock, .threads = { { then_lock }, { use } });
CHECK_SCENARIO(gone_before_post, .threads = { { then_post }, { use } });
CHECK_SCENARIO(gone_before_signal, .threads = { { then_signal }, { use } });
CHECK_SCENARIO(gone_before_malloc, .threads = { { then_malloc }, { use } });

static void *count(void *number)
{
	++*(int *)number;
	return NULL;
}

static pthread_t start(void)
{
	pthread_t thread;
	int number = 0;

	pthread_create(&thread, NULL, count, &number);
	return thread;
}

static void start_and_join(void *arg)
{
	pthread_join(start(), NULL);
}

static void start_and_join_inside(void *arg)
{
	pthread_t thread;
	int number = 0;

	pthread_create(&thread, NULL, count, &number);
	free(malloc(8));
	pthread_join(thread, NULL);
	CHECK(number == 1);
}

CHECK_SCENARIO(gone_before_join, .threads = { { start_and_join } });
CHECK_SCENARIO(there, .threads = { { start_and_join_inside } });

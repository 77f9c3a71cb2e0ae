/* SPDX-License-Identifier: MIT */
/*
 * Threads are joined or detached once.
 *
 * verdict joined: no fault
 * verdict joined_twice: found: T[12] is joined, and joined by another call, too
 * verdict joined_by_two: found: T[0-9] is joined, and joined by another call, too
 * verdict joined_and_detached: found: T1 is detached, and joined by another call, too
 * verdict detached_twice: found: T1 is detached, and was detached before
 * verdict detached_and_joined: found: T1 is joined, and was detached before
 */
#include <nap/check.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int go, nr;
static pthread_t thread;

static void *count(void *arg)
{
	atomic_fetch_add(&nr, 1);
	return NULL;
}

static void start(void)
{
	pthread_create(&thread, NULL, count, NULL);
}

static void join(void *arg)
{
	start();
	CHECK(!pthread_join(thread, NULL));
	CHECK(atomic_load(&nr) == 1);
}

static void join_twice(void *arg)
{
	start();
	pthread_join(thread, NULL);
	pthread_join(thread, NULL);
}

/* Both joins come before the thread ends. */
static void start_and_join(void *arg)
{
	start();
	atomic_store(&go, 1);
	pthread_join(thread, NULL);
}

static void join_it(void *arg)
{
	if (atomic_load(&go))
		pthread_join(thread, NULL);
}

static void join_and_detach(void *arg)
{
	start();
	pthread_join(thread, NULL);
	pthread_detach(thread);
}

static void detach_twice(void *arg)
{
	start();
	pthread_detach(thread);
	pthread_detach(thread);
}

static void detach_and_join(void *arg)
{
	start();
	pthread_detach(thread);
	pthread_join(thread, NULL);
}

CHECK_SCENARIO(joined, .threads = { { join } });
CHECK_SCENARIO(joined_twice, .threads = { { join_twice } });
CHECK_SCENARIO(joined_by_two, .threads = { { start_and_join }, { join_it } });
CHECK_SCENARIO(joined_and_detached, .threads = { { join_and_detach } });
CHECK_SCENARIO(detached_twice, .threads = { { detach_twice } });
CHECK_SCENARIO(detached_and_joined, .threads = { { detach_and_join } });

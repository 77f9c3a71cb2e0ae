/* SPDX-License-Identifier: MIT */
/*
 * Barriers that are destroyed and made again by a thread that knows that all threads have come.
 *
 * verdict destroyed: no fault
 * verdict made_again: no fault
 * verdict destroyed_before: found: data race
 * verdict too_few: found: dead-lock: T[01] waits for ever for others to come to the barrier
 */
#include <nap/check.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int shared;

static void make(void)
{
	pthread_barrier_init(&barrier, NULL, 2);
}

static void make_for_three(void)
{
	pthread_barrier_init(&barrier, NULL, 3);
}

static void meet(void *arg)
{
	if (pthread_barrier_wait(&barrier) != PTHREAD_BARRIER_SERIAL_THREAD)
		return;
	pthread_barrier_destroy(&barrier);
	make();
	shared++;
}

static void meet_and_write(void *arg)
{
	shared = 1;
	meet(arg);
}

static void meet_twice(void *arg)
{
	static pthread_barrier_t other;

	if (arg)
		pthread_barrier_init(&other, NULL, 2);
	if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
		pthread_barrier_destroy(&barrier);
		make();
		shared = 1;
	}
	pthread_barrier_wait(&other);
	CHECK(shared == 1);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
}

static void destroy(void *arg)
{
	pthread_barrier_destroy(&barrier);
}

CHECK_SCENARIO(destroyed, .setup = make, .threads = { { meet }, { meet_and_write } });
CHECK_SCENARIO(made_again, .setup = make, .threads = { { meet_twice, &shared }, { meet_twice } });
CHECK_SCENARIO(destroyed_before, .setup = make, .threads = { { meet }, { destroy } });
CHECK_SCENARIO(too_few, .setup = make_for_three, .threads = { { meet }, { meet } });

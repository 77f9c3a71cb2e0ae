/* SPDX-License-Identifier: MIT */
/*
 * A mutex and two conditions, used by threads. Included by the file that defines, as static
 * inline functions,
 *
 *	lock_take(), lock_give()	the mutex
 *	cond_sleep(i), cond_wake(i)	condition i, 0 or 1, with the mutex locked
 */
#ifndef NAP_BENCH_LOCKS_H
#define NAP_BENCH_LOCKS_H

#include <pthread.h>
#include <unistd.h>

#include "common/threads.h"

static uint64_t guarded, cond_n;
static unsigned whose_turn;

/* Locks and unlocks n times, on each thread. */
static void lock_alone(unsigned unused, uint64_t n)
{
	(void)unused;
	for (uint64_t i = 0; i < n; i++) {
		lock_take();
		guarded++;
		lock_give();
	}
}

static void *pauses(void *unused)
{
	pause();
	return unused;
}

/*
 * Pins no thread, because the workers that run other peers' fibers are not pinned. There is one
 * more thread, which sleeps: in a process of one thread glibc's mutexes do without locked
 * instructions.
 */
static inline void lock_by_threads(const struct size *size)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, pauses, NULL))
		row_die("no thread");
	threads_time_free(size, lock_alone);
}

/* ---- two threads that wake each other in turn: n round trips */

static void *one_side(void *arg)
{
	unsigned me = arg != NULL;

	for (uint64_t i = 0; i < cond_n; i++) {
		lock_take();
		while (whose_turn != me)
			cond_sleep(me);
		whose_turn = !me;
		cond_wake(!me);
		lock_give();
	}
	return NULL;
}

static void cond_trips(const struct size *size)
{
	static char second;
	pthread_t other;

	cond_n = size->n;
	whose_turn = 0;
	if (pthread_create(&other, NULL, one_side, &second))
		row_die("no thread");
	one_side(NULL);
	pthread_join(other, NULL);
}

#define LOCK_ROWS					\
	ROW("lock", lock_by_threads),			\
	ROW_TIME("cond", row_time, cond_trips)

#endif /* NAP_BENCH_LOCKS_H */

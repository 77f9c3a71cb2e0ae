/* SPDX-License-Identifier: MIT */
/*
 * Mutexes and conditions, used by fibers, or by threads outside of every pool if HOW is "threads".
 */
#include "nap.h"

#include <string.h>

static struct nap_mutex mutex = NAP_MUTEX_INIT;
static struct nap_cond conds[2] = { NAP_COND_INIT, NAP_COND_INIT };

static inline void lock_take(void)
{
	if (nap_mutex_lock(&mutex))
		row_die("a mutex does not work");
}

static inline void lock_give(void)
{
	nap_mutex_unlock(&mutex);
}

static inline void cond_sleep(unsigned i)
{
	if (nap_cond_wait(&conds[i], &mutex))
		row_die("a condition does not work");
}

static inline void cond_wake(unsigned i)
{
	nap_cond_signal(&conds[i]);
}

#include "common/locks.h"

static uint64_t locks_n;

static intptr_t locks(void *unused)
{
	(void)unused;
	lock_alone(0, locks_n);
	return 0;
}

static intptr_t side(void *other)
{
	one_side(other);
	return 0;
}

/* Runs n fibers to their end. The first fiber's argument is NULL. */
static void run_fibers(unsigned n, nap_fiber_fn fn)
{
	struct nap_fiber *fibers[THREADS_MAX];

	if (n > THREADS_MAX)
		row_die("too many fibers");
	for (unsigned i = 0; i < n; i++)
		if (nap_spawn(&bench_pool, &fibers[i], fn, i ? fibers : NULL))
			row_die("a fiber does not run");
	for (unsigned i = 0; i < n; i++)
		if (nap_await(fibers[i], NULL))
			row_die("a fiber does not end");
}

static void lock_by_fibers(const struct size *size)
{
	locks_n = size->n / size->workers;
	run_fibers(size->workers, locks);
}

static void cond_by_fibers(const struct size *size)
{
	cond_n = size->n;
	whose_turn = 0;
	run_fibers(2, side);
}

static void by_fibers(const struct size *size, row_fn *once)
{
	bench_start(size);
	row_time(size, once);
	bench_end();
}

static void lock_row(const struct size *size)
{
	if (strcmp(size->how, "threads"))
		by_fibers(size, lock_by_fibers);
	else
		lock_by_threads(size);
}

static void cond_row(const struct size *size)
{
	if (strcmp(size->how, "threads"))
		by_fibers(size, cond_by_fibers);
	else
		row_time(size, cond_trips);
}

const struct row lock_rows[] = {
	ROW("lock", lock_row),
	ROW("cond", cond_row),
	ROWS_END,
};

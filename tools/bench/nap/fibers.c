/* SPDX-License-Identifier: MIT */
/* Fibers that yield to each other, that are awaited, that wait for each other, and that sleep. */
#include "common/trees.h"
#include "nap.h"
#include "quicksort.h"

#include <string.h>
#include <unistd.h>

static uint64_t n;

static void run_fiber(nap_fiber_fn fn, void *arg)
{
	struct nap_fiber *fiber;

	if (nap_spawn(&bench_pool, &fiber, fn, arg) || nap_await(fiber, NULL))
		row_die("a fiber does not run");
}

static void run_two(nap_fiber_fn one, nap_fiber_fn other)
{
	struct nap_fiber *fiber;

	if (nap_spawn(&bench_pool, &fiber, other, NULL))
		row_die("a fiber does not run");
	run_fiber(one, NULL);
	if (nap_await(fiber, NULL))
		row_die("a fiber does not end");
}

static void fibers_begin(const struct size *size)
{
	n = size->n;
	bench_start(size);
}

/* ---- two fibers that yield to each other: n times in all */

static intptr_t gives_way(void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < n / 2; i++)
		nap_yield();
	return 0;
}

static void turns(const struct size *size)
{
	(void)size;
	run_two(gives_way, gives_way);
}

/* ---- one fiber that awaits n others, one after another */

static intptr_t nothing(void *unused)
{
	(void)unused;
	return 0;
}

static intptr_t spawns(void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < n; i++)
		run_fiber(nothing, NULL);
	return 0;
}

static void all_awaited(const struct size *size)
{
	(void)size;
	run_fiber(spawns, NULL);
}

/* ---- n round trips over two channels with room for one message */

static uint64_t there_room, back_room;
static struct nap_channel there = NAP_CHANNEL_INIT(&there_room, sizeof(uint64_t), 1);
static struct nap_channel back = NAP_CHANNEL_INIT(&back_room, sizeof(uint64_t), 1);

static intptr_t asks(void *unused)
{
	uint64_t value = 0;

	(void)unused;
	for (uint64_t i = 0; i < n; i++)
		if (nap_channel_send(&there, &i) || nap_channel_recv(&back, &value) || value != i)
			row_die("a channel does not work");
	return 0;
}

static intptr_t answers(void *unused)
{
	uint64_t value;

	(void)unused;
	for (uint64_t i = 0; i < n; i++)
		if (nap_channel_recv(&there, &value) || nap_channel_send(&back, &value))
			row_die("a channel does not work");
	return 0;
}

static void to_and_fro(const struct size *size)
{
	(void)size;
	run_two(asks, answers);
}

/* ---- two fibers that lock a mutex, n times in all; the holder yields before it unlocks */

static struct nap_mutex mutex = NAP_MUTEX_INIT;
static uint64_t guarded;

static intptr_t locks(void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < n / 2; i++) {
		if (nap_mutex_lock(&mutex))
			row_die("a mutex does not work");
		guarded++;
		nap_yield();
		nap_mutex_unlock(&mutex);
	}
	return 0;
}

static void handed_over(const struct size *size)
{
	guarded = 0;
	run_two(locks, locks);
	if (guarded != size->n / 2 * 2)
		row_die("a mutex does not work");
}

/* ---- n fibers that sleep: bytes of memory for each */

static uint64_t nr_sleeping;

static intptr_t sleeps(void *unused)
{
	(void)unused;
	__atomic_fetch_add(&nr_sleeping, 1, __ATOMIC_RELAXED);
	nap_sleep(3600000000000u);
	return 0;
}

static void sleepers_row(const struct size *size)
{
	struct nap_fibers_config config = { .stack_size = 16384, .most = (uint32_t)size->n,
					    .flags = NAP_FIBER_NO_GUARD };
	uint64_t before;

	before = bench_resident();
	if (nap_fibers_init(&bench_pool, &config))
		row_die("no stacks");
	for (uint64_t i = 0; i < size->n; i++)
		if (nap_spawn(&bench_pool, NULL, sleeps, NULL))
			row_die("a fiber does not run");
	while (__atomic_load_n(&nr_sleeping, __ATOMIC_RELAXED) < size->n)
		usleep(10000);
	usleep(100000);
	row_print(size, (bench_resident() - before) / size->n, 1);
	nap_pool_shutdown(&bench_pool, NAP_STOP);
}

/* ---- the quicksort of Zap's async layer: a fiber sorts the larger part, the caller the smaller */

struct numbers {
	int32_t *first;
	uint32_t n;
};

static intptr_t sort_fiber(void *arg)
{
	struct numbers all = *(struct numbers *)arg, low, high;
	struct nap_fiber *fiber;
	bool low_is_larger;
	uint32_t mid;

	if (all.n <= SORT_CUTOFF) {
		sort_by_insertion(all.first, all.n);
		return 0;
	}
	mid = sort_partition(all.first, all.n);
	low = (struct numbers){ all.first, mid };
	high = (struct numbers){ all.first + mid + 1, all.n - mid - 1 };
	low_is_larger = low.n > high.n;
	if (nap_spawn(&bench_pool, &fiber, sort_fiber, low_is_larger ? &low : &high))
		return sort_fiber(&low) + sort_fiber(&high);	/* no more fibers can be spawned */
	sort_fiber(low_is_larger ? &high : &low);
	return nap_await(fiber, NULL);
}

static void sort_all(int32_t *first, uint32_t n_all)
{
	struct numbers all = { first, n_all };

	run_fiber(sort_fiber, &all);
}

static void sort_async_row(const struct size *size)
{
	sort_time(size, sort_all);
}

const struct row fiber_rows[] = {
	ROW_OF("turns", row_time, turns, fibers_begin, bench_end),
	ROW_OF("spawn-await", row_time, all_awaited, fibers_begin, bench_end),
	ROW_OF("channel", row_time, to_and_fro, fibers_begin, bench_end),
	ROW_OF("mutex", row_time, handed_over, fibers_begin, bench_end),
	ROW_WITHIN("sleepers", sleepers_row, bench_start, bench_end),
	ROW_WITHIN("sort-async", sort_async_row, bench_start, bench_end),
	ROWS_END,
};

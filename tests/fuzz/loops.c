/* SPDX-License-Identifier: MIT */
/* Loops, sorts and broadcasts of the driver and of tasks. Each checks its result. */
#include <errno.h>
#include <stdlib.h>

#include "fuzz.h"

#define TURNS	256u
#define FAILED	7	/* result of a range that fails */

uint32_t loops_begun;

struct turns {
	uint32_t ran[TURNS];	/* atomic */
	uint32_t fails;		/* the index at which a range fails; TURNS: none does */
};

static int run_range(size_t i, size_t end, void *arg)
{
	struct turns *turns = arg;

	for (; i < end; i++) {
		nap_fetch_add_relaxed(&turns->ran[i], 1);
		if (i == turns->fails)
			return FAILED;
	}
	return 0;
}

/*
 * Checks the error that a caller gets. A caller inside the pool is never refused. A caller outside
 * is refused if the pool was closed before the call, and may be refused if it is being closed.
 */
static void check_refused(uint32_t p, int err, bool closed, bool inside)
{
	if (err == -ESHUTDOWN)
		CHECK(!inside && nap_load_acquire(&pools[p].closing), err);
	else
		CHECK(!closed || inside, err);
}

static void loop(uint32_t p, uint32_t n, uint32_t how)
{
	bool inside = is_inside(p), closed = nap_load_acquire(&pools[p].closed);
	struct nap_loop as = { .flags = how & NAP_LOOP_FIRST, .grain = how >> 1 & 7 };
	struct turns turns = { .fails = how & 0x10 ? how >> 5 : TURNS };
	uint32_t lowest = turns.fails < n ? turns.fails : n;
	int err = nap_for_as(pools[p].pool, &as, 0, n, run_range, &turns);

	if (n)
		check_refused(p, err, closed, inside);
	if (err == -ESHUTDOWN)
		lowest = 0;
	else
		CHECK(err == (lowest < n ? FAILED : 0), err);
	for (uint32_t i = 0; i < TURNS; i++) {
		uint32_t ran = nap_load_relaxed(&turns.ran[i]);

		CHECK(ran <= (i < n && err != -ESHUTDOWN), i);
		if (i < lowest && (!err || as.flags))
			CHECK(ran == 1, i);
	}
}

static int by_number(const void *a, const void *b, void *unused)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	(void)unused;
	return x < y ? -1 : x > y;
}

static void sort(uint32_t p, uint32_t n, uint32_t how)
{
	bool inside = is_inside(p), closed = nap_load_acquire(&pools[p].closed);
	int32_t *numbers = malloc((n + 1) * sizeof(*numbers));
	uint64_t before = 0, after = 0;
	int err;

	if (!numbers)
		abort();
	for (uint32_t i = 0; i < n; i++) {
		numbers[i] = (int32_t)((i * 0x9e3779b1u) >> (how & 31));
		before += (uint32_t)numbers[i];
	}
	err = how & 0x20 ? nap_sort_i32(pools[p].pool, numbers, n) :
	      nap_sort(pools[p].pool, numbers, n, sizeof(*numbers), by_number, NULL);
	CHECK(!err || err == -ESHUTDOWN, err);
	if (n > 1)
		check_refused(p, err, closed, inside);
	for (uint32_t i = 0; i < n; i++) {
		after += (uint32_t)numbers[i];
		CHECK(err || !i || numbers[i - 1] <= numbers[i], i);
	}
	CHECK(before == after, n);
	free(numbers);
}

static void note_worker(struct nap_worker *worker, void *count)
{
	CHECK(worker && worker == nap_worker_self(), 0);
	nap_fetch_add_relaxed((uint32_t *)count, 1);
}

/* Only the driver makes broadcasts, because tasks of two pools might wait for each other. */
static void broadcast(uint32_t p)
{
	bool inside = is_inside(p), closed = nap_load_acquire(&pools[p].closed);
	uint32_t count = 0;
	int n = nap_broadcast(pools[p].pool, note_worker, &count);

	if (n == -ECANCELED)
		CHECK(nap_load_acquire(&pools[p].stopping), n);
	else
		check_refused(p, n, closed, inside);
	CHECK(nap_load_relaxed(&count) == (n < 0 ? 0 : (uint32_t)n), n);
	/* If the driver is a guest, it counts as a worker. */
	CHECK(n <= (int)pools[p].limit + inside, n);
}

void call_loops(uint32_t p, uint32_t n, uint32_t how)
{
	nap_fetch_add_relaxed(&loops_begun, 1);
	if (is_driver())
		open_door();
	if (how % 4 < 2)
		loop(p, n, how >> 2);
	else if (how % 4 == 2 || !is_driver())
		sort(p, n * (how & 4 ? 40 : 1), how >> 3);
	else
		broadcast(p);
}

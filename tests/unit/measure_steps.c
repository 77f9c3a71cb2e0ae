/* SPDX-License-Identifier: MIT */
/*
 * src/measure/, step by step: what is counted where, with a clock that the test sets; how large the
 * memory is, and where in it each part lies. The main thread plays all threads.
 */
#include <nap/nap.h>

#include "harness.h"
#include "measure/measure.h"
#include "wrap.h"

static uint64_t clock_at;

WRAP(uint64_t, nap__os_now, (void))
{
	return clock_at ? clock_at : __real_nap__os_now();
}

static int maps;	/* mappings that were made, less those that were unmapped */
static size_t map_size;
static bool map_fails;

WRAP(void *, nap__os_map, (size_t size))
{
	map_size = size;
	maps += !map_fails;
	return map_fails ? NULL : __real_nap__os_map(size);
}

WRAP(void, nap__os_unmap, (void *mem, size_t size))
{
	maps -= size == map_size;
	__real_nap__os_unmap(mem, size);
}

static struct nap_pool pool;
static struct nap_classes classes = { .count = 2 };
static struct nap_task tasks[40];

static struct nap__measure *start(uint32_t measure)
{
	pool.config.measure = measure;
	pool.config.max_workers = pool.limit = 2;
	nap__measure_ops.start(&pool);
	if (!pool.measure)
		abort();
	return pool.measure;
}

/* Returns a histogram of threads without a record. */
static struct nap__histogram *shared(uint32_t party, enum nap_measured what)
{
	return &measured_at(pool.measure, pool.measure->workers)->of[measure_place(party)][what];
}

/* Returns how many values a histogram has. */
static uint64_t count(const struct nap__histogram *histogram)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < NAP_HISTOGRAM_BUCKETS; i++)
		n += histogram->of[i];
	return n;
}

/* ---- memory */

TEST(there_are_two_cells_for_each_task_that_waits)
{
	static const uint32_t cells[][2] = {
		{ 1, 16 }, { 8, 16 }, { 9, 32 }, { 16, 32 }, { 17, 64 },
		{ NAP_MEASURE_MAX, 2 * NAP_MEASURE_MAX }, { UINT32_MAX, 2 * NAP_MEASURE_MAX },
	};

	for (int i = 0; i < 7; i++) {
		EXPECT_EQ(start(cells[i][0])->mask, cells[i][1] - 1);
		EXPECT_EQ(maps, 1);
		nap__measure_ops.forget(&pool);
		EXPECT_EQ(pool.measure, NULL);
		EXPECT_EQ(maps, 0);
	}
}

TEST(the_parts_lie_one_behind_the_other)
{
	struct nap__measure *measure;
	char *waking, *end;

	pool.config.classes = &classes;
	measure = start(100);
	EXPECT_EQ(measure->parties, 3);
	waking = (char *)(measure + 1);
	EXPECT_EQ((char *)measure_waking(measure, 0), waking);
	EXPECT_EQ((char *)measure_waking(measure, measure->workers), measure->sets);
	EXPECT_EQ(measure->set_size % NAP__CACHE_LINE, 0);
	end = (char *)&measured_at(measure, 0)->of[measure->parties];
	EXPECT_GE((char *)measured_at(measure, 1), end);
	EXPECT_LT((char *)measured_at(measure, 1), end + 2 * NAP__CACHE_LINE);
	EXPECT_EQ((char *)measured_at(measure, measure->workers + 1), (char *)measure->stamps);
	EXPECT_EQ((char *)&measure->stamps[measure->mask + 1], (char *)measure + map_size);
	nap__measure_ops.forget(&pool);
}

TEST(a_second_start_finds_the_memory_of_the_first)
{
	struct nap__measure *measure = start(100);

	EXPECT_EQ(start(100), measure);
	EXPECT_EQ(maps, 1);
	nap__measure_ops.forget(&pool);
	EXPECT_EQ(maps, 0);
	map_fails = true;
	nap__measure_ops.start(&pool);
	EXPECT_EQ(pool.measure, NULL);
}

/* ---- tasks */

TEST(a_task_waits_and_then_runs)
{
	uint64_t begun;

	start(8);
	clock_at = 1000;
	nap__measure_put(&pool, PARTY_ORDINARY, 4, &tasks[0], &tasks[0]);
	EXPECT_EQ(shared(PARTY_ORDINARY, NAP_MEASURE_QUEUE)->sum, 5);
	EXPECT_EQ(count(shared(PARTY_ORDINARY, NAP_MEASURE_WAIT)), 0);
	clock_at = 1500;
	begun = nap__measure_begin(&pool, &tasks[0]);
	EXPECT_EQ(shared(PARTY_ORDINARY, NAP_MEASURE_WAIT)->sum, 500);
	clock_at = 1800;
	nap__measure_end(&pool, begun);
	EXPECT_EQ(shared(PARTY_ORDINARY, NAP_MEASURE_RUN)->sum, 300);
	for (enum nap_measured what = NAP_MEASURE_WAIT; what <= NAP_MEASURE_QUEUE; what++) {
		EXPECT_EQ(count(shared(PARTY_ORDINARY, what)), 1);
	}
	EXPECT_EQ(nap__measure_begin(&pool, &tasks[0]), 0);
	EXPECT_EQ(count(shared(PARTY_ORDINARY, NAP_MEASURE_WAIT)), 1);
	nap__measure_ops.forget(&pool);
}

TEST(each_class_has_its_own)
{
	pool.config.classes = &classes;
	start(8);
	clock_at = 1000;
	nap__measure_put(&pool, 0, 0, &tasks[0], &tasks[0]);
	nap__measure_put(&pool, 1, 6, &tasks[1], &tasks[1]);
	nap__measure_put_due(&pool, 400, &tasks[2], &tasks[2]);
	clock_at = 1010;
	nap__measure_end(&pool, nap__measure_begin(&pool, &tasks[0]));
	clock_at = 1020;
	nap__measure_end(&pool, nap__measure_begin(&pool, &tasks[1]));
	nap__measure_begin(&pool, &tasks[2]);
	EXPECT_EQ(shared(0, NAP_MEASURE_QUEUE)->sum, 1);
	EXPECT_EQ(shared(1, NAP_MEASURE_QUEUE)->sum, 7);
	EXPECT_EQ(shared(PARTY_ORDINARY, NAP_MEASURE_QUEUE)->sum, 0);
	EXPECT_EQ(shared(0, NAP_MEASURE_WAIT)->sum, 10);
	EXPECT_EQ(shared(1, NAP_MEASURE_WAIT)->sum, 20);
	EXPECT_EQ(shared(PARTY_ORDINARY, NAP_MEASURE_WAIT)->sum, 620);
	EXPECT_EQ(count(shared(0, NAP_MEASURE_RUN)), 1);
	EXPECT_EQ(count(shared(1, NAP_MEASURE_RUN)), 1);
	EXPECT_EQ(count(shared(PARTY_ORDINARY, NAP_MEASURE_RUN)), 0);
	nap__measure_ops.forget(&pool);
}

/* The time at which a task is due may be later than its run. */
TEST(no_time_is_negative)
{
	uint64_t begun;

	start(8);
	clock_at = 1000;
	nap__measure_put_due(&pool, 2000, &tasks[0], &tasks[0]);
	begun = nap__measure_begin(&pool, &tasks[0]);
	EXPECT_EQ(count(shared(PARTY_ORDINARY, NAP_MEASURE_WAIT)), 1);
	EXPECT_EQ(shared(PARTY_ORDINARY, NAP_MEASURE_WAIT)->sum, 0);
	clock_at = 999;
	nap__measure_end(&pool, begun);
	EXPECT_EQ(count(shared(PARTY_ORDINARY, NAP_MEASURE_RUN)), 1);
	EXPECT_EQ(shared(PARTY_ORDINARY, NAP_MEASURE_RUN)->sum, 0);
	nap__measure_ops.forget(&pool);
}

TEST(a_list_of_tasks_some_of_which_find_no_room)
{
	uint32_t begun = 0;

	start(8);
	for (int i = 0; i < 39; i++) {
		tasks[i].next = &tasks[i + 1];
	}
	nap__measure_put(&pool, PARTY_ORDINARY, 10, &tasks[0], &tasks[19]);
	EXPECT_EQ(shared(PARTY_ORDINARY, NAP_MEASURE_QUEUE)->sum, 10 * 20 + 20 * 21 / 2);
	EXPECT_EQ(shared(PARTY_ORDINARY, NAP_MEASURE_WAIT)->missed, 20 - 16);
	nap__measure_put_due(&pool, 1, &tasks[20], &tasks[39]);
	EXPECT_EQ(shared(PARTY_ORDINARY, NAP_MEASURE_WAIT)->missed, 40 - 16);
	for (int i = 0; i < 40; i++)
		begun += nap__measure_begin(&pool, &tasks[i]) != 0;
	EXPECT_EQ(begun, 16);
	nap__measure_ops.forget(&pool);
}

/* ---- wakes */

TEST(a_wake_is_counted_once)
{
	static struct nap_worker worker = { .pool = &pool, .index = 1 };
	struct nap__measure *measure = start(8);
	struct nap__histogram *wakes = &measured_at(measure, 1)->wake;

	clock_at = 100;
	nap__measure_wake(&worker);
	clock_at = 130;
	nap__measure_woken(&worker);
	nap__measure_woken(&worker);
	EXPECT_EQ(count(wakes), 1);
	EXPECT_EQ(wakes->sum, 30);
	nap__measure_wake(&worker);
	clock_at = 120;
	nap__measure_woken(&worker);
	EXPECT_EQ(count(wakes), 2);
	EXPECT_EQ(wakes->sum, 30);
	nap__measure_ops.forget(&pool);
}

/* The last index is that of a guest's record; a guest without a record has another one. */
TEST(who_has_no_record_has_no_wakes)
{
	static struct nap_worker worker = { .pool = &pool };
	struct nap__measure *measure = start(8);

	clock_at = 100;
	worker.index = measure->workers - 1;
	nap__measure_wake(&worker);
	clock_at = 130;
	nap__measure_woken(&worker);
	EXPECT_EQ(measured_at(measure, worker.index)->wake.sum, 30);
	worker.index = measure->workers;
	nap__measure_wake(&worker);
	EXPECT_EQ(measured_at(measure, 0)->wake.sum, 0);
	/* What lies behind the last record's wakes is no time of a wake. */
	measured_at(measure, 0)->wake.sum = 7;
	nap__measure_woken(&worker);
	EXPECT_EQ(measured_at(measure, 0)->wake.missed, 0);
	EXPECT_EQ(count(&measured_at(measure, measure->workers)->wake), 0);
	nap__measure_ops.forget(&pool);
}

TEST_HARNESS_MAIN

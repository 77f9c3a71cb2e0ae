/* SPDX-License-Identifier: MIT */
/*
 * nap_for() and nap_for_2d() against a serial loop: each index is run once, whatever the size,
 * the grain and the caller; what ends a loop early, and that nothing runs after its end.
 */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

#include "parallel_fixture.h"
#include "scale.h"

/* ---- each index once */

static const size_t sizes[] = { 0, 1, 2, 3, 15, 16, 17, 31, 33, 1000, FIELD };
static unsigned nr_wrong;

static void expect_loop(const struct nap_loop *how, size_t begin, size_t end)
{
	field_clear();
	nr_wrong += nap_for_as(&pool, how, begin, end, count_range, NULL) ||
		    !field_is(begin, end, 1);
}

static void run_sizes(void)
{
	static const size_t grains[] = { 0, 1, 2, 15, 16, 17, 5000, SIZE_MAX };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		expect_loop(NULL, 0, sizes[i]);
		for (size_t j = 0; j < sizeof(grains) / sizeof(*grains); j++)
			expect_loop(&(struct nap_loop){ .grain = grains[j] }, sizes[i] / 3,
				    sizes[i]);
	}
}

TEST(each_index_is_run_once)
{
	nr_wrong = 0;
	from_everywhere(run_sizes);
	EXPECT_EQ(nr_wrong, 0);
}

static int count_and_yield(size_t begin, size_t end, void *arg)
{
	sched_yield();
	return count_range(begin, end, arg);
}

/* In a pool of several workers stolen parts are counted, and not joined: src/parallel/crew.h. */
TEST(each_index_is_run_once_by_a_crew)
{
	const struct nap_loop how = { .grain = 1 };

	pool_of(4);
	ASSERT_EQ(nap_pool_prewarm(&pool, 4), 0);
	nr_wrong = 0;
	for (unsigned long i = 0; i < nap_test_count(300); i++) {
		field_clear();
		nr_wrong += nap_for_as(&pool, &how, 0, 100, count_and_yield, NULL) ||
			    !field_is(0, 100, 1);
	}
	EXPECT_EQ(nr_wrong, 0);
	pool_end();
}

/*
 * The caller, index 0 and 1, waits for its crew: a thief runs index 2, and waits for index 3, which
 * is in the thief's deque. The third worker is kept busy.
 */
static struct nap_task behind;
static uint32_t third_runs, fourth_has_run, behind_saw, caller_has_ended;

static void until(uint32_t *word)
{
	while (!nap_load_acquire(word))
		sched_yield();
}

static void look_for_fourth(struct nap_task *task)
{
	(void)task;
	nap_store_relaxed(&behind_saw, 1 + nap_load_acquire(&fourth_has_run));
}

static int run_part(size_t i, size_t end, void *unused)
{
	(void)unused;
	switch (i) {
	case 0:
		until(&third_runs);
		break;
	case 1:
		nap_schedule(&pool, &behind);
		break;
	case 2:
		nap_store_release(&third_runs, 1);
		until(&fourth_has_run);
		break;
	default:
		nap_store_release(&fourth_has_run, 1);
	}
	return end != i + 1;
}

static void run_parts(struct nap_worker *worker)
{
	const struct nap_loop how = { .grain = 1 };

	(void)worker;
	nr_wrong += nap_for_as(&pool, &how, 0, 4, run_part, NULL) != 0;
	nap_store_release(&caller_has_ended, 1);
}

static void stay_until_the_end(struct nap_task *task)
{
	(void)task;
	until(&caller_has_ended);
}

/* What its crew has forked the caller takes before a task, though the task is in its own ring. */
TEST(a_caller_helps_its_crew_first)
{
	struct nap_task busy = NAP_TASK_INIT(stay_until_the_end);

	pool_of(3);
	ASSERT_EQ(nap_pool_prewarm(&pool, 3), 0);
	nap_task_init(&behind, look_for_fourth);
	nr_wrong = 0;
	ASSERT_EQ(nap_schedule(&pool, &busy), 0);
	ASSERT_EQ(run_on_worker(&pool, run_parts), 0);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_wrong, 0);
	EXPECT_EQ(behind_saw, 2);
	pool_end();
}

/* ---- how many indices at a time */

static size_t least, most;

static int note_size(size_t begin, size_t end, void *unused)
{
	size_t n = end - begin;

	(void)unused;
	if (n < nap_load_relaxed(&least))
		nap_store_relaxed(&least, n);
	if (n > nap_load_relaxed(&most))
		nap_store_relaxed(&most, n);
	return 0;
}

static void run_grain(void)
{
	for (size_t grain = 1; grain <= 40; grain++)
		for (size_t n = grain; n <= 1000; n += 7) {
			least = SIZE_MAX;
			most = 0;
			if (nap_for_as(&pool, &(struct nap_loop){ .grain = grain }, 0, n, note_size,
				       NULL) ||
			    most > grain || least < grain / 2)
				nr_wrong++;
		}
}

TEST(a_range_is_at_most_a_grain_and_at_least_half)
{
	nr_wrong = 0;
	pool_of(1);
	run_grain();
	pool_end();
	EXPECT_EQ(nr_wrong, 0);
}

TEST(a_serial_loop_is_one_range_and_does_not_begin_with_the_pool)
{
	struct nap_loop how = { .serial = 1000 };

	pool_of(2);
	least = SIZE_MAX;
	most = 0;
	EXPECT_EQ(nap_for_as(&pool, &how, 7, 1007, note_size, NULL), 0);
	EXPECT_EQ(least, 1000);
	EXPECT_EQ(most, 1000);
	EXPECT_EQ(pool.limit, 0);
	EXPECT_EQ(nap_for_as(&pool, &how, 7, 1008, count_range, NULL), 0);
	field_clear();
	pool_end();
}

TEST(a_fixed_loop_has_256_parts_or_fewer)
{
	static const size_t rows[][2] = {
		{ 1, 1 }, { 256, 1 }, { 257, 2 }, { 512, 2 }, { 513, 3 },
	};

	pool_of(1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		most = 0;
		EXPECT_EQ(nap_for_as(&pool, &(struct nap_loop){ .flags = NAP_LOOP_FIXED }, 0,
				     rows[i][0], note_size, NULL), 0);
		EXPECT_EQ(most, rows[i][1]);
	}
	pool_end();
}

/* ---- which threads take part */

static uint32_t nr_together, nr_inside;

/* Waits until two threads are inside at a time. From then on no call waits. */
static int meet(size_t begin, size_t end, void *unused)
{
	(void)begin;
	(void)end;
	(void)unused;
	nap_fetch_add_release(&nr_inside, 1);
	while (!nap_load_acquire(&nr_together) && nap_load_acquire(&nr_inside) < 2)
		sched_yield();
	nap_store_release(&nr_together, 1);
	nap_fetch_sub_release(&nr_inside, 1);
	return 0;
}

TEST(a_worker_takes_the_other_half)
{
	pool_of(1);
	nr_together = nr_inside = 0;
	EXPECT_EQ(nap_for_as(&pool, &(struct nap_loop){ .grain = 1 }, 0, 2, meet, NULL), 0);
	EXPECT_EQ(nr_together, 1);
	pool_end();
}

/* Takes long at the first index, from which the loop guesses the cost of all other indices. */
static int take_long_then_meet(size_t begin, size_t end, void *unused)
{
	if (!begin) {
		usleep(10000);
		return 0;
	}
	return meet(begin, end, unused);
}

TEST(what_takes_long_is_offered_to_others)
{
	pool_of(1);
	nr_together = nr_inside = 0;
	EXPECT_EQ(nap_for(&pool, 0, 64, take_long_then_meet, NULL), 0);
	EXPECT_EQ(nr_together, 1);
	pool_end();
}

/*
 * In the first loop each index takes 10 ms, 160 ms in all. In the second loop no range is over
 * before two threads are inside.
 */
static int take_long_or_meet(size_t begin, size_t end, void *again)
{
	if (again)
		return meet(begin, end, NULL);
	usleep(10000 * (unsigned)(end - begin));
	return 0;
}

TEST(what_took_long_before_is_offered_at_once)
{
	pool_of(1);
	nr_together = nr_inside = 0;
	EXPECT_EQ(nap_for(&pool, 0, 16, take_long_or_meet, NULL), 0);
	EXPECT_EQ(nr_together, 0);
	EXPECT_EQ(nap_for(&pool, 0, 16, take_long_or_meet, &pool), 0);
	EXPECT_EQ(nr_together, 1);
	pool_end();
}

/* ---- nested loops */

static int nested_twice(size_t begin, size_t end, void *arg)
{
	for (size_t i = begin; i < end; i++)
		if (nap_for_as(&pool, arg, i * 10, i * 10 + 10, count_range, NULL))
			return -1;
	return 0;
}

static int nested(size_t begin, size_t end, void *arg)
{
	for (size_t i = begin; i < end; i++)
		if (nap_for_as(&pool, arg, i * 10, i * 10 + 10, nested_twice, arg))
			return -1;
	return 0;
}

static void run_nested(void)
{
	static const struct nap_loop by_one = { .grain = 1 };

	for (int i = 0; i < 2; i++) {
		field_clear();
		if (nap_for_as(&pool, i ? &by_one : NULL, 0, 20, nested,
			       (void *)(uintptr_t)&by_one) ||
		    !field_is(0, 2000, 1))
			nr_wrong++;
	}
}

TEST(three_deep)
{
	nr_wrong = 0;
	from_everywhere(run_nested);
	EXPECT_EQ(nr_wrong, 0);
}

/* ---- parts that belong to threads (owned loops) */

/* For each index: the thread that ran it last, and how many indices this thread had run before. */
static uint32_t ran_by[FIELD], ran_as[FIELD], nr_ran[10];

static int note_owner(size_t begin, size_t end, void *unused)
{
	uint32_t me = nap_worker_index(nap_worker_self());

	(void)unused;
	me = me < 8 ? me : 9;
	for (size_t i = begin; i < end; i++) {
		ran_by[i] = me;
		ran_as[i] = nr_ran[me]++;
	}
	return count_range(begin, end, NULL);
}

/* Whether thread @me ran the indices of its last loop first, and the new indices after them. */
static bool own_first(const uint32_t *before, uint32_t me, size_t n)
{
	uint32_t last_own = 0, first_other = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		if (ran_by[i] != me)
			continue;
		if (before[i] == me)
			last_own = ran_as[i] > last_own ? ran_as[i] : last_own;
		else if (ran_as[i] < first_other)
			first_other = ran_as[i];
	}
	return first_other == UINT32_MAX || first_other >= last_own;
}

static void run_owned(void)
{
	static const size_t ns[] = { 1, 2, 63, 64, 65, 1000, FIELD };
	static uint32_t before[FIELD];

	for (size_t k = 0; k < 2 * sizeof(ns) / sizeof(*ns); k++) {
		struct nap_owners owners = { { 0 } };
		struct nap_loop how = { .owners = &owners, .grain = k % 2 ? 7 : 0 };

		for (int i = 0; i < 10; i++) {
			memset(nr_ran, 0, sizeof(nr_ran));
			field_clear();
			nr_wrong += nap_for_as(&pool, &how, 0, ns[k / 2], note_owner, NULL) ||
				    !field_is(0, ns[k / 2], 1);
			for (uint32_t me = 0; i && me < 10; me++)
				nr_wrong += !own_first(before, me, ns[k / 2]);
			memcpy(before, ran_by, sizeof(before));
		}
	}
}

TEST(each_begins_with_what_was_its_own)
{
	nr_wrong = 0;
	from_everywhere(run_owned);
	EXPECT_EQ(nr_wrong, 0);
}

static struct nap_owners alone;

static void run_alone_owned(struct nap_worker *worker)
{
	const struct nap_loop how = { .owners = &alone };

	(void)worker;
	nr_wrong += nap_for_as(&pool, &how, 0, NAP_OWNED_PARTS, count_range, NULL) != 0;
}

/* The notes have the worker's number plus one. 0, the value at first, is of no worker. */
TEST(a_part_is_noted_as_its_workers)
{
	nr_wrong = 0;
	pool_of(1);
	ASSERT_EQ(run_on_worker(&pool, run_alone_owned), 0);
	for (int i = 0; i < NAP_OWNED_PARTS; i++)
		EXPECT_EQ(alone.worker[i], 1);
	EXPECT_EQ(nr_wrong, 0);
	pool_end();
}

/* ---- a range that fails */

static size_t fails_at[2];

static int fail(size_t begin, size_t end, void *unused)
{
	(void)unused;
	for (size_t i = begin; i < end; i++) {
		nap_fetch_add_relaxed(&field[i], 1);
		for (int k = 0; k < 2; k++)
			if (i == fails_at[k])
				return (int)i + 1;
	}
	return 0;
}

static void run_failing(void)
{
	const struct nap_loop first = { .grain = 3, .flags = NAP_LOOP_FIRST }, any = { .grain = 3 };
	const struct nap_loop first_by_clock = { .flags = NAP_LOOP_FIRST };
	struct nap_owners owners = { { 0 } };
	const struct nap_loop owned = { .owners = &owners };
	size_t n = 200, step = nap_test_slow() ? 37 : 1;

	for (size_t i = 0; i < n; i += step) {
		int err;

		fails_at[0] = n - 1 - i / 2;
		fails_at[1] = i;
		field_clear();
		err = nap_for_as(&pool, &first, 0, n, fail, NULL);
		nr_wrong += err != (int)(i < n - 1 - i / 2 ? i : n - 1 - i / 2) + 1 ||
			    !field_at_most_once((size_t)err);
		nr_wrong += nap_for_as(&pool, &first_by_clock, 0, n, fail, NULL) != err;
		field_clear();
		err = nap_for_as(&pool, &any, 0, n, fail, NULL);
		nr_wrong += (err != (int)fails_at[0] + 1 && err != (int)fails_at[1] + 1) ||
			    !field_at_most_once(0);
		field_clear();
		err = nap_for_as(&pool, &owned, 0, n, fail, NULL);
		nr_wrong += (err != (int)fails_at[0] + 1 && err != (int)fails_at[1] + 1) ||
			    !field_at_most_once(0);
		err = nap_for(&pool, 0, n, fail, NULL);
		nr_wrong += err != (int)fails_at[0] + 1 && err != (int)fails_at[1] + 1;
	}
}

TEST(what_a_range_returns_is_returned)
{
	nr_wrong = 0;
	from_everywhere(run_failing);
	EXPECT_EQ(nr_wrong, 0);
}

static int count_and_fail(size_t begin, size_t end, void *arg)
{
	return count_range(begin, end, arg) - 1;
}

/*
 * Every range fails here. A thread that has seen a range fail begins no other range, so each thread
 * begins at most one range.
 */
TEST(behind_a_failure_nothing_is_begun)
{
	struct nap_loop how = { .grain = 1 };
	uint32_t n = 0;

	pool_of(1);
	field_clear();
	EXPECT_EQ(nap_for_as(&pool, &how, 0, FIELD, count_and_fail, NULL), -1);
	for (size_t i = 0; i < FIELD; i++)
		n += field[i];
	EXPECT_GE(n, 1);
	EXPECT_GE(2, n);
	pool_end();
}

/* ---- loops that the program ends */

static uint32_t stop;

static int stop_at(size_t begin, size_t end, void *at)
{
	for (size_t i = begin; i < end; i++) {
		nap_fetch_add_relaxed(&field[i], 1);
		if (i == *(size_t *)at)
			nap_store_relaxed(&stop, 1);
	}
	return 0;
}

static void run_stopped(void)
{
	struct nap_loop how = { .grain = 2, .stop = &stop };

	for (size_t at = 0; at < 100; at++) {
		int err;

		stop = 0;
		field_clear();
		err = nap_for_as(&pool, &how, 0, 100, stop_at, &at);
		/* After its last range the loop checks nothing, and is not canceled. */
		nr_wrong += (err != -ECANCELED && (err || !field_is(0, 100, 1))) ||
			    !field_at_most_once(0);
	}
	stop = 1;
	field_clear();
	nr_wrong += nap_for_as(&pool, &how, 0, 100, count_range, NULL) != -ECANCELED ||
		    !field_is(0, 0, 1);
}

TEST(a_loop_that_is_stopped)
{
	nr_wrong = 0;
	from_everywhere(run_stopped);
	EXPECT_EQ(nr_wrong, 0);
}

static int sleep_for_each(size_t begin, size_t end, void *unused)
{
	usleep(1000);
	return count_range(begin, end, unused);
}

static int sleep_past(size_t begin, size_t end, void *unused)
{
	usleep(20000);
	return count_range(begin, end, unused);
}

TEST(a_loop_that_takes_too_long)
{
	struct nap_loop how = { .grain = 1, .timeout_ns = 1 };
	int err;

	pool_of(2);
	for (int i = 0; i < 2; i++) {
		field_clear();
		EXPECT_EQ(nap_for_as(&pool, &how, 0, 1000, sleep_for_each, NULL), -ETIMEDOUT);
		EXPECT_TRUE(field_at_most_once(0));
		EXPECT_FALSE(field_is(0, 1000, 1));
		how.grain = 0;
	}
	/*
	 * The only range takes longer than the time limit. If the time ends before the loop has
	 * begun, the range is not run. A loop without a time limit runs everything.
	 */
	how = (struct nap_loop){ .grain = 1, .timeout_ns = 10000000 };
	field_clear();
	err = nap_for_as(&pool, &how, 0, 1, sleep_past, NULL);
	EXPECT_EQ(err, field_is(0, 1, 1) ? 0 : -ETIMEDOUT);
	how.timeout_ns = NAP_FOREVER;
	field_clear();
	EXPECT_EQ(nap_for_as(&pool, &how, 0, 1000, count_range, NULL), 0);
	EXPECT_TRUE(field_is(0, 1000, 1));
	pool_end();
}

static uint32_t nr_told, telling;
static size_t told_last;

static int told(size_t done, size_t total, void *end_at)
{
	if (nap_fetch_add_relaxed(&telling, 1) || total != 1000 || done > total || done < told_last)
		nr_wrong++;
	told_last = done;
	nr_told++;
	nap_fetch_sub_relaxed(&telling, 1);
	return done >= *(size_t *)end_at ? -EINTR : 0;
}

TEST(a_loop_tells_how_far_it_is)
{
	size_t end_at = SIZE_MAX;
	struct nap_loop how = { .grain = 1, .progress = told, .progress_arg = &end_at };

	pool_of(2);
	nr_wrong = nr_told = 0;
	for (int i = 0; i < 2; i++) {
		told_last = 0;
		field_clear();
		EXPECT_EQ(nap_for_as(&pool, &how, 0, 1000, count_range, NULL), 0);
		EXPECT_TRUE(field_is(0, 1000, 1));
		how.flags = NAP_LOOP_FIRST;
	}
	EXPECT_NE(nr_told, 0);
	/*
	 * At least one report comes; the last report is left out only while another thread
	 * reports.
	 */
	end_at = 1;
	told_last = 0;
	EXPECT_EQ(nap_for_as(&pool, &how, 0, 1000, count_range, NULL), -EINTR);
	/* With a time between reports that is never over, no report comes. */
	nr_told = 0;
	how.progress_ns = NAP_FOREVER / 2;
	EXPECT_EQ(nap_for_as(&pool, &how, 0, 1000, count_range, NULL), 0);
	EXPECT_EQ(nr_told, 0);
	EXPECT_EQ(nr_wrong, 0);
	pool_end();
}

/* Cancels the loop at the second report, for each kind of loop. */
static int tell_twice(size_t done, size_t total, void *nr)
{
	(void)done;
	(void)total;
	return ++*(int *)nr > 1;
}

static int tile_nothing(const struct nap_tile *tile, void *unused)
{
	(void)tile;
	(void)unused;
	return 0;
}

static int chunk_nothing(const void *chunk, size_t size, void *unused)
{
	(void)chunk;
	(void)size;
	(void)unused;
	return 0;
}

TEST(progress_has_its_own_argument)
{
	const struct nap_tile area = { 0, 100, 0, 1 };
	int nr = 0;
	const struct nap_loop how = { .grain = 1, .progress = tell_twice, .progress_arg = &nr };
	static const char text[100] = "\n";

	pool_of(1);
	/* The function that reports returns a positive number, which the loop does not pass on. */
	EXPECT_EQ(nap_for_as(&pool, &how, 0, 100, sleep_for_each, NULL), -ECANCELED);
	nr = 0;
	EXPECT_EQ(nap_for_2d(&pool, &how, &area, 1, 1, tile_nothing, NULL), -ECANCELED);
	nr = 0;
	EXPECT_EQ(nap_for_chunks(&pool, &how, text, 100, '\n', chunk_nothing, NULL), -ECANCELED);
	pool_end();
}

/* ---- the pool's end, and arguments that make no loop */

TEST(a_pool_that_was_shut_down_refuses)
{
	pool_of(1);
	field_clear();
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_for(&pool, 0, 10, count_range, NULL), -ESHUTDOWN);
	EXPECT_EQ(nap_for_as(&pool, &(struct nap_loop){ .grain = 1 }, 0, 10, count_range, NULL),
		  -ESHUTDOWN);
	EXPECT_TRUE(field_is(0, 0, 1));
	EXPECT_EQ(nap_for_as(&pool, &(struct nap_loop){ .serial = 10 }, 0, 10, count_range, NULL),
		  0);
	EXPECT_TRUE(field_is(0, 10, 1));
	pool_end();
}

static int shut_down(size_t begin, size_t end, void *unused)
{
	if (!begin)
		nap_pool_shutdown(&pool, NAP_STOP);
	usleep(100);
	return count_range(begin, end, unused);
}

TEST(a_loop_goes_on_when_the_pool_is_shut_down)
{
	for (size_t grain = 0; grain <= 8; grain += 8) {
		pool_of(2);
		field_clear();
		EXPECT_EQ(nap_for_as(&pool, &(struct nap_loop){ .grain = grain }, 0, 100, shut_down,
				     NULL), 0);
		EXPECT_TRUE(field_is(0, 100, 1));
		pool_end();
	}
}

static int shut_down_and_fail(size_t begin, size_t end, void *unused)
{
	shut_down(begin, end, unused);
	return begin <= 50 && 50 < end ? 51 : 0;
}

TEST(the_lowest_failure_counts_also_when_the_pool_is_shut_down)
{
	const struct nap_loop how = { .flags = NAP_LOOP_FIRST };

	pool_of(2);
	field_clear();
	EXPECT_EQ(nap_for_as(&pool, &how, 0, 100, shut_down_and_fail, NULL), 51);
	EXPECT_TRUE(field_at_most_once(51));
	pool_end();
}

TEST(what_is_no_loop)
{
	const struct nap_tile inside_out = { 1, 0, 0, 1 }, empty = { 0, 0, 0, 9 };
	const struct nap_tile all = { 0, SIZE_MAX, 0, SIZE_MAX };
	struct nap_loop how = { .flags = 0x80 };

	pool_of(1);
	EXPECT_EQ(nap_for(NULL, 0, 1, count_range, NULL), -EINVAL);
	EXPECT_EQ(nap_for(&pool, 0, 1, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_for(&pool, 1, 0, count_range, NULL), -EINVAL);
	EXPECT_EQ(nap_for_as(&pool, &how, 0, 1, count_range, NULL), -EINVAL);
	how = (struct nap_loop){ .reserved = 1 };
	EXPECT_EQ(nap_for_as(&pool, &how, 0, 1, count_range, NULL), -EINVAL);
	how = (struct nap_loop){ .reserved_too = 1 };
	EXPECT_EQ(nap_for_as(&pool, &how, 0, 1, count_range, NULL), -EINVAL);
	EXPECT_EQ(nap_for_2d(&pool, NULL, &inside_out, 0, 0, (nap_tile_fn)1, NULL), -EINVAL);
	EXPECT_EQ(nap_for_2d(&pool, NULL, NULL, 0, 0, (nap_tile_fn)1, NULL), -EINVAL);
	EXPECT_EQ(nap_for_2d(&pool, NULL, &empty, 0, 0, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_for_2d(&pool, NULL, &all, 1, 1, (nap_tile_fn)1, NULL), -EOVERFLOW);
	EXPECT_EQ(nap_for_2d(&pool, NULL, &empty, 0, 0, (nap_tile_fn)1, NULL), 0);
	EXPECT_EQ(nap_for(&pool, SIZE_MAX, SIZE_MAX, count_range, NULL), 0);
	pool_end();
}

/* ---- tiles */

#define WIDTH 100u

static int count_tile(const struct nap_tile *tile, void *size)
{
	const size_t *at_most = size;

	if (tile->row_end - tile->row > at_most[0] || tile->column_end - tile->column > at_most[1])
		return -1;
	for (size_t row = tile->row; row < tile->row_end; row++)
		for (size_t column = tile->column; column < tile->column_end; column++)
			nap_fetch_add_relaxed(&field[row * WIDTH + column], 1);
	return 0;
}

static bool area_is_once(const struct nap_tile *area)
{
	for (size_t i = 0; i < FIELD; i++) {
		size_t row = i / WIDTH, column = i % WIDTH;
		bool inside = row >= area->row && row < area->row_end && column >= area->column &&
			      column < area->column_end;

		if (field[i] != inside)
			return false;
	}
	return true;
}

static void run_tiles(void)
{
	static const struct nap_tile areas[] = {
		{ 0, FIELD / WIDTH, 0, WIDTH }, { 3, 4, 5, 6 }, { 10, 39, 1, 99 }, { 7, 7, 0, 100 },
	};
	static const size_t tiles[][2] = {
		{ 64, 64 }, { 16, 16 }, { 1, 1 }, { 7, 200 }, { 200, 3 },
	};

	for (size_t i = 0; i < sizeof(areas) / sizeof(*areas); i++)
		for (size_t j = 0; j < sizeof(tiles) / sizeof(*tiles); j++) {
			field_clear();
			if (nap_for_2d(&pool, NULL, &areas[i], j ? tiles[j][0] : 0,
				       j ? tiles[j][1] : 0, count_tile,
				       (void *)(uintptr_t)tiles[j]) ||
			    !area_is_once(&areas[i]))
				nr_wrong++;
		}
}

TEST(each_tile_is_run_once)
{
	nr_wrong = 0;
	from_everywhere(run_tiles);
	EXPECT_EQ(nr_wrong, 0);
}

TEST_HARNESS_MAIN

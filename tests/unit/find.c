/* SPDX-License-Identifier: MIT */
/* nap_find(), nap_any() and nap_all() against a serial search, for matches at every place. */
#include <errno.h>

#include "parallel_fixture.h"
#include "scale.h"

/* Returns the first index whose bit is set. */
static size_t first_set(size_t begin, size_t end, void *unused)
{
	(void)unused;
	while (begin < end && !nap_load_relaxed(&field[begin]))
		begin++;
	return begin;
}

static size_t first_not_set(size_t begin, size_t end, void *unused)
{
	(void)unused;
	while (begin < end && nap_load_relaxed(&field[begin]))
		begin++;
	return begin;
}

static unsigned nr_wrong;

static void expect(const struct nap_loop *how, size_t begin, size_t end)
{
	size_t right = first_set(begin, end, NULL), index = SIZE_MAX;
	bool there = right < end, lowest = how && how->flags & NAP_LOOP_FIRST;
	int err = nap_find(&pool, how, begin, end, first_set, NULL, &index);

	nr_wrong += err != (there ? 0 : -ENOENT);
	nr_wrong += there ? index < begin || index >= end || !field[index] : index != SIZE_MAX;
	nr_wrong += there && lowest && index != right;
	nr_wrong += nap_any(&pool, how, begin, end, first_set, NULL) != there;
	nr_wrong += nap_all(&pool, how, begin, end, first_not_set, NULL) !=
		    (first_not_set(begin, end, NULL) >= end);
}

static void run_matches(void)
{
	static const struct nap_loop hows[] = {
		{ 0 }, { .flags = NAP_LOOP_FIRST }, { .grain = 3 }, { .serial = 1000 },
		{ .grain = 3, .flags = NAP_LOOP_FIRST },
	};
	size_t n = 300, step = nap_test_slow() ? 41 : 1;

	for (size_t i = 0; i < sizeof(hows) / sizeof(*hows); i++) {
		field_clear();
		expect(&hows[i], 5, n);
		expect(&hows[i], 5, 5);
		for (size_t at = 0; at < n; at += step) {
			field_clear();
			field[at] = 1;
			expect(&hows[i], 5, n);
			field[n - 1 - at / 2] = field[at / 3] = 1;
			expect(&hows[i], 0, n);
			expect(NULL, 0, FIELD);
		}
		for (size_t at = 0; at < FIELD; at++)
			field[at] = 1;
		expect(&hows[i], 5, n);
	}
}

TEST(what_is_there_is_found)
{
	nr_wrong = 0;
	from_everywhere(run_matches);
	EXPECT_EQ(nr_wrong, 0);
}

/* ---- searches that are ended early */

static uint32_t stop;

/* Stops the search at index @at, before any thread can return from its range. */
static size_t stop_behind(size_t begin, size_t end, void *at)
{
	if (begin <= *(size_t *)at && *(size_t *)at < end)
		nap_store_relaxed(&stop, 1);
	while (!nap_load_relaxed(&stop))
		sched_yield();
	return first_set(begin, end, NULL);
}

/*
 * The lowest match is known only when all indices below were checked; any match is known when it
 * is found.
 */
TEST(a_search_that_is_stopped)
{
	struct nap_loop how = { .grain = 1, .stop = &stop };
	size_t at = 0, index;

	pool_of(1);
	field_clear();
	stop = 0;
	EXPECT_EQ(nap_find(&pool, &how, 0, 100, stop_behind, &at, &index), -ECANCELED);
	field[0] = 1;
	stop = 0;
	EXPECT_EQ(nap_find(&pool, &how, 0, 100, stop_behind, &at, &index), 0);
	how.flags = NAP_LOOP_FIRST;
	stop = 1;
	EXPECT_EQ(nap_find(&pool, &how, 0, 100, stop_behind, &at, &index), -ECANCELED);
	EXPECT_EQ(nap_any(&pool, &how, 0, 100, stop_behind, &at), -ECANCELED);
	EXPECT_EQ(nap_all(&pool, &how, 0, 100, stop_behind, &at), -ECANCELED);
	pool_end();
}

static size_t nr_looked;

static size_t count_looks(size_t begin, size_t end, void *unused)
{
	nap_fetch_add_relaxed(&nr_looked, end - begin);
	return first_set(begin, end, unused);
}

/* A match in the first range is found before other workers are notified. */
TEST(a_match_in_front_ends_the_search)
{
	size_t index = 1;

	pool_of(2);
	field_clear();
	field[0] = 1;
	nr_looked = 0;
	EXPECT_EQ(nap_find(&pool, NULL, 0, SIZE_MAX, count_looks, NULL, &index), 0);
	EXPECT_EQ(index, 0);
	EXPECT_EQ(nr_looked, 1);
	EXPECT_EQ(pool.limit, 0);
	pool_end();
}

TEST(what_is_no_search)
{
	size_t index;

	pool_of(1);
	EXPECT_EQ(nap_find(NULL, NULL, 0, 1, first_set, NULL, &index), -EINVAL);
	EXPECT_EQ(nap_find(&pool, NULL, 0, 1, NULL, NULL, &index), -EINVAL);
	EXPECT_EQ(nap_find(&pool, NULL, 0, 1, first_set, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_find(&pool, NULL, 1, 0, first_set, NULL, &index), -EINVAL);
	EXPECT_EQ(nap_any(&pool, NULL, 1, 0, first_set, NULL), -EINVAL);
	EXPECT_EQ(nap_all(NULL, NULL, 0, 1, first_set, NULL), -EINVAL);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_any(&pool, NULL, 0, 1, first_set, NULL), -ESHUTDOWN);
	pool_end();
}

TEST_HARNESS_MAIN

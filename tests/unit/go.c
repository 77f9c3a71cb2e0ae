/* SPDX-License-Identifier: MIT */
/*
 * The Go-style protocol: its transitions on the edges of every field, and src/idle/go.c step by
 * step.
 */
#include "idle/go.h"

#include "idle_steps.h"

static const struct nap__idle_ops *const ops = &nap__go_ops;

/* ---- the word ---- */

#define BOUND (NAP_MAX_WORKERS + NAP_GUESTS)

static const uint32_t edges[] = { 0, 1, 2, NAP_MAX_WORKERS - 1, NAP_MAX_WORKERS, BOUND, BOUND + 1 };
#define NR_EDGES (sizeof(edges) / sizeof(edges[0]))

static uint64_t word_of(uint64_t flags, uint32_t idle, uint32_t spawned, uint32_t searching)
{
	return flags | idle * GO_IDLE_ONE | spawned * GO_SPAWNED_ONE | searching * GO_SEARCHING_ONE;
}

/* Runs @body for every word whose fields are at their edges; idle <= spawned. */
#define FOR_EACH_WORD(body) \
	for (uint64_t flags = 0; flags <= GO_SHUTDOWN; flags++) \
	for (size_t i = 0; i < NR_EDGES; i++) \
	for (size_t j = i; j < NR_EDGES; j++) \
	for (size_t k = 0; k < NR_EDGES; k++) { \
		uint32_t idle = edges[i], spawned = edges[j], searching = edges[k]; \
		uint64_t word = word_of(flags, idle, spawned, searching); \
		body \
	}

TEST(fields_are_apart)
{
	FOR_EACH_WORD(
		ASSERT_EQ(go_idle(word), idle);
		ASSERT_EQ(go_spawned(word), spawned);
		ASSERT_EQ(go_searching(word), searching);
		ASSERT_EQ(word & GO_SHUTDOWN, flags);
		ASSERT_EQ(go_quiet(word), searching == 0 && idle == spawned);
		/* At most half of the busy workers search. */
		ASSERT_EQ(go_may_search(word), 2 * searching < spawned - idle);
	)
}

TEST(notify)
{
	static const uint32_t maxima[] = { 0, 1, NAP_MAX_WORKERS, BOUND };

	for (int m = 0; m < 4; m++)
	FOR_EACH_WORD(
		struct go_step step = go_notify(word, maxima[m]);

		if ((flags & GO_SHUTDOWN) || searching) {
			ASSERT_EQ(step.act, GO_NOTHING);
			ASSERT_EQ(step.next, word);
		} else if (idle) {
			ASSERT_EQ(step.act, GO_WAKE);
			ASSERT_EQ(step.next, word_of(flags, idle, spawned, 1));
		} else if (spawned < maxima[m]) {
			ASSERT_EQ(step.act, GO_SPAWN);
			ASSERT_EQ(step.next, word_of(flags, 0, spawned + 1, 1));
		} else {
			ASSERT_EQ(step.act, GO_NOTHING);
			ASSERT_EQ(step.next, word);
		}
	)
}

/* If no worker has to be woken, each call changes its own field only. */
TEST(each_call_changes_its_own_field)
{
	FOR_EACH_WORD(
		pool.counters = word;
		if (spawned && searching > 1) {
			pool.counters = word;
			ops->spawn_failed(&pool);
			ASSERT_EQ(pool.counters, word_of(flags, idle, spawned - 1, searching - 1));
		}
		pool.counters = word;
		ops->shutdown(&pool);
		ASSERT_EQ(pool.counters, word | GO_SHUTDOWN);
		pool.counters = word;
		nap__idle_watch(&pool);
		ASSERT_EQ(pool.sync, GO_WATCHED);
		nap__idle_wake_watchers(&pool);
		ASSERT_EQ(pool.sync, 0);
		nap__idle_wake_watchers(&pool);
		ASSERT_EQ(pool.sync, 0);
		ASSERT_EQ(pool.counters, word);
		ASSERT_EQ(ops->idle(&pool), idle);
		ASSERT_EQ(ops->spawned(&pool), spawned);
		ASSERT_EQ(ops->quiet(&pool), go_quiet(word));
	)
}

/* ---- step by step ---- */

static uint32_t searching(void)
{
	return go_searching(pool.counters);
}

TEST(a_started_worker_searches_twice_and_parks)
{
	begin(_metadata, NAP_IDLE_GO, 1);
	EXPECT_EQ(pool.counters, word_of(0, 0, 1, 1));
	/* The worker searches after its start, and again after its announcement that it is idle. */
	EXPECT_EQ(nap__idle_prepare(worker_at(0)), NAP_SEARCH);
	EXPECT_EQ(pool.counters, word_of(0, 0, 1, 1));
	EXPECT_EQ(nap__idle_prepare(worker_at(0)), NAP_SEARCH);
	EXPECT_EQ(pool.counters, word_of(0, 1, 1, 0));
	EXPECT_EQ(nap__idle_prepare(worker_at(0)), NAP_PARK);
	EXPECT_EQ(pool.counters, word_of(0, 1, 1, 0));
}

/* Half of the busy workers search once more, without a notification. They find nothing. */
TEST(half_of_those_who_are_busy_search_once_more_before_they_go_idle)
{
	begin(_metadata, NAP_IDLE_GO, WORKERS);
	for (uint32_t i = 0; i < WORKERS; i++)
		nap__idle_stop_search(worker_at(i), false);
	ASSERT_EQ(pool.counters, word_of(0, 0, WORKERS, 0));
	for (uint32_t i = 0; i < WORKERS / 2; i++) {
		EXPECT_EQ(nap__idle_prepare(worker_at(i)), NAP_SEARCH);
		EXPECT_EQ(pool.counters, word_of(0, 0, WORKERS, i + 1));
	}
	EXPECT_EQ(nap__idle_prepare(worker_at(2)), NAP_SEARCH);
	EXPECT_EQ(pool.counters, word_of(0, 1, WORKERS, 2));
	/* A worker searches once more, and only once. */
	EXPECT_EQ(nap__idle_prepare(worker_at(0)), NAP_SEARCH);
	EXPECT_EQ(pool.counters, word_of(0, 2, WORKERS, 1));
	EXPECT_EQ(nap__idle_prepare(worker_at(0)), NAP_PARK);
}

TEST(nobody_is_woken_while_somebody_searches)
{
	begin_parked(_metadata, NAP_IDLE_GO);
	schedule_as(OUTSIDE, 0, 1);
	EXPECT_EQ(how_many_woken(), 1);
	/* The worker that parked last is woken. */
	EXPECT_TRUE(was_woken(WORKERS - 1));
	EXPECT_EQ(searching(), 1);
	schedule_as(OUTSIDE, 1, 5);
	EXPECT_EQ(how_many_woken(), 1);
	EXPECT_EQ(pool.counters, word_of(0, WORKERS, WORKERS, 1));
	EXPECT_EQ(wake_up(WORKERS - 1), NAP_SEARCH);
	schedule_as(OUTSIDE, 6, 5);
	EXPECT_EQ(how_many_woken(), 0);
	EXPECT_EQ(pool.counters, word_of(0, WORKERS - 1, WORKERS, 1));
}

TEST(the_last_searcher_that_finds_wakes_another_if_something_is_left)
{
	begin_parked(_metadata, NAP_IDLE_GO);
	schedule_as(OUTSIDE, 0, 2);
	ASSERT_EQ(wake_up(WORKERS - 1), NAP_SEARCH);
	EXPECT_EQ(nap__dequeue(worker_at(WORKERS - 1)), &tasks[0]);
	EXPECT_EQ(how_many_woken(), 1);
	EXPECT_TRUE(was_woken(WORKERS - 2));
	EXPECT_EQ(pool.counters, word_of(0, WORKERS - 1, WORKERS, 1));
	ASSERT_EQ(wake_up(WORKERS - 2), NAP_SEARCH);
	EXPECT_EQ(nap__dequeue(worker_at(WORKERS - 2)), &tasks[1]);
	/* No task is left. */
	EXPECT_EQ(how_many_woken(), 0);
	EXPECT_EQ(pool.counters, word_of(0, WORKERS - 2, WORKERS, 0));
}

/* One of two searchers stops: it relies on the other one to find the rest. */
TEST(a_searcher_that_is_not_the_last_wakes_nobody)
{
	begin_parked(_metadata, NAP_IDLE_GO);
	schedule_as(OUTSIDE, 0, 1);
	ASSERT_EQ(wake_up(WORKERS - 1), NAP_SEARCH);
	pool.counters += GO_SEARCHING_ONE;
	inject_silently(1);
	inject_silently(2);
	/*
	 * A worker whose ring is not empty takes one task at a time, and moves none that another
	 * worker could steal.
	 */
	ASSERT_EQ(inject_take(&pool.inject, &(bool){ false }), &tasks[0]);
	nap__idle_stop_search(worker_at(WORKERS - 1), false);
	EXPECT_EQ(how_many_woken(), 0);
	EXPECT_EQ(searching(), 1);
}

TEST(what_comes_before_it_parks_is_found_and_the_wake_is_taken)
{
	begin(_metadata, NAP_IDLE_GO, 2);
	ASSERT_GT(settle(0), 0);
	ASSERT_EQ(nap__idle_prepare(worker_at(1)), NAP_SEARCH);
	ASSERT_EQ(nap__idle_prepare(worker_at(1)), NAP_SEARCH);
	ASSERT_EQ(pool.counters, word_of(0, 2, 2, 0));
	schedule_as(OUTSIDE, 0, 1);
	ASSERT_TRUE(was_woken(1));
	EXPECT_EQ(nap__dequeue(worker_at(1)), &tasks[0]);
	EXPECT_EQ(how_many_woken(), 0);
	EXPECT_EQ(pool.counters, word_of(0, 1, 2, 0));
}

/*
 * Two producers relied on a searcher. Since then the searcher has said that it is idle, and in its
 * last search it finds one of the two tasks. It no longer has the token, but it must notify for the
 * other task.
 */
TEST(what_is_left_by_a_last_search_is_told_of)
{
	begin(_metadata, NAP_IDLE_GO, WORKERS);
	for (uint32_t i = 0; i < 2; i++)
		nap__idle_stop_search(worker_at(i), false);
	ASSERT_GT(settle(3), 0);
	ASSERT_EQ(nap__idle_prepare(worker_at(2)), NAP_SEARCH);
	ASSERT_EQ(nap__dequeue(worker_at(2)), NULL);
	ASSERT_EQ(pool.counters, word_of(0, 1, WORKERS, 1));
	schedule_as(0, 0, 1);
	schedule_as(1, 1, 1);
	ASSERT_EQ(how_many_woken(), 0);
	ASSERT_EQ(nap__idle_prepare(worker_at(2)), NAP_SEARCH);
	ASSERT_EQ(pool.counters, word_of(0, 2, WORKERS, 0));
	ASSERT_NE(nap__dequeue(worker_at(2)), NULL);
	EXPECT_TRUE(was_woken(3));
	EXPECT_EQ(pool.counters, word_of(0, 1, WORKERS, 1));
	/* Nothing is queued after the second task. */
	ASSERT_EQ(wake_up(3), NAP_SEARCH);
	ASSERT_NE(nap__dequeue(worker_at(3)), NULL);
	EXPECT_EQ(pool.counters, word_of(0, 0, WORKERS, 0));
}

TEST(a_wake_for_work_is_passed_on_by_one_who_leaves)
{
	begin_parked(_metadata, NAP_IDLE_GO);
	schedule_as(OUTSIDE, 0, 1);
	ASSERT_TRUE(was_woken(WORKERS - 1));
	nap__idle_abort_park(worker_at(WORKERS - 1));
	EXPECT_FALSE(was_woken(WORKERS - 1));
	EXPECT_TRUE(was_woken(WORKERS - 2));
	EXPECT_EQ(pool.counters, word_of(0, WORKERS - 1, WORKERS, 1));
}

/*
 * A producer relied on a searcher, and another thread took the task. The searcher gives the token
 * back, and another worker searches.
 */
TEST(a_searcher_that_stops_answers_for_those_who_trusted_it)
{
	begin_parked(_metadata, NAP_IDLE_GO);
	schedule_as(OUTSIDE, 0, 1);
	ASSERT_EQ(wake_up(WORKERS - 1), NAP_SEARCH);
	nap__idle_stop_search(worker_at(WORKERS - 1), false);
	EXPECT_TRUE(was_woken(WORKERS - 2));
	ASSERT_EQ(wake_up(WORKERS - 2), NAP_SEARCH);
	EXPECT_EQ(nap__dequeue(worker_at(WORKERS - 2)), &tasks[0]);
	EXPECT_EQ(pool.counters, word_of(0, WORKERS - 2, WORKERS, 0));
}

TEST(a_failed_start_gives_its_token_back_and_tells_those_who_sleep)
{
	begin(_metadata, NAP_IDLE_GO, 1);
	ASSERT_GT(settle(0), 0);
	starts_fail = true;
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), -EAGAIN);
	EXPECT_EQ(pool.counters, word_of(0, 1, 1, 1));	/* the woken worker searches */
	EXPECT_TRUE(was_woken(0));
	ASSERT_EQ(wake_up(0), NAP_SEARCH);
	ASSERT_GT(settle(0), 0);
	EXPECT_EQ(pool.counters, word_of(0, 1, 1, 0));
}

TEST(with_no_worker_a_failed_start_leaves_nothing_latched)
{
	begin(_metadata, NAP_IDLE_GO, 0);
	starts_fail = true;
	for (int i = 0; i < 3; i++) {
		schedule_as(OUTSIDE, i, 1);
		EXPECT_EQ(pool.counters, 0);
	}
	EXPECT_EQ(pool.spawn_failures, 3);
	EXPECT_EQ(nap_pool_help(&pool, 0), 3);
}

TEST(the_end_reaches_everybody)
{
	begin_parked(_metadata, NAP_IDLE_GO);
	schedule_as(OUTSIDE, 0, 1);
	nap__idle_shutdown(&pool);
	for (uint32_t i = 0; i < WORKERS; i++) {
		EXPECT_TRUE(worker_at(i)->event & EVENT_EXIT);
		EXPECT_EQ(nap__idle_prepare(worker_at(i)), NAP_EXIT);
	}
	EXPECT_EQ(ops->spawn(&pool, WORKERS), -ESHUTDOWN);
}

TEST_HARNESS_MAIN

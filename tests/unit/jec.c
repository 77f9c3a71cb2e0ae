/* SPDX-License-Identifier: MIT */
/*
 * The JEC protocol: its transitions on the edges of every field, and src/idle/jec.c step by step.
 */
#include "idle/jec.h"

#include "idle_steps.h"

static const struct nap__idle_ops *const ops = &nap__jec_ops;

/* ---- the words ---- */

#define BOUND (NAP_MAX_WORKERS + NAP_GUESTS)

static const uint32_t edges[] = { 0, 1, 2, NAP_MAX_WORKERS, BOUND - 1, BOUND };
static const uint32_t events[] = { 0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff };
#define NR(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t word_of(uint32_t sleeping, uint32_t inactive, uint32_t jec)
{
	return sleeping * JEC_SLEEPING_ONE | inactive * JEC_INACTIVE_ONE | jec * JEC_EVENT_ONE;
}

/* Runs @body for every word whose fields are at their edges. */
#define FOR_EACH_WORD(body) \
	for (size_t i = 0; i < NR(edges); i++) \
	for (size_t j = 0; j < NR(edges); j++) \
	for (size_t k = 0; k < NR(events); k++) { \
		uint32_t sleeping = edges[i], inactive = edges[j], jec = events[k]; \
		uint64_t word = word_of(sleeping, inactive, jec); \
		body \
	}

TEST(fields_are_apart)
{
	FOR_EACH_WORD(
		ASSERT_EQ(jec_sleeping(word), sleeping);
		ASSERT_EQ(jec_inactive(word), inactive);
		ASSERT_EQ(jec_events(word), jec);
		ASSERT_EQ(jec_is_sleepy(word), jec % 2 == 0);
		/*
		 * A worker is woken before it is counted down, so @sleeping may exceed @inactive.
		 */
		ASSERT_EQ(jec_awake(word), inactive > sleeping ? inactive - sleeping : 0);
	)
}

/*
 * An even counter is sleepy, an odd one is active: a worker that is about to sleep makes the
 * counter even, and new work makes it odd. JEC's publication says the reverse in one place. With
 * the reverse, new work would never change the counter after an announcement.
 */
TEST(parity)
{
	FOR_EACH_WORD(
		uint64_t sleepy = jec_announce(word);
		uint64_t active = jec_new_work(word);

		ASSERT_EQ(sleepy, word_of(sleeping, inactive, jec % 2 ? jec + 1 : jec));
		ASSERT_EQ(active, word_of(sleeping, inactive, jec % 2 ? jec : jec + 1));
		ASSERT_TRUE(jec_is_sleepy(sleepy));
		ASSERT_FALSE(jec_is_sleepy(active));
		/*
		 * A second call of the same kind changes nothing; a call of the other kind is an
		 * event.
		 */
		ASSERT_EQ(jec_announce(sleepy), sleepy);
		ASSERT_EQ(jec_new_work(active), active);
		ASSERT_EQ(jec_events(jec_new_work(sleepy)), jec_events(sleepy) + 1);
		ASSERT_EQ(jec_events(jec_announce(active)), (uint32_t)(jec_events(active) + 1));
	)
	/* Both calls work over the wrap. */
	EXPECT_EQ(jec_announce(word_of(3, 5, 0xffffffff)), word_of(3, 5, 0));
	EXPECT_EQ(jec_new_work(word_of(3, 5, 0xfffffffe)), word_of(3, 5, 0xffffffff));
}

TEST(how_many_are_missing)
{
	static const struct {
		size_t jobs;
		uint32_t sleeping, inactive;
		bool was_empty;
		size_t missing;
	} table[] = {
		/* The queue was empty: workers that are awake count. */
		{ 1, 4, 4, true, 1 },
		{ 1, 3, 4, true, 0 },
		{ 2, 3, 4, true, 1 },
		{ 2, 2, 4, true, 0 },
		{ 9, 1, 4, true, 6 },
		{ 1, 0, 0, true, 1 },
		/* The queue was not empty: awake workers had their chance, and do not count. */
		{ 1, 4, 4, false, 1 },
		{ 1, 3, 4, false, 1 },
		{ 2, 0, 4, false, 2 },
		{ 9, 1, 4, false, 9 },
		/*
		 * A worker is woken before it is counted down. So more workers may count as
		 * sleeping than as inactive.
		 */
		{ 2, 4, 3, true, 2 },
		{ 2, BOUND, BOUND, true, 2 },
		{ 2, 0, BOUND, true, 0 },
		{ 0, 0, 0, true, 0 },
		{ 0, 0, 0, false, 0 },
		{ UINT32_MAX, 0, 1, true, UINT32_MAX - 1 },
		{ SIZE_MAX, 0, 1, true, SIZE_MAX - 1 },
		/* The size of a batch is not cut to 32 bits. */
		{ (size_t)1 << 32, 1, 1, true, (size_t)1 << 32 },
	};

	for (size_t i = 0; i < NR(table); i++)
		EXPECT_EQ(jec_missing(word_of(table[i].sleeping, table[i].inactive, 7),
				      table[i].jobs, table[i].was_empty), table[i].missing);
}

/* If no worker has to be woken, each call changes its own field of both words only. */
TEST(each_call_changes_its_own_field)
{
	for (uint32_t flags = 0; flags < 4; flags++)
	FOR_EACH_WORD(
		uint32_t spawned = inactive;
		uint32_t sync = (flags & 1 ? JEC_SHUTDOWN : 0) | (flags & 2 ? JEC_WATCHED : 0) |
				spawned * JEC_SPAWNED_ONE;

		pool.counters = word;
		pool.sync = sync;
		if (spawned) {
			ops->spawn_failed(&pool);
			ASSERT_EQ(pool.sync, sync - JEC_SPAWNED_ONE);
			ASSERT_EQ(pool.counters, word_of(sleeping, inactive - 1, jec));
			pool.counters = word;
		}
		pool.sync = sync;
		ops->shutdown(&pool);
		ASSERT_EQ(pool.sync, sync | JEC_SHUTDOWN);
		pool.sync = sync;
		nap__idle_watch(&pool);
		ASSERT_EQ(pool.sync, sync | JEC_WATCHED);
		nap__idle_wake_watchers(&pool);
		ASSERT_EQ(pool.sync, sync & ~JEC_WATCHED);
		nap__idle_wake_watchers(&pool);
		ASSERT_EQ(pool.sync, sync & ~JEC_WATCHED);
		ASSERT_EQ(ops->idle(&pool), sleeping);
		ASSERT_EQ(ops->spawned(&pool), spawned);
		ASSERT_EQ(ops->quiet(&pool), sleeping == spawned);
		ASSERT_EQ(pool.counters, word);
	)
}

/* ---- step by step ---- */

static uint32_t sleeping(void)
{
	return jec_sleeping(pool.counters);
}

/* Has worker @i search after its start, and announce that it is sleepy. */
static void announce(struct __test_metadata *_metadata, uint32_t i)
{
	ASSERT_EQ(nap__idle_prepare(worker_at(i)), NAP_SEARCH);
	ASSERT_EQ(nap__idle_prepare(worker_at(i)), NAP_SEARCH);
	ASSERT_TRUE(jec_of(worker_at(i))->sleepy);
	ASSERT_EQ(jec_of(worker_at(i))->announced, jec_events(pool.counters));
}

TEST(a_started_worker_announces_searches_and_sleeps)
{
	begin(_metadata, NAP_IDLE_JEC, 1);
	pool.counters += JEC_EVENT_ONE;
	EXPECT_EQ(pool.counters, word_of(0, 1, 1));
	announce(_metadata, 0);
	EXPECT_EQ(pool.counters, word_of(0, 1, 2));
	EXPECT_EQ(nap__idle_prepare(worker_at(0)), NAP_SEARCH);
	EXPECT_EQ(pool.counters, word_of(1, 1, 2));
	EXPECT_EQ(nap__idle_prepare(worker_at(0)), NAP_PARK);
}

TEST(a_worker_whose_announcement_is_stale_does_not_sleep)
{
	static const uint32_t starts[] = { 0, 1, 0xfffffffe, 0xffffffff };

	for (size_t i = 0; i < NR(starts); i++) {
		begin(_metadata, NAP_IDLE_JEC, 2);
		pool.counters += starts[i] * JEC_EVENT_ONE;
		announce(_metadata, 0);
		schedule_as(1, 0, 1);
		ASSERT_FALSE(jec_is_sleepy(pool.counters));
		EXPECT_EQ(nap__idle_prepare(worker_at(0)), NAP_SEARCH);
		EXPECT_EQ(sleeping(), 0);
		EXPECT_FALSE(worker_at(0)->counted_idle);
		/*
		 * Another worker's announcement does not let this worker sleep: the counter is not
		 * that of its own announcement.
		 */
		announce(_metadata, 1);
		jec_of(worker_at(0))->sleepy = true;
		ASSERT_TRUE(jec_is_sleepy(pool.counters));
		EXPECT_EQ(nap__idle_prepare(worker_at(0)), NAP_SEARCH);
		EXPECT_EQ(sleeping(), 0);
		/* After its own announcement the worker sleeps. */
		while (nap__idle_prepare(worker_at(0)) != NAP_PARK)
			;
		EXPECT_EQ(sleeping(), 1);
		nap_pool_shutdown(&pool, NAP_STOP);
	}
}

TEST(as_many_are_woken_as_are_missing)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	begin_parked(_metadata, NAP_IDLE_JEC);
	for (int t = 0; t < 3; t++) {
		nap_task_init(&tasks[t], run_nothing);
		nap_batch_push(&batch, &tasks[t]);
	}
	ASSERT_EQ(nap_schedule_batch(&pool, &batch), 0);
	EXPECT_EQ(how_many_woken(), 3);
	/* The thread that wakes workers counts them down. */
	EXPECT_EQ(sleeping(), WORKERS - 3);
	EXPECT_EQ(jec_inactive(pool.counters), WORKERS);
}

/* The pool never has that many workers, but the count is as wide as a batch's. */
TEST(a_batch_of_a_multiple_of_2_to_the_32_is_told_of)
{
	for (size_t k = 1; k <= 2; k++) {
		for (int own = 0; own < 2; own++) {
			struct nap_batch batch = NAP_BATCH_INIT;

			begin_parked(_metadata, NAP_IDLE_JEC);
			nap_task_init(&tasks[0], run_nothing);
			nap_batch_push(&batch, &tasks[0]);
			batch.count = k << 32;
			self_is(nap__self(), own ? worker_at(0) : NULL);
			ASSERT_EQ(nap_schedule_batch(&pool, &batch), 0);
			self_is(nap__self(), NULL);
			EXPECT_EQ(how_many_woken(), WORKERS);
		}
	}
}

TEST(who_is_awake_counts_if_the_queue_was_empty)
{
	begin_parked(_metadata, NAP_IDLE_JEC);
	schedule_as(OUTSIDE, 0, 1);
	ASSERT_EQ(how_many_woken(), 1);
	ASSERT_EQ(wake_up(WORKERS - 1), NAP_SEARCH);
	ASSERT_EQ(inject_take(&pool.inject, &(bool){ false }), &tasks[0]);
	schedule_as(OUTSIDE, 1, 1);
	EXPECT_EQ(how_many_woken(), 0);
	/* The second push finds the first task still queued. */
	schedule_as(OUTSIDE, 2, 1);
	EXPECT_EQ(how_many_woken(), 1);
}

TEST(who_finds_work_wakes_two_others_before_it_runs_it)
{
	begin_parked(_metadata, NAP_IDLE_JEC);
	schedule_as(OUTSIDE, 0, 1);
	ASSERT_EQ(wake_up(WORKERS - 1), NAP_SEARCH);
	for (int t = 1; t < 10; t++)
		inject_silently(t);
	ASSERT_EQ(nap__dequeue(worker_at(WORKERS - 1)), &tasks[0]);
	EXPECT_EQ(how_many_woken(), JEC_CASCADE);
	EXPECT_EQ(pool.counters, word_of(WORKERS - 1 - JEC_CASCADE, WORKERS - 1,
					 jec_events(pool.counters)));
}

/* Two producers relied on one worker that is awake; the worker takes the task of one of them. */
TEST(what_is_left_by_one_who_was_relied_on_is_told_of)
{
	begin(_metadata, NAP_IDLE_JEC, WORKERS);
	for (uint32_t i = 0; i < 2; i++)
		nap__idle_stop_search(worker_at(i), false);
	ASSERT_GT(settle(3), 0);
	ASSERT_EQ(nap__idle_prepare(worker_at(2)), NAP_SEARCH);
	schedule_as(0, 0, 1);
	schedule_as(1, 1, 1);
	ASSERT_EQ(how_many_woken(), 0);
	ASSERT_NE(nap__dequeue(worker_at(2)), NULL);
	EXPECT_TRUE(was_woken(3));
}

/*
 * A worker that was popped from the idle set leaves. The thread that wakes the worker has already
 * counted it down, so the worker does not count itself down.
 */
TEST(who_leaves_is_counted_down_once)
{
	begin_parked(_metadata, NAP_IDLE_JEC);
	nap__idle_abort_park(worker_at(0));
	EXPECT_EQ(sleeping(), WORKERS - 1);
	schedule_as(OUTSIDE, 0, 2);
	ASSERT_TRUE(was_woken(WORKERS - 1));
	EXPECT_EQ(sleeping(), WORKERS - 1 - how_many_woken());
	nap__idle_abort_park(worker_at(WORKERS - 1));
	nap__idle_stop_search(worker_at(WORKERS - 1), false);
	nap__idle_stop_search(worker_at(0), false);
	EXPECT_EQ(jec_inactive(pool.counters), WORKERS - 2);
	EXPECT_LE(sleeping(), WORKERS - 2);
	EXPECT_EQ(how_many_woken() + sleeping(), WORKERS - 2);
}

TEST(a_failed_start_is_answered_by_those_who_sleep)
{
	begin(_metadata, NAP_IDLE_JEC, 1);
	ASSERT_GT(settle(0), 0);
	starts_fail = true;
	inject_silently(0);
	ASSERT_EQ(ops->spawn(&pool, 2), -EAGAIN);
	EXPECT_EQ(pool.counters, word_of(0, 1, jec_events(pool.counters)));
	EXPECT_EQ(ops->spawned(&pool), 1);
	EXPECT_TRUE(was_woken(0));
	ASSERT_EQ(wake_up(0), NAP_SEARCH);
	EXPECT_EQ(nap__dequeue(worker_at(0)), &tasks[0]);
	EXPECT_EQ(jec_inactive(pool.counters), 0);
}

TEST(with_no_worker_a_failed_start_leaves_nothing_latched)
{
	begin(_metadata, NAP_IDLE_JEC, 0);
	starts_fail = true;
	for (int i = 0; i < 3; i++) {
		schedule_as(OUTSIDE, i, 1);
		EXPECT_EQ(pool.counters, word_of(0, 0, 1));
		EXPECT_EQ(pool.sync, 0);
	}
	EXPECT_EQ(pool.spawn_failures, 3);
	EXPECT_EQ(nap_pool_help(&pool, 0), 3);
}

TEST_HARNESS_MAIN

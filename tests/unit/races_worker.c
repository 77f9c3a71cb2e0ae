/* SPDX-License-Identifier: MIT */
/* Workers that start, schedule and search, with another thread's step between any two accesses. */
#include "race_pool.h"

static struct nap_task tasks[NAP_RING_SIZE + 1];

/* ---- the owner of a full ring schedules one more task, beside a thief ---- */

static struct nap_task *stolen[NAP_RING_SIZE];
static int nr_stolen;

static void steal_one(void)
{
	stolen[nr_stolen] = ring_steal_one(&worker.ring);
	nr_stolen += stolen[nr_stolen] != NULL;
}

static void steal_all(void)
{
	while (nr_stolen < NAP_RING_SIZE && (stolen[nr_stolen] = ring_steal_one(&worker.ring)))
		nr_stolen++;
}

/* Whether every task is in one place: stolen, in the ring, or in the overflow. */
static bool all_there(void)
{
	bool seen[NAP_RING_SIZE + 1] = { false }, more = false;
	struct nap_task *task;
	int n = 0;

	for (; n < nr_stolen; n++)
		seen[stolen[n] - tasks] = true;
	while ((task = ring_pop(&worker.ring)) || (task = overflow_take(&worker.overflow, &more))) {
		if (seen[task - tasks])
			return false;
		seen[task - tasks] = true;
		n++;
	}
	return n == NAP_RING_SIZE + 1;
}

static void schedule_on_full_ring(void)
{
	new_pool_at_rest();
	idle_words(&pool)->set(&pool, 1, 0);
	nr_stolen = 0;
	self_is(nap__self(), &worker);
	for (int i = 0; i <= NAP_RING_SIZE; i++) {
		nap_task_init(&tasks[i], count_run);
		if (i == NAP_RING_SIZE)
			race_begin();
		nap_schedule(&pool, &tasks[i]);
	}
	race_end();
	self_is(nap__self(), NULL);
}

TEST(a_full_ring_loses_nothing_to_a_thief)
{
	EACH_RACE(steal_one) {
		schedule_on_full_ring();
		ASSERT_EQ(nr_stolen, raced);
		ASSERT_TRUE(all_there());
	}
	EXPECT_GT(race_turn, 5);
	EACH_RACE(steal_all) {
		schedule_on_full_ring();
		ASSERT_TRUE(all_there());
	}
	EXPECT_GT(race_turn, 5);
}

/* ---- a worker that holds a queue's lock finds nothing, and another worker did not get the lock */

static void be_turned_away(void)
{
	struct nap__consumer c;

	if (vyukov_lock(&pool.inject, &c))
		vyukov_unlock(&c);
}

#define NAME_OF_(name)	#name
#define NAME_OF(name)	NAME_OF_(name)

TEST(who_was_turned_away_for_nothing_is_made_up_for)
{
	struct nap_worker *sleeper = &crew[1];
	struct nap_task *task;
	int told = 0;

	/* Only in a Vyukov queue can the lock's holder find a task that it cannot take. */
	if (strcmp(NAME_OF(NAP_INJECT), "vyukov"))
		SKIP(return, "the injection queue is of another kind");
	EACH_RACE(be_turned_away) {
		new_crew(2);
		idle_words(&pool)->set(&pool, 2, 1);
		set_enter(&pool, sleeper);
		idle_words_asleep(sleeper);
		crew[0].tick = 5;
		/* A producer that is stopped between its exchange and its link. */
		nap_xchg_acq_rel(&pool.inject.push, (uintptr_t)&tasks[0]);
		tasks[0].next = NULL;
		race_begin();
		task = nap__dequeue(&crew[0]);
		race_end();
		ASSERT_EQ(task, NULL);
		told += (sleeper->event & EVENT_WORK) != 0;
		/* The producer completes its link. */
		nap_store_release(&pool.inject.stub.next, &tasks[0]);
		ASSERT_EQ(nap__dequeue(&crew[0]), &tasks[0]);
	}
	/* If the other worker comes between the lock and the unlock, there is a notification. */
	EXPECT_GE(told, 1);
}

/* ---- waking a worker that leaves for another reason */

static void sleeper_leaves(void)
{
	nap__idle_abort_park(&crew[1]);
}

/*
 * Sends a wake to a worker that was popped from the idle set and not notified yet. This worker is
 * about to leave, and waits for the wake.
 */
static void wake_sleeper(void)
{
	event_set(&crew[1].event, EVENT_WORK);
}

/* The worker that was to be woken has left, so another one is started, if the limit permits. */
TEST(a_wake_that_finds_nobody_starts_somebody)
{
	EACH_RACE(sleeper_leaves) {
		struct nap_worker *sleeper = &crew[1];
		bool called;

		new_crew(2);
		pool.limit = pool.most = 3;
		idle_words(&pool)->set(&pool, 2, 1);
		idle_words_asleep(sleeper);
		set_enter(&pool, sleeper);
		nap_task_init(&tasks[0], count_run);
		inject_push(&pool.inject, &tasks[0], &tasks[0]);
		last_step = wake_sleeper;
		race_begin();
		nap__idle_notify(&pool);
		race_end();
		if (!raced)
			break;
		/*
		 * The sleeper is notified, or searches; otherwise the start of another worker was
		 * tried. Here each start fails.
		 */
		called = (sleeper->event & EVENT_WORK) || idle_words_searching(sleeper);
		ASSERT_TRUE(called || pool.spawn_failures > 0);
	}
	EXPECT_GT(race_turn, 5);
}

/* ---- a joiner that was notified of work, and takes a job of its thief */

/* No thread relies on the joiner any longer, so another worker has to be notified. */
TEST(who_takes_a_job_of_its_thief_is_not_counted_on)
{
	struct nap_worker *joiner = &crew[0], *thief = &crew[1];

	new_crew(2);
	for (int i = 0; i < 2; i++)
		deque_init(&crew[i].deque, crew[i].frames, NAP_DEQUE_SIZE);
	thief->deque.forks.bottom = &thief->frames[1];
	source_link(&pool, KIND_JOBS);	/* nap_fork_slow() does this before */
	deque_publish(&thief->deque, false);
	joiner->frames[0].thief = thief->index + 1;
	nap_task_init(&tasks[0], count_run);
	ASSERT_EQ(nap_schedule(&pool, &tasks[0]), 0);
	ASSERT_EQ(nap__idle_prepare(joiner), NAP_SEARCH);
	ASSERT_TRUE(idle_words_searching(joiner));
	EXPECT_EQ(find_work(joiner, &joiner->frames[0]), &joiner->stand_in);
	EXPECT_EQ(joiner->stolen_frame, &thief->frames[0]);
	EXPECT_FALSE(idle_words_searching(joiner));
}

/* ---- starting a worker while the pool ends ---- */

static void end_idle(void)
{
	nap__idle_shutdown(&pool);
}

TEST(a_start_is_refused_or_taken_back_when_the_pool_ends)
{
	int refused = 0, failed = 0;

	EACH_RACE(end_idle) {
		int err;

		new_pool();
		nap__pool_start(&pool);
		race_begin();
		err = nap__idle_spawn(&pool, 1);
		race_end();
		refused += err == -ESHUTDOWN;
		failed += err == -EAGAIN;
		ASSERT_EQ(nap__idle_spawned(&pool), 0);
		ASSERT_EQ(idle_words(&pool)->ended(&pool), raced);
		nap_pool_join(&pool, NULL);
	}
	EXPECT_EQ(refused, 2);
	EXPECT_GE(failed, 3);
}

static struct nap_worker *claimed;
static bool has_thread;

static void claim_another(void)
{
	bool called_back;
	int err;

	claimed = claim_record(&pool, &called_back, &err);
}

static void free_records(void)
{
	for (struct nap_worker *w = registry_first(&pool); w; w = w->next)
		w->record = RECORD_FREE;
}

/* @nr_free: how many records of failed starts can be used again. */
TEST(two_starters_take_a_record_each)
{
	for (uint32_t nr_free = 0; nr_free <= 2; nr_free++) {
		EACH_RACE(claim_another) {
			struct nap_worker *mine;
			int err;

			new_pool();
			nap__pool_start(&pool);
			pool.limit = pool.most = 2;
			claimed = NULL;
			for (uint32_t n = 0; n < nr_free; n++)
				claim_record(&pool, &has_thread, &err);
			free_records();
			race_begin();
			mine = claim_record(&pool, &has_thread, &err);
			race_end();
			ASSERT_TRUE(mine && mine != claimed);
			ASSERT_EQ(mine->record, RECORD_CLAIMED);
			ASSERT_TRUE(!raced || claimed->record == RECORD_CLAIMED);
			ASSERT_LE(pool.nr_records, 2);
			free_records();
			nap_pool_join(&pool, NULL);
		}
		EXPECT_GT(race_turn, 4);
	}
}

TEST_HARNESS_MAIN

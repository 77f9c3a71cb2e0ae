/* SPDX-License-Identifier: MIT */
/*
 * A notice of a pool's end (nap/end.h) when threads from outside are the last ones inside; and
 * races with threads that schedule.
 */
#include "ends_fixture.h"

/* ---- threads from outside are the last ones inside, without a worker */

static void *help(void *err)
{
	*(long *)err = nap_pool_help(&pool, 0);
	return NULL;
}

static void last_is_a_helper(struct __test_metadata *_metadata, enum nap_idle idle,
			     enum nap_shutdown mode)
{
	struct blocker blocker = BLOCKER_INIT;
	struct nap_batch left;
	struct nap_end end;
	pthread_t thread;
	long n = -1;

	starts_fail = true;
	begin(idle, 1, &end);
	ASSERT_EQ(nap_schedule(&pool, &blocker.task), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, help, &n), 0);
	flag_wait(&blocker.running);
	ASSERT_EQ(nap_pool_shutdown(&pool, mode), 0);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	EXPECT_EQ(look(), 0);
	flag_set(&blocker.let_go);
	finish(_metadata, &left);
	EXPECT_EQ(run_before_told, 1);
	pthread_join(thread, NULL);
	EXPECT_EQ(n, 1);
}

TEST_F(under, a_helper_is_the_last_one_in_a_drain)
{
	last_is_a_helper(_metadata, self->idle, NAP_DRAIN);
}

TEST_F(under, a_helper_is_the_last_one_in_a_stop)
{
	last_is_a_helper(_metadata, self->idle, NAP_STOP);
}

static void last_is_a_call(struct __test_metadata *_metadata, enum nap_idle idle,
			   enum nap_shutdown mode, uint32_t workers)
{
	struct caller caller;
	struct nap_end end;

	begin(idle, 2, &end);
	ASSERT_EQ(nap_pool_prewarm(&pool, workers), 0);
	caller_start(&caller, &pool, hold);
	await_at_door(1);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, mode), 0);
	EXPECT_EQ(look(), 0);
	open_door();
	finish(_metadata, NULL);
	pthread_join(caller.thread, NULL);
	EXPECT_EQ(caller.err, 0);
}

TEST_F(under, a_call_is_the_last_one_in_a_drain)
{
	last_is_a_call(_metadata, self->idle, NAP_DRAIN, 0);
}

TEST_F(under, a_call_is_the_last_one_in_a_drain_with_workers)
{
	last_is_a_call(_metadata, self->idle, NAP_DRAIN, 2);
}

TEST_F(under, a_call_is_the_last_one_in_a_stop)
{
	last_is_a_call(_metadata, self->idle, NAP_STOP, 0);
}

TEST_F(under, a_call_is_the_last_one_in_a_stop_with_workers)
{
	last_is_a_call(_metadata, self->idle, NAP_STOP, 2);
}

/*
 * A caller without a guest record is still inside the pool. The thread that asks for the notice
 * does not wait for this caller, but the notice comes only when the caller has left.
 */
TEST_F(under, a_call_without_a_place_is_the_last_one)
{
	struct caller caller;
	struct nap_end end;

	starts_fail = true;
	begin(self->idle, 1, &end);
	take_all_places(&pool);
	caller_start(&caller, &pool, NULL);
	await_listed(&pool);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	EXPECT_EQ(look(), 0);
	open_door();
	await_told(1);
	EXPECT_EQ(nap_load_acquire(&caller.begun), 1);
	pthread_join(caller.thread, NULL);
	EXPECT_EQ(caller.err, 0);
	join_guests(_metadata);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(look(), 1);
}

/* ---- races with threads that schedule until they are refused */

#define PRODUCERS 3
static uint32_t nr_accepted, ready;

static void *produce(void *unused)
{
	struct nap_task *task = NULL;

	(void)unused;
	nap_fetch_add_release(&ready, 1);
	for (;;) {
		task = new_task(count_and_free);
		if (nap_schedule(&pool, task))
			break;
		nap_fetch_add_relaxed(&nr_accepted, 1);
	}
	free(task);
	return NULL;
}

static void race(struct __test_metadata *_metadata, enum nap_idle idle, enum nap_shutdown mode,
		 unsigned long round)
{
	pthread_t threads[PRODUCERS];
	struct nap_batch left;
	struct nap_end end;
	unsigned long run;

	nr_told = 0;
	nap_store_relaxed(&nr_run, 0);
	nap_store_relaxed(&nr_accepted, 0);
	nap_store_relaxed(&ready, 0);
	begin(idle, 2, &end);
	for (int i = 0; i < PRODUCERS; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, produce, NULL), 0);
	if (round % 2)
		ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	while (nap_load_acquire(&ready) < PRODUCERS)
		sched_yield();
	ASSERT_EQ(nap_pool_shutdown(&pool, mode), 0);
	if (round % 2 == 0)
		ASSERT_EQ(nap_pool_notify_end(&pool, &end), 0);
	await_told(1);
	run = run_before_told;
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(nap_load_acquire(&nr_run), run);
	finish(_metadata, &left);
	EXPECT_EQ(free_batch(&left) + run, nr_accepted);
}

TEST_F(under, raced_by_producers)
{
	for (unsigned long i = 0; nap_test_again(i, nap_test_count(150)); i++)
		race(_metadata, self->idle, i % 3 ? NAP_DRAIN : NAP_STOP, i);
}

TEST_HARNESS_MAIN

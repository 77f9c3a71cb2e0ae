/* SPDX-License-Identifier: MIT */
/* The gate and the phases, on which a pool's end relies. */
#include "sync/gate.h"

#include <pthread.h>

#include "os/happens.h"
#include "sync/debug.h"
#include "worker/phase.h"
#include "pool_fixture.h"

static uint32_t gate;
static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);

TEST(closed_refuses_and_counts_nobody)
{
	EXPECT_TRUE(gate_enter(&gate));
	EXPECT_TRUE(gate_enter(&gate));
	EXPECT_FALSE(gate_is_closed(&gate));
	gate_close(&gate);
	EXPECT_TRUE(gate_is_closed(&gate));
	EXPECT_FALSE(gate_enter(&gate));
	EXPECT_EQ(gate, 2 * GATE_ONE + GATE_CLOSED);
	gate_leave(&gate);
	gate_leave(&gate);
	gate_wait_empty(&gate, UINT64_MAX);
	EXPECT_EQ(gate, GATE_CLOSED);
}

static unsigned long inside, entries;
static uint32_t gone;

static void *come_and_go(void *arg)
{
	(void)arg;
	while (gate_enter(&gate)) {
		nap_fetch_add_relaxed(&inside, 1);
		if (nap_load_acquire(&gone))
			abort();
		nap_fetch_sub_relaxed(&inside, 1);
		nap_fetch_add_relaxed(&entries, 1);
		gate_leave(&gate);
	}
	return NULL;
}

TEST(after_the_wait_nobody_is_inside)
{
	unsigned long rounds = nap_test_count(100);
	pthread_t threads[3];

	for (unsigned long i = 0; nap_test_again(i, rounds); i++) {
		unsigned long before = entries;

		gate = gone = 0;
		for (int t = 0; t < 3; t++)
			pthread_create(&threads[t], NULL, come_and_go, NULL);
		/*
		 * In every second round the gate is closed only after a thread has been inside.
		 * Otherwise, on one CPU, the gate might be closed in each round before a thread
		 * comes.
		 */
		for (unsigned long k = 0;
		     k < i % 20 || (i % 2 == 0 && nap_load_relaxed(&entries) == before); k++)
			sched_yield();
		gate_close(&gate);
		gate_wait_empty(&gate, UINT64_MAX);
		nap_store_release(&gone, 1);
		ASSERT_EQ(nap_load_relaxed(&inside), 0);
		for (int t = 0; t < 3; t++)
			pthread_join(threads[t], NULL);
	}
	EXPECT_GT(entries, 0);
}

TEST(phases_only_grow)
{
	EXPECT_EQ(pool_phase(&pool), PHASE_RUNNING);
	EXPECT_TRUE(phase_raise(&pool, PHASE_DRAIN));
	EXPECT_FALSE(phase_raise(&pool, PHASE_DRAIN));
	EXPECT_FALSE(pool_stopped_or_forked(&pool));
	EXPECT_FALSE(pool_canceled(&pool));
	EXPECT_TRUE(phase_raise(&pool, PHASE_STOP));
	EXPECT_FALSE(phase_raise(&pool, PHASE_DRAIN));
	EXPECT_TRUE(pool_stopped_or_forked(&pool));
	EXPECT_TRUE(pool_canceled(&pool));
	EXPECT_TRUE(phase_raise(&pool, PHASE_JOINED_STOP));
	EXPECT_FALSE(pool_stopped_or_forked(&pool));
	EXPECT_TRUE(pool_canceled(&pool));
}

/* pool_is_plain() is the only check that a worker makes between two tasks. */
TEST(a_pool_is_plain_while_only_its_queues_matter)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(pool_is_plain(&pool), !DEBUG_BUILD && !is_detected());
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(pool_is_plain(&pool), !DEBUG_BUILD && !is_detected());
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	EXPECT_FALSE(pool_is_plain(&pool));
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_FALSE(pool_is_plain(&pool));
}

TEST_HARNESS_MAIN

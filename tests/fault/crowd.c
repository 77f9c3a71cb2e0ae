/* SPDX-License-Identifier: MIT */
/*
 * Very many workers on few processors: all of them start, are notified at once, fall idle, and
 * every shape of scheduling works on them.
 */
#include "fault/crowd.h"

/* ---- called at once: no task goes on before all tasks have begun */

static uint32_t come, expected_to_come, all_here;

static void meet(struct nap_task *task)
{
	(void)task;
	if (nap_fetch_add_acq_rel(&come, 1) + 1 == expected_to_come) {
		nap_store_release(&all_here, 1);
		nap__futex_wake(&all_here, UINT32_MAX >> 1);
	}
	while (!nap_load_acquire(&all_here))
		nap__futex_wait(&all_here, 0, UINT64_MAX);
	nap_fetch_add_relaxed(&nr_run, 1);
}

/*
 * Schedules as many tasks as there are workers, half of them in a batch. Each task needs a worker
 * of its own.
 */
static void meet_all(struct nap_task *tasks, uint32_t n)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	come = all_here = 0;
	expected_to_come = n;
	for (uint32_t i = 0; i < n; i++) {
		nap_task_init(&tasks[i], meet);
		if (i % 2)
			nap_batch_push(&batch, &tasks[i]);
		else
			put_task(&tasks[i]);
	}
	nap_fetch_add_relaxed(&scheduled, batch.count);
	if (nap_schedule_batch(&pool, &batch))
		abort();
}

static void expect_runs_of_each(struct __test_metadata *_metadata, uint32_t workers, uint64_t runs)
{
	struct nap_worker_stats stats;

	for (uint32_t i = 0; i < workers; i++) {
		ASSERT_EQ(nap_worker_get_stats(&pool, i, &stats), 0);
		ASSERT_EQ(stats.run, runs);
	}
	EXPECT_EQ(nap_worker_get_stats(&pool, workers, &stats), -ENOENT);
}

/*
 * The footprint to compare with is taken after the first pool: then the libc already keeps the
 * stacks of ended threads.
 */
TEST_F(crowd, all_are_called_at_once_and_fall_idle)
{
	uint32_t n = self->workers;
	struct nap_task *tasks = calloc(n, sizeof(*tasks));
	struct footprint before = footprint();

	ASSERT_NE(tasks, NULL);
	for (int life = 0; life < 3; life++) {
		begin_pool(_metadata, n);
		ASSERT_EQ(nap_pool_prewarm(&pool, n), 0);
		expect_all_idle(_metadata, n);
		EXPECT_EQ(started, n);
		for (uint64_t round = 1; round <= 3; round++) {
			meet_all(tasks, n);
			expect_all_idle(_metadata, n);
			expect_runs_of_each(_metadata, n, round);
		}
		end_pool(_metadata, variant->mode, NULL);
		expect_all_gone(_metadata);
		EXPECT_EQ(stopped, n);
		if (life == 0)
			before = footprint_after(before);
	}
	free(tasks);
	footprint_expect(before);
	fault_report("a crowd of workers, called at once", 9 * n, scheduled, nr_run);
}

/* ---- every shape of scheduling */

TEST_F(crowd, every_shape_of_scheduling)
{
	unsigned long rounds = nap_test_count(640);

	for (int how = 0; how < LOAD_NR_ENDS; how++) {
		if ((how >= LOAD_STOP) != (variant->mode == NAP_STOP))
			continue;
		begin_pool(_metadata, self->workers);
		load_prepare(&pool, rounds, (enum load_end)how);
		ASSERT_EQ(nap_pool_prewarm(&pool, self->workers), 0);
		load_go();
		/* Some tasks must have run before the pool ends. */
		while (nap_load_relaxed(&load.run) < rounds)
			sched_yield();
		load_finish();
		load_expect();
		EXPECT_EQ(started, self->workers);
		expect_all_gone(_metadata);
	}
	load_report("a crowd of workers, every shape", self->workers);
}

TEST_HARNESS_MAIN

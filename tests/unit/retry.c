/* SPDX-License-Identifier: MIT */
/* A failed start is tried again, also if no thread schedules. Under each idle protocol. */
#include "worker/worker.h"
#include "call_fixture.h"
#include "wrap.h"

/* The number of starts, and how many of them fail, from the second on. */
static uint32_t starts, failures;

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	uint32_t number = nap_fetch_add_relaxed(&starts, 1);

	return number - 1 < failures ? -EAGAIN :
				       __real_nap__os_thread_start(worker, stack_size);
}

static struct nap_task busy;

/*
 * Begins a pool of two workers: a task holds the first worker at the door, and the start of the
 * second one will fail @fail times. The caller makes one more call that wants a worker. From then
 * on no thread schedules, so only a thread that waits can try the start again.
 */
static void block_one_worker(struct __test_metadata *_metadata, enum nap_idle idle, uint32_t fail)
{
	failures = fail;
	begin_pool(&pool, idle, 2);
	nap_task_init(&busy, hold_task);
	ASSERT_EQ(nap_schedule(&pool, &busy), 0);
	await_at_door(1);
}

TEST_F(under, who_waits_for_a_group_tries_again)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct member member = { NAP_TASK_INIT(member_done), &group, &pool, 0 };
	struct nap_pool_stats stats;

	block_one_worker(_metadata, self->idle, 3);
	nap_group_add(&group, 1);
	ASSERT_EQ(nap_schedule(&pool, &member.task), 0);
	EXPECT_EQ(nap_group_wait(&group), 0);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.spawned, 2);
	EXPECT_EQ(stats.spawn_failures, 3);
	EXPECT_EQ(stats.helped, 0);
	open_door();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void let_everybody_go(struct nap_task *task)
{
	(void)task;
	open_door();
}

TEST_F(under, who_waits_for_quiet_tries_again)
{
	struct nap_task task = NAP_TASK_INIT(let_everybody_go);

	block_one_worker(_metadata, self->idle, 3);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_F(under, who_joins_tries_again)
{
	struct nap_task task = NAP_TASK_INIT(let_everybody_go);

	block_one_worker(_metadata, self->idle, 3);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 1);
}

/*
 * When the late task comes, this thread has already run the early task, for which the start of a
 * worker has failed. The wait for the late task has to try the start again.
 */
TEST_F(under, who_has_looked_already_tries_again)
{
	struct nap_task early = NAP_TASK_INIT(count_run), late = NAP_TASK_INIT(let_everybody_go);

	block_one_worker(_metadata, self->idle, 1);
	ASSERT_EQ(nap_schedule(&pool, &early), 0);
	EXPECT_EQ(nap_pool_help(&pool, 1), 1);
	/* A second start is not tried within the same millisecond. */
	ASSERT_EQ(nap_schedule(&pool, &late), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, 2);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void open_and_go(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	open_door();
}

/* No guest record becomes free before a start is tried again, and no other thread waits. */
TEST_F(under, who_waits_for_a_place_tries_again)
{
	block_one_worker(_metadata, self->idle, 3);
	take_all_places(&pool);
	EXPECT_EQ(nap_call(&pool, open_and_go, NULL), 0);
	join_guests(_metadata);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * A caller that polls with a deadline in the past, again and again, makes progress without a
 * worker.
 */
TEST_F(under, who_polls_gets_somewhere)
{
	struct nap_task tasks[3];
	int err;

	starts = 1;
	failures = 1000;
	begin_pool(&pool, self->idle, 1);
	for (int i = 0; i < 3; i++) {
		nap_task_init(&tasks[i], count_run);
		ASSERT_EQ(nap_schedule(&pool, &tasks[i]), 0);
	}
	while ((err = nap_pool_quiesce_for(&pool, 0)) == -ETIMEDOUT)
		;
	EXPECT_EQ(err, 0);
	EXPECT_EQ(nr_run, 3);
	ASSERT_EQ(nap_schedule(&pool, &tasks[0]), 0);
	while ((err = nap_pool_join_for(&pool, NULL, 0)) == -ETIMEDOUT)
		;
	EXPECT_EQ(err, 0);
	EXPECT_EQ(nr_run, 4);
}

/* Schedules a second task when the worker for the first could not be started. */
static void schedule_twice(struct nap_task *task)
{
	static struct nap_task more[2];

	hold_task(task);
	for (int i = 0; i < 2; i++) {
		nap_task_init(&more[i], count_run);
		if (nap_schedule(&pool, &more[i]))
			abort();
		/* The second task must run on a worker that does not exist yet. */
		usleep(20000);
	}
	while (nap_load_relaxed(&nr_run) < 3)
		usleep(1000);
}

TEST_F(under, a_worker_that_schedules_tries_again)
{
	struct nap_task task = NAP_TASK_INIT(schedule_twice);

	failures = 1;
	begin_pool(&pool, self->idle, 2);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	await_at_door(1);
	open_door();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 3);
}

TEST_HARNESS_MAIN

/* SPDX-License-Identifier: MIT */
/* Wait groups: counting, waiting outside and on workers, helping, giving up. */
#include <errno.h>
#include <pthread.h>

#include "pool_fixture.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static struct nap_pool one = NAP_POOL_INIT(.max_workers = 1);

TEST(counting)
{
	struct nap_group group = NAP_GROUP_INIT(NULL);

	EXPECT_EQ(nap_group_wait(&group), 0);
	EXPECT_EQ(nap_group_done(&group), -EINVAL);
	EXPECT_EQ(nap_group_add(&group, 0), 0);
	EXPECT_EQ(nap_group_wait(&group), 0);
	EXPECT_EQ(nap_group_add(&group, INT32_MAX), 0);
	EXPECT_EQ(nap_group_add(&group, 1), -EOVERFLOW);
	EXPECT_EQ(nap_group_wait_for(&group, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_group_wait_for(&group, 1000000), -ETIMEDOUT);
	nap_group_init(&group, NULL);
	EXPECT_EQ(nap_group_add(&group, 2), 0);
	EXPECT_EQ(nap_group_done(&group), 0);
	EXPECT_EQ(nap_group_wait_for(&group, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_group_done(&group), 0);
	EXPECT_EQ(nap_group_done(&group), -EINVAL);
	EXPECT_EQ(nap_group_wait(&group), 0);
	/* The group can be used again. */
	EXPECT_EQ(nap_group_add(&group, 1), 0);
	EXPECT_EQ(nap_group_wait_for(&group, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_group_done(&group), 0);
	EXPECT_EQ(nap_group_wait(&group), 0);
}

TEST(wait_from_outside)
{
	unsigned long n = nap_test_count(20000);

	for (unsigned long i = 0; i < n; i++) {
		struct nap_group group = NAP_GROUP_INIT(&pool);
		struct member m[3];

		nap_group_add(&group, 3);
		for (int k = 0; k < 3; k++) {
			m[k] = (struct member){ NAP_TASK_INIT(member_done), &group, &pool, 0 };
			ASSERT_EQ(nap_schedule(&pool, &m[k].task), 0);
		}
		ASSERT_EQ(nap_group_wait(&group), 0);
		/* From now on no thread may touch the group and its members. */
		memset(&group, 0xee, sizeof(group));
		memset(m, 0xee, sizeof(m));
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 3 * n);
}

TEST(waits_on_workers_help)
{
	struct nap_pool *pools[] = { &one, &pool };

	for (int p = 0; p < 2; p++) {
		struct nap_group group = NAP_GROUP_INIT(pools[p]);
		struct member root = { NAP_TASK_INIT(member_fork), &group, pools[p], 8 };

		nr_run = 0;
		nap_group_add(&group, 1);
		ASSERT_EQ(nap_schedule(pools[p], &root.task), 0);
		ASSERT_EQ(nap_group_wait(&group), 0);
		EXPECT_EQ(nr_run, 511);
		EXPECT_EQ(nap_pool_join(pools[p], NULL), 0);
	}
}

/*
 * A worker waits for a thread outside, and is woken for work and by its group, at once or in any
 * order.
 */
static struct nap_group outside;
static uint32_t waiting;
static int result;

static void wait_for_outside(struct nap_task *task)
{
	(void)task;
	flag_set(&waiting);
	result = nap_group_wait(&outside);
	nap_fetch_add_relaxed(&nr_run, 1);
}

TEST(a_waiting_worker_is_called_to_work_and_by_its_group)
{
	unsigned long n = nap_test_count(3000);
	struct nap_task waiter;

	for (unsigned long i = 0; i < n; i++) {
		struct blocker work = BLOCKER_INIT;

		waiting = nr_run = 0;
		nap_group_init(&outside, &one);
		nap_group_add(&outside, 1);
		nap_task_init(&waiter, wait_for_outside);
		nap_schedule(&one, &waiter);
		flag_wait(&waiting);
		work.let_go = 1;
		nap_schedule(&one, &work.task);
		if (i % 2)
			flag_wait(&work.running);
		nap_group_done(&outside);
		ASSERT_EQ(nap_pool_quiesce(&one), 0);
		ASSERT_EQ(nr_run, 2);
		ASSERT_EQ(result, 0);
	}
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
}

/* While a worker waits inside a task the pool is not quiet, although the worker sleeps. */
TEST(a_waiting_worker_is_not_at_rest)
{
	struct nap_task waiter = NAP_TASK_INIT(wait_for_outside);

	nap_group_init(&outside, &pool);
	nap_group_add(&outside, 1);
	nap_schedule(&pool, &waiter);
	flag_wait(&waiting);
	EXPECT_EQ(nap_pool_quiesce_for(&pool, 20000000), -ETIMEDOUT);
	nap_group_done(&outside);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void wait_briefly(struct nap_task *task)
{
	(void)task;
	for (int i = 0; i < 20; i++)
		if (nap_group_wait_for(&outside, 10000u * (unsigned)i) != -ETIMEDOUT)
			abort();
	nap_fetch_add_relaxed(&nr_run, 1);
}

TEST(workers_may_give_up_waiting)
{
	struct nap_task tasks[2] = { NAP_TASK_INIT(wait_briefly), NAP_TASK_INIT(wait_briefly) };

	nap_group_init(&outside, &pool);
	nap_group_add(&outside, 1);
	for (int i = 0; i < 2; i++)
		nap_schedule(&pool, &tasks[i]);
	EXPECT_EQ(nap_group_wait_for(&outside, 1000000), -ETIMEDOUT);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, 2);
	EXPECT_EQ(nap_group_done(&outside), 0);
	EXPECT_EQ(nap_group_wait(&outside), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void *wait_outside(void *arg)
{
	static int results[8];
	static uint32_t n;
	int *mine = &results[nap_fetch_add_relaxed(&n, 1)];

	flag_set(arg);
	*mine = nap_group_wait(&outside);
	return mine;
}

TEST(many_wait_for_one_group)
{
	struct nap_task waiter = NAP_TASK_INIT(wait_for_outside);
	pthread_t threads[4];
	uint32_t started = 0;

	nap_group_init(&outside, &pool);
	nap_group_add(&outside, 1);
	nap_schedule(&pool, &waiter);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, wait_outside, &started);
	flag_wait(&waiting);
	flag_wait(&started);
	usleep(1000);
	nap_group_done(&outside);
	for (int i = 0; i < 4; i++) {
		void *got;

		pthread_join(threads[i], &got);
		EXPECT_EQ(*(int *)got, 0);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 1);
}

TEST(stop_cancels_waits_inside_and_outside)
{
	struct nap_task waiter = NAP_TASK_INIT(wait_for_outside);
	uint32_t started = 0;
	pthread_t thread;
	void *got;

	nap_group_init(&outside, &pool);
	nap_group_add(&outside, 1);
	nap_schedule(&pool, &waiter);
	pthread_create(&thread, NULL, wait_outside, &started);
	flag_wait(&waiting);
	flag_wait(&started);
	usleep(1000);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	pthread_join(thread, &got);
	EXPECT_EQ(*(int *)got, -ECANCELED);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(result, -ECANCELED);
	EXPECT_EQ(nap_group_wait(&outside), -ECANCELED);
}

/*
 * A wait for a group that has nothing to do with the pool outlasts the pool. The join does not
 * wait for the waiter, and the waiter does not touch memory that the join has given back.
 */
TEST(join_sends_waiters_away_from_the_pool)
{
	struct nap_task task = NAP_TASK_INIT(count_run);
	uint32_t started = 0;
	pthread_t thread;
	void *got;

	nap_group_init(&outside, &pool);
	nap_group_add(&outside, 1);
	nap_schedule(&pool, &task);
	pthread_create(&thread, NULL, wait_outside, &started);
	flag_wait(&started);
	while (!nap_load_relaxed(&pool.waiters))
		sched_yield();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_group_wait_for(&outside, 1000), -ETIMEDOUT);
	nap_group_done(&outside);
	pthread_join(thread, &got);
	EXPECT_EQ(*(int *)got, 0);
}

/*
 * Waits are nested deeper than the stack allows: the last wait sleeps instead of overflowing, and
 * can time out.
 */
static unsigned long depth, deepest, accepted = 1, begun;
static uint32_t bottomed;
static struct nap_group never;

static void nest(struct nap_task *task)
{
	struct nap_task *child = new_task(nest);
	unsigned long mine = ++depth, in_vain = 0;

	free(task);
	begun++;
	if (mine > deepest)
		deepest = mine;
	/*
	 * Each child runs nested in its parent's wait, until a wait has to sleep. A single timeout
	 * does not show this: the time of a wait may be over before its first check, if the thread
	 * gets no CPU. So the deepest wait times out 100 times in a row.
	 */
	if (nap_schedule(&one, child)) {
		free(child);
	} else {
		accepted++;
		while (nap_group_wait_for(&never, 1000000) == -ETIMEDOUT)
			if (mine == deepest && ++in_vain == 100)
				flag_set(&bottomed);
	}
	depth--;
}

TEST(helping_is_bounded_by_the_stack)
{
	struct nap_config config = { .max_workers = 1, .stack_size = 4 << 20 };
	struct nap_batch left;

	ASSERT_EQ(nap_pool_init(&one, &config), 0);
	nap_group_init(&never, &one);
	nap_group_add(&never, 1);
	nap_schedule(&one, new_task(nest));
	flag_wait(&bottomed);
	EXPECT_EQ(nap_pool_shutdown(&one, NAP_STOP), 0);
	EXPECT_EQ(nap_pool_join(&one, &left), 0);
	EXPECT_GT(deepest, 10);
	EXPECT_EQ(depth, 0);
	/* The stop refused the last child, or the join returned it. No child was lost. */
	EXPECT_EQ(begun + free_batch(&left), accepted);
	TH_LOG("nested %lu deep on 4 MiB", deepest);
}

TEST_HARNESS_MAIN

/* SPDX-License-Identifier: MIT */
/*
 * nap/local.h in a fiber: while the fiber makes a value it does not leave its thread, whatever it
 * waits for.
 */
#include <errno.h>

#include <nap/nap.h>

#include "pool_fixture.h"
#include "watchdog.h"

static struct nap_pool pool;
static struct nap_local local;
static struct nap_group asleep;
static uint32_t nr_inside, nr_waits, nr_wrong;

static void *make(struct nap_worker *worker, void *size)
{
	nap_fetch_add_relaxed(&nr_inside, 1);
	if (nap_group_wait(&asleep) || nap_sleep(1000))
		nap_fetch_add_relaxed(&nr_wrong, 1);
	if (nap_worker_self() != worker)
		nap_fetch_add_relaxed(&nr_wrong, 1);
	nap_fetch_add_relaxed(&nr_waits, 1);
	return malloc(*(size_t *)size);
}

static void end(void *data, void *size)
{
	(void)size;
	free(data);
}

static intptr_t use(void *unused)
{
	struct nap_worker *worker = nap_worker_self();

	(void)unused;
	if (!nap_local_get(worker, &local) || nap_worker_self() != worker)
		nap_fetch_add_relaxed(&nr_wrong, 1);
	return 0;
}

static void done(struct nap_task *task)
{
	(void)task;
	if (nap_group_done(&asleep))
		abort();
}

TEST(the_fiber_stays_on_its_worker)
{
	static size_t size = 100;
	struct nap_task task = NAP_TASK_INIT(done);
	struct nap_fiber *fibers[20];

	watchdog(&pool, 0);
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 3 }), 0);
	local = (struct nap_local)NAP_LOCAL_INIT(make, end, &size);
	ASSERT_EQ(nap_local_add(&pool, &local), 0);
	nap_group_init(&asleep, &pool);
	ASSERT_EQ(nap_group_add(&asleep, 1), 0);
	for (int i = 0; i < 20; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], use, NULL), 0);
	/*
	 * The pool has one worker, which runs all fibers. So several fibers are inside make() at a
	 * time only if a fiber can be suspended inside make().
	 */
	while (nap_load_relaxed(&nr_inside) < 3)
		sched_yield();
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	for (int i = 0; i < 20; i++)
		EXPECT_EQ(nap_await(fibers[i], NULL), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_wrong, 0u);
	EXPECT_GE(nr_waits, 1u);
}

/* A worker's data own a fiber's handle. The join calls @end, which still may use the handle. */
static int answers[4];

static intptr_t returns(void *unused)
{
	(void)unused;
	return 0;
}

static void *spawn(struct nap_worker *worker, void *unused)
{
	struct nap_fiber *fiber;

	(void)worker;
	(void)unused;
	return nap_spawn(&pool, &fiber, returns, NULL) ? NULL : fiber;
}

static void ask(void *fiber, void *unused)
{
	(void)unused;
	answers[0] = nap_fiber_name(fiber)[0];
	answers[1] = nap_fiber_cancel(fiber);
	answers[2] = nap_await(fiber, NULL);
	answers[3] = nap_detach(fiber);
}

static void get(struct nap_task *task)
{
	(void)task;
	if (!nap_local_get(nap_worker_self(), &local))
		nap_fetch_add_relaxed(&nr_wrong, 1);
}

TEST(a_handle_is_valid_until_the_join_has_returned)
{
	struct nap_task task = NAP_TASK_INIT(get);

	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }), 0);
	local = (struct nap_local)NAP_LOCAL_INIT(spawn, ask, NULL);
	ASSERT_EQ(nap_local_add(&pool, &local), 0);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_wrong, 0);
	EXPECT_EQ(answers[0], 0);
	EXPECT_EQ(answers[1], 0);
	EXPECT_EQ(answers[2], -ESHUTDOWN);
	EXPECT_EQ(answers[3], -ESHUTDOWN);
}

TEST_HARNESS_MAIN

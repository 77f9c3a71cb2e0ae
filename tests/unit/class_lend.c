/* SPDX-License-Identifier: MIT */
/*
 * A task of a class with limit 1 waits for another pool. Only another task of the same class can
 * end this wait, so the waiter lends its permit while it sleeps.
 */
#include <pthread.h>

#include "worker/phase.h"
#include "limit_fixture.h"

static struct nap_classes classes = { .count = 1, .of = { { .limit = 1 } } };
static struct nap_pool other;
static uint32_t waits, inside_other;
static struct nap_task blocker;

static void let_go(struct nap_task *task)
{
	flag_set(&may_go);
	count_and_free(task);
}

/* Blocks a thread of the other pool until the second task of the class has run. */
static void block_other(void)
{
	nap_fetch_add_acq_rel(&inside_other, 1);
	flag_wait(&may_go);
}

static void block_as_task(struct nap_task *task)
{
	(void)task;
	block_other();
}

static void block_in_call(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	block_other();
}

static void *call_other(void *unused)
{
	(void)unused;
	if (nap_call(&other, block_in_call, NULL))
		abort();
	return NULL;
}

static void await_inside_other(uint32_t n)
{
	while (nap_load_acquire(&inside_other) != n)
		sched_yield();
}

static void block_worker(void)
{
	nap_task_init(&blocker, block_as_task);
	if (nap_schedule(&other, &blocker))
		abort();
	await_inside_other(1);
}

static void do_nothing(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
}

static void quiesce_other(void)
{
	block_worker();
	if (nap_pool_quiesce(&other))
		abort();
}

/* Calls while the other pool's worker is busy and all its guest records are taken. */
static void call_in_crowd(void)
{
	pthread_t threads[NAP_GUESTS];

	block_worker();
	for (uint32_t i = 0; i < NAP_GUESTS; i++)
		if (pthread_create(&threads[i], NULL, call_other, NULL))
			abort();
	await_inside_other(1 + NAP_GUESTS);
	if (nap_call(&other, do_nothing, NULL))
		abort();
	for (uint32_t i = 0; i < NAP_GUESTS; i++)
		pthread_join(threads[i], NULL);
}

/* Joins a stopped pool: the join waits only for the end of a thread. */
static void join_stopped(void)
{
	block_worker();
	if (nap_pool_shutdown(&other, NAP_STOP) || nap_pool_join(&other, NULL))
		abort();
}

/* Joins while another thread is inside nap_call(): the drain waits for the call. */
static void join_beside_a_call(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, call_other, NULL))
		abort();
	await_inside_other(1);
	if (nap_pool_join(&other, NULL))
		abort();
	pthread_join(thread, NULL);
}

static void *join_other(void *unused)
{
	(void)unused;
	nap_pool_join(&other, NULL);
	return NULL;
}

/* Joins while another thread joins: the second joiner waits for the first. */
static void join_behind_another(void)
{
	pthread_t thread;

	block_worker();
	if (nap_pool_shutdown(&other, NAP_STOP) || pthread_create(&thread, NULL, join_other, NULL))
		abort();
	while (nap_load_acquire(&other.join) != JOIN_BUSY)
		sched_yield();
	nap_pool_join(&other, NULL);
	pthread_join(thread, NULL);
}

static void (*const wait_in[])(void) = {
	quiesce_other, call_in_crowd, join_stopped, join_beside_a_call, join_behind_another
};

static void wait_for_other(struct nap_task *task)
{
	if (nap_class_schedule(&pool, 0, new_task(let_go)))
		abort();
	wait_in[waits]();
	count_and_free(task);
}

static void try_wait(struct __test_metadata *_metadata, enum nap_idle idle)
{
	begin(_metadata,
	      (struct nap_config){ .max_workers = 2, .classes = &classes, .idle = idle });
	ASSERT_EQ(nap_pool_init(&other, &(struct nap_config){ .max_workers = 1, .idle = idle }), 0);
	watch_pool(&other);
	ASSERT_EQ(nap_class_schedule(&pool, 0, new_task(wait_for_other)), 0);
	await_run(2);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(classes.of[0].inside, 0);
	nap_pool_join(&other, NULL);
}

#define TEST_WAIT(number, name)			\
TEST_F(under, name)				\
{						\
	waits = (number);			\
	try_wait(_metadata, self->idle);	\
}

TEST_WAIT(0, until_another_pool_is_quiet)
TEST_WAIT(1, for_a_place_in_another_pool)
TEST_WAIT(2, until_threads_of_another_pool_have_ended)
TEST_WAIT(3, until_another_pool_has_no_caller)
TEST_WAIT(4, until_another_has_joined_another_pool)

TEST_HARNESS_MAIN

/* SPDX-License-Identifier: MIT */
/*
 * Every shape of scheduling at once, counted exactly: singly and in batches, from outside and from
 * tasks, tasks that reschedule themselves, trees; with waiting and helping threads; on 1, 2 and 8
 * workers.
 */
#include <pthread.h>

#include "worker/registry.h"
#include "pool_fixture.h"

#define PRODUCERS 3

static struct nap_pool *pool;
static unsigned long expected, rounds;

/* Counts the workers whose ring's tail has wrapped to the other half of its range. */
static uint32_t rings_on_the_other_side(void)
{
	uint32_t n = 0;

	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		n += (nap_load_relaxed(&w->ring.tail) ^ NAP_RING_START) >> 31;
	return n;
}

static void expect(unsigned long n)
{
	nap_fetch_add_relaxed(&expected, n);
}

static void schedule(struct nap_task *task)
{
	expect(1);
	if (nap_schedule(pool, task))
		abort();
}

static void schedule_batch(size_t n, nap_task_fn run)
{
	struct nap_batch batch = new_batch(n, run);

	expect(n);
	if (nap_schedule_batch(pool, &batch))
		abort();
}

/* A task that schedules itself a few times, then frees itself. */
struct echo {
	struct nap_task task;
	int left;
};

static void echo(struct nap_task *task)
{
	struct echo *e = nap_container_of(task, struct echo, task);

	nap_fetch_add_relaxed(&nr_run, 1);
	if (e->left-- > 0)
		schedule(&e->task);
	else
		free(e);
}

static void flood(struct nap_task *task)
{
	for (int i = 0; i < 300; i++)
		schedule(new_task(count_and_free));
	schedule_batch(300, count_and_free);
	count_and_free(task);
}

static void tree(struct nap_task *task)
{
	struct echo *e = nap_container_of(task, struct echo, task);

	for (int i = 0; e->left > 0 && i < 2; i++) {
		struct echo *child = malloc(sizeof(*child));

		if (!child)
			abort();
		*child = (struct echo){ NAP_TASK_INIT(tree), e->left - 1 };
		schedule(&child->task);
	}
	nap_fetch_add_relaxed(&nr_run, 1);
	free(e);
}

static void wait_for_four(void)
{
	struct nap_group group = NAP_GROUP_INIT(pool);
	struct member four[4];

	nap_group_add(&group, 4);
	for (int i = 0; i < 4; i++) {
		four[i] = (struct member){ NAP_TASK_INIT(member_done), &group, pool, 0 };
		schedule(&four[i].task);
	}
	if (nap_group_wait(&group))
		abort();
}

static void wait_inside(struct nap_task *task)
{
	wait_for_four();
	count_and_free(task);
}

static struct nap_task *echo_task(int left, nap_task_fn run)
{
	struct echo *e = malloc(sizeof(*e));

	if (!e)
		abort();
	*e = (struct echo){ NAP_TASK_INIT(run), left };
	return &e->task;
}

static void *produce(void *arg)
{
	(void)arg;
	for (unsigned long i = 0; i < rounds; i++) {
		schedule(new_task(count_and_free));
		schedule_batch(1 + i % 7, count_and_free);
		schedule(echo_task((int)(i % 10), echo));
		if (i % 16 == 0)
			schedule(new_task(flood));
		if (i % 8 == 0)
			schedule(echo_task(6, tree));
		if (i % 4 == 0)
			schedule(new_task(wait_inside));
		if (i % 32 == 0)
			wait_for_four();
		if (i % 5 == 0)
			nap_pool_help(pool, 3);
	}
	return NULL;
}

FIXTURE(shapes) { struct nap_pool *memory; };
FIXTURE_VARIANT(shapes) { uint32_t workers; };
FIXTURE_VARIANT_ADD(shapes, one) { .workers = 1 };
FIXTURE_VARIANT_ADD(shapes, two) { .workers = 2 };
FIXTURE_VARIANT_ADD(shapes, eight) { .workers = 8 };
FIXTURE_SETUP(shapes)
{
	self->memory = aligned_alloc(64, sizeof(*self->memory));
	ASSERT_NE(self->memory, NULL);
	pool = self->memory;
	ASSERT_EQ(nap_pool_init(pool, &(struct nap_config){ .max_workers = variant->workers }), 0);
}
FIXTURE_TEARDOWN(shapes)
{
	free(self->memory);
}

TEST_F(shapes, all_that_is_scheduled_is_run_once)
{
	struct nap_pool_stats stats;
	pthread_t threads[PRODUCERS];

	rounds = nap_test_count(20000);
	for (int i = 0; i < PRODUCERS; i++)
		pthread_create(&threads[i], NULL, produce, NULL);
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(threads[i], NULL);
	ASSERT_EQ(nap_pool_quiesce(pool), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_run), nap_load_relaxed(&expected));
	nap_pool_get_stats(pool, &stats);
	EXPECT_EQ(stats.workers.run + stats.helped, nr_run);
	if (NAP_RING_START)
		EXPECT_GT(rings_on_the_other_side(), 0);
	TH_LOG("%lu tasks, %lu stolen, %lu overflowed, %lu helped, "
	       "parked %lu times, %lu for nothing",
	       nr_run, (unsigned long)stats.workers.stolen, (unsigned long)stats.workers.overflowed,
	       (unsigned long)stats.helped, (unsigned long)stats.workers.parked,
	       (unsigned long)stats.workers.woken_idle);
	EXPECT_EQ(nap_pool_join(pool, NULL), 0);
}

TEST_HARNESS_MAIN

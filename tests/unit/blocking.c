/* SPDX-License-Identifier: MIT */
/* Blocking sections, and workers that are found to be stuck. */
#include <errno.h>
#include <pthread.h>

#include "os/os.h"
#include "limit_fixture.h"

/* Stays in a blocking section until the task may go. */
static void stay_blocked(struct nap_task *task)
{
	nap_blocking_begin();
	come_in();
	flag_wait(&may_go);
	come_out();
	nap_blocking_end();
	count_and_free(task);
}

TEST_F(under, another_takes_the_place_of_one_that_is_blocked)
{
	begin(_metadata,
	      (struct nap_config){ .max_workers = 1, .most_blocked = 2, .idle = self->idle });
	schedule_n(1, stay_blocked);
	await_inside(1);
	schedule_n(3, pass);
	await_run(3);
	/* No more blocked workers are replaced than the configuration says. */
	schedule_n(4, stay_blocked);
	await_inside(3);
	usleep(2000);
	EXPECT_EQ(nap_load_relaxed(&most_inside), 3);
	EXPECT_EQ(nr_spawned(), 3);
	flag_set(&may_go);
	await_run(8);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	nap_store_relaxed(&most_inside, 0);
	schedule_n(50, pass);
	await_run(58);
	EXPECT_EQ(nap_load_relaxed(&most_inside), 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(starts, 3);
	EXPECT_EQ(stops, 3);
}

TEST_F(under, what_is_queued_already_is_taken_up)
{
	begin(_metadata,
	      (struct nap_config){ .max_workers = 1, .most_blocked = 1, .idle = self->idle });
	schedule_n(1, stay);
	await_inside(1);
	schedule_n(1, stay_blocked);
	schedule_n(1, pass);
	flag_set(&may_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 3);
}

static uint32_t turns;

/* Stays in a blocking section until a second task comes: the two tasks can go on only together. */
static void take_turns(struct nap_task *task)
{
	nap_blocking_begin();
	nap_fetch_add_acq_rel(&turns, 1);
	while (nap_load_acquire(&turns) % 2)
		sched_yield();
	nap_blocking_end();
	count_and_free(task);
}

TEST_F(under, sections_back_to_back_start_nobody_anew)
{
	unsigned long i;

	begin(_metadata,
	      (struct nap_config){ .max_workers = 1, .most_blocked = 1, .idle = self->idle });
	for (i = 0; nap_test_again(i, nap_test_count(500)); i++) {
		schedule_n(2, take_turns);
		await_run(2 * (i + 1));
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 2 * i);
	EXPECT_EQ(starts, 2);
}

static void block_twice(void *unused)
{
	(void)unused;
	nap_blocking_begin();
	nap_blocking_begin();
	nap_blocking_end();
	come_in();
	flag_wait(&may_go);
	nap_blocking_end();
}

static void block_in_function(struct nap_task *task)
{
	nap_blocking(block_twice, NULL);
	go_out(task);
}

TEST_F(under, the_outermost_section_counts)
{
	begin(_metadata,
	      (struct nap_config){ .max_workers = 1, .most_blocked = 3, .idle = self->idle });
	schedule_n(1, block_in_function);
	await_inside(1);
	schedule_n(1, block_in_function);
	await_inside(2);
	EXPECT_EQ(nr_spawned(), 2);
	flag_set(&may_go);
	await_run(2);
	EXPECT_EQ(nap_pool_set_limit(&pool, 0), 1);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_load_relaxed(&pool.blocked), 0);
	EXPECT_EQ(nap_load_relaxed(&pool.limit), 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void block_as_guest(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	nap_blocking_begin();
	nap_store_relaxed(&turns, nap_load_relaxed(&pool.blocked));
	nap_blocking_end();
}

TEST_F(under, elsewhere_nothing_happens)
{
	nap_blocking_begin();
	nap_blocking_end();
	begin(_metadata,
	      (struct nap_config){ .max_workers = 1, .most_blocked = 1, .idle = self->idle });
	turns = 7;
	EXPECT_EQ(nap_call(&pool, block_as_guest, NULL), 0);
	EXPECT_EQ(turns, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	/* By default no blocked worker is replaced. */
	begin(_metadata, (struct nap_config){ .max_workers = 1, .idle = self->idle });
	schedule_n(3, stay_blocked);
	await_inside(1);
	usleep(2000);
	EXPECT_EQ(nap_load_relaxed(&most_inside), 1);
	EXPECT_EQ(nr_spawned(), 1);
	flag_set(&may_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * A worker of @pool runs a task of @other as a guest. The task's blocking section counts in @pool,
 * because it blocks a thread of @pool.
 */
static struct nap_pool other;

static void block_in_other(struct nap_task *task)
{
	nap_blocking_begin();
	come_in();
	flag_wait(&may_go);
	nap_blocking_end();
	go_out(task);
}

static void help_other(struct nap_task *task)
{
	if (nap_pool_help(&other, 1) != 1)
		abort();
	count_and_free(task);
}

static uint32_t is_busy, busy_may_end;

static void keep_busy(struct nap_task *task)
{
	flag_set(&is_busy);
	flag_wait(&busy_may_end);
	count_and_free(task);
}

TEST_F(under, a_guest_is_blocked_where_its_thread_is_from)
{
	struct nap_config config = { .max_workers = 1, .most_blocked = 1, .idle = self->idle };

	begin(_metadata, config);
	ASSERT_EQ(nap_pool_init(&other, &config), 0);
	ASSERT_EQ(nap_schedule(&other, new_task(keep_busy)), 0);
	flag_wait(&is_busy);
	ASSERT_EQ(nap_schedule(&other, new_task(block_in_other)), 0);
	schedule_n(1, help_other);
	await_inside(1);
	schedule_n(1, count_and_free);
	await_run(1);
	EXPECT_EQ(nap_load_relaxed(&pool.blocked), 1);
	EXPECT_EQ(nap_load_relaxed(&other.blocked), 0);
	flag_set(&may_go);
	flag_set(&busy_may_end);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_F(under, a_pool_ends_beside_blocked_ones)
{
	for (unsigned long i = 0; nap_test_again(i, nap_test_count(100)); i++) {
		struct nap_batch left;

		begin(_metadata, (struct nap_config){ .max_workers = 1, .most_blocked = 2,
						      .idle = self->idle });
		nr_run = 0;
		may_go = 0;
		schedule_n(4, stay_blocked);
		if (i % 2)
			await_inside(3);
		EXPECT_EQ(nap_pool_shutdown(&pool, i % 3 ? NAP_DRAIN : NAP_STOP), 0);
		flag_set(&may_go);
		EXPECT_EQ(nap_pool_join(&pool, &left), 0);
		EXPECT_EQ(nr_run + free_batch(&left), 4);
		EXPECT_EQ(starts, stops);
		watchdog_forget(&pool);
	}
}

static uint32_t end_changing;

static void *change_limit(void *unused)
{
	(void)unused;
	for (uint32_t limit = 1; !nap_load_relaxed(&end_changing); limit = limit % 3 + 1)
		if (nap_pool_set_limit(&pool, limit) < 0)
			abort();
	return NULL;
}

static void block_shortly(struct nap_task *task)
{
	nap_blocking_begin();
	come_in();
	sched_yield();
	nap_blocking_end();
	go_out(task);
}

TEST_F(under, sections_against_a_limit_that_changes)
{
	unsigned long n = 0;
	pthread_t thread;

	begin(_metadata, (struct nap_config){ .max_workers = 2, .most_workers = 3,
					      .most_blocked = 2, .idle_timeout_ns = 1000000,
					      .idle = self->idle });
	ASSERT_EQ(pthread_create(&thread, NULL, change_limit, NULL), 0);
	for (unsigned long i = 0; nap_test_again(i, nap_test_count(300)); i++) {
		schedule_n(10, block_shortly);
		n += 10;
		if (i % 3 == 0)
			await_run(n);
		EXPECT_LE(nr_spawned(), 5);
	}
	nap_store_relaxed(&end_changing, 1);
	pthread_join(thread, NULL);
	await_run(n);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_load_relaxed(&pool.blocked), 0);
	EXPECT_EQ(nap_load_relaxed(&pool.limit), nap_load_relaxed(&pool.base));
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_LE(nap_load_relaxed(&most_inside), 5);
	EXPECT_EQ(starts, stops);
}

TEST_HARNESS_MAIN

/* SPDX-License-Identifier: MIT */
/*
 * nap_submit_wait() on workers: they run queued functions as long as their stacks have room. If all
 * workers wait for slots while their own functions hold all slots, one of them gets -EDEADLK.
 */
#include <errno.h>
#include <unistd.h>

#include "sync/event.h"
#include "worker/nest.h"
#include "worker/registry.h"
#include "pool_fixture.h"
#include "watchdog.h"

#define SLOTS	64u
#define FRAME	8192	/* for each function: half of the stack has room for a few functions */

static struct nap_pool pool, other_pool;
static struct nap_slot slots[SLOTS];
static struct nap_submitter submit;
static uint32_t nr_ended, nr_deadlocks, nr_behind, all_are_taken;

static void begin(struct nap_pool *p, uint32_t workers)
{
	watchdog(p, 0);
	if (nap_pool_init(p,
			  &(struct nap_config){ .max_workers = workers, .stack_size = 192 << 10 }))
		abort();
}

static void begin_slots(uint32_t workers, uint32_t count)
{
	begin(&pool, workers);
	nr_ended = nr_deadlocks = nr_behind = all_are_taken = 0;
	if (nap_submit_init(&submit, &pool, slots, count, 0, 0, NULL, NULL))
		abort();
}

static void behind(void *arg)
{
	(void)arg;
	nap_fetch_add_release(&nr_behind, 1);
}

/* Holds a slot, and waits for another one. */
static void want_another(void *arg)
{
	char frame[FRAME];
	int err;

	__asm__ volatile("" : : "r"(frame) : "memory");
	flag_wait(&all_are_taken);
	err = nap_submit_wait(&submit, behind, arg, NAP_FOREVER);
	if (err && err != -EDEADLK)
		abort();
	nap_fetch_add_relaxed(&nr_deadlocks, err == -EDEADLK);
	nap_fetch_add_release(&nr_ended, 1);
}

/*
 * Fills all slots with functions that wait for another slot: a waiter that gets the error gives its
 * slot back, and the other waiters go on.
 */
static void wait_for_oneself(struct __test_metadata *_metadata, uint32_t workers, uint32_t count)
{
	begin_slots(workers, count);
	for (uint32_t i = 0; i < count; i++)
		EXPECT_EQ(nap_submit(&submit, want_another, NULL), 0);
	flag_set(&all_are_taken);
	while (nap_load_acquire(&nr_ended) < count)
		usleep(1000);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_behind + nr_deadlocks, count);
	EXPECT_EQ((uint32_t)submit.stuck, 0u);
	EXPECT_EQ(pool.at_nest_limit, 0u);
}

TEST(a_function_that_waits_for_its_own_slot_is_told)
{
	wait_for_oneself(_metadata, 1, 1);
	EXPECT_EQ(nr_deadlocks, 1u);
}

TEST(also_where_other_workers_rest)
{
	wait_for_oneself(_metadata, 3, 1);
	EXPECT_EQ(nr_deadlocks, 1u);
}

TEST(of_several_who_wait_for_each_other_one_is_told)
{
	wait_for_oneself(_metadata, 2, 2);
	EXPECT_EQ(nr_deadlocks, 1u);
}

/* Queued functions hold the slots, and the only worker has no room to run more of them. */
TEST(a_worker_that_is_deep_is_told)
{
	wait_for_oneself(_metadata, 1, SLOTS);
	EXPECT_GE(nr_deadlocks, 1u);
}

/* A thread that waits for the pool runs what a worker at the nesting limit cannot run. */
TEST(who_waits_outside_runs_what_deep_workers_cannot)
{
	begin_slots(1, SLOTS);
	for (uint32_t i = 0; i < SLOTS; i++)
		EXPECT_EQ(nap_submit(&submit, want_another, NULL), 0);
	flag_set(&all_are_taken);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_ended, SLOTS);
	EXPECT_EQ(nr_behind + nr_deadlocks, SLOTS);
}

/*
 * Waits for another slot with a deadline: the wait lasts until the deadline, and there is no
 * -EDEADLK.
 */
static void want_another_for_a_time(void *arg)
{
	int err = nap_submit_wait(&submit, behind, arg, 300 * (uint64_t)1000000);

	nap_fetch_add_relaxed(&nr_deadlocks, err == -ETIMEDOUT);
	nap_fetch_add_release(&nr_ended, 1);
}

TEST(a_wait_with_an_end_ends_by_it)
{
	begin_slots(1, 1);
	EXPECT_EQ(nap_submit(&submit, want_another_for_a_time, NULL), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_TRUE(nr_ended == 1 && nr_deadlocks == 1 && nr_behind == 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A stop of the pool ends the wait of a worker for a slot. */
static int waited;

static void want_until_stopped(void *arg)
{
	waited = nap_submit_wait(&submit, behind, arg, 3600 * (uint64_t)1000000000);
}

TEST(a_stop_ends_it)
{
	begin_slots(1, 1);
	EXPECT_EQ(nap_submit(&submit, want_until_stopped, NULL), 0);
	/* The worker sleeps, listed as a waiter. */
	while (!nap_load_relaxed(&submit.waiters) ||
	       !(nap_load_relaxed(&registry_first(&pool)->event) & EVENT_PARKED))
		usleep(1000);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(waited, -ESHUTDOWN);
}

/*
 * The only worker of one pool waits for a slot of another pool. This slot becomes free when a task
 * of the first pool has run.
 */
static struct blocker in_slot = BLOCKER_INIT;

static void stay(void *arg)
{
	(void)arg;
	block(&in_slot.task);
}

static void want_of_other(struct nap_task *task)
{
	(void)task;
	if (nap_submit_wait(&submit, behind, NULL, NAP_FOREVER))
		abort();
}

static void let_go(struct nap_task *task)
{
	(void)task;
	flag_set(&in_slot.let_go);
}

TEST(a_worker_of_another_pool_goes_on_with_its_own)
{
	struct nap_task wants = NAP_TASK_INIT(want_of_other), lets_go = NAP_TASK_INIT(let_go);

	begin_slots(1, 1);
	begin(&other_pool, 1);
	EXPECT_EQ(nap_submit(&submit, stay, NULL), 0);
	flag_wait(&in_slot.running);
	EXPECT_EQ(nap_schedule(&other_pool, &wants), 0);
	while (!nap_load_relaxed(&submit.waiters))
		usleep(1000);
	EXPECT_EQ(nap_schedule(&other_pool, &lets_go), 0);
	EXPECT_EQ(nap_pool_join(&other_pool, NULL), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_behind, 1u);
}

/*
 * The pool has no worker, and a worker of another pool waits for a slot. A queued function has the
 * slot.
 */
static int wanted;

static void want_only(struct nap_task *task)
{
	(void)task;
	wanted = nap_submit_wait_only(&submit, behind, NULL, NAP_FOREVER);
}

static void want_and_run(struct nap_task *task)
{
	(void)task;
	wanted = nap_submit_wait(&submit, behind, NULL, NAP_FOREVER);
}

static void begin_without_workers(void)
{
	const struct nap_config config = { .flags = NAP_NO_WORKERS };

	begin_slots(1, 1);
	if (nap_pool_init(&pool, &config) || nap_submit(&submit, behind, NULL))
		abort();
	if (nap_pool_init(&other_pool, &(struct nap_config){ .max_workers = 1 }))
		abort();
	watchdog(&other_pool, 0);
}

TEST(a_worker_of_another_pool_that_only_waits_runs_what_nobody_else_would)
{
	struct nap_task wants = NAP_TASK_INIT(want_only);

	begin_without_workers();
	EXPECT_EQ(nap_schedule(&other_pool, &wants), 0);
	EXPECT_EQ(nap_pool_join(&other_pool, NULL), 0);
	EXPECT_EQ(wanted, 0);
	EXPECT_EQ(nr_behind, 1u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_behind, 2u);
}

/* As if more than half of the stack were used: the worker may not run another task in its wait. */
static void want_deep(struct nap_task *task)
{
	uintptr_t before = nesting_off();

	want_and_run(task);
	nesting_back(before);
}

static void want_only_deep(struct nap_task *task)
{
	uintptr_t before = nesting_off();

	want_only(task);
	nesting_back(before);
}

static void one_without_room(struct __test_metadata *_metadata, nap_task_fn run)
{
	struct nap_task wants = NAP_TASK_INIT(run);

	begin_without_workers();
	EXPECT_EQ(nap_schedule(&other_pool, &wants), 0);
	EXPECT_EQ(nap_pool_join(&other_pool, NULL), 0);
	EXPECT_EQ(wanted, -EDEADLK);
	EXPECT_EQ(nr_behind, 0u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_behind, 1u);
}

TEST(one_that_has_no_room_to_run_it_is_told)
{
	one_without_room(_metadata, want_deep);
}

TEST(also_if_it_only_waits)
{
	one_without_room(_metadata, want_only_deep);
}

TEST_HARNESS_MAIN

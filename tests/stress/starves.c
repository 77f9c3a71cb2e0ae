/* SPDX-License-Identifier: MIT */
/*
 * Nothing starves. Worker A waits inside a task; what it waits for, tasks or a job, is in its own
 * queues. Worker B has a task that reschedules itself for ever. B would search if its queues were
 * empty, but they never are. The test counts how many dequeues B makes until it takes from A all
 * the same (NAP_FAIR_DEQUEUES).
 */
#include "pool_fixture.h"
#include "under.h"
#include "watchdog.h"

enum { FLOOD = 2 * NAP_RING_SIZE };

static struct nap_pool pool;
static unsigned long spins, queued_at, last_at;
static uint32_t a_begun, spins_begun, end;
static struct nap_task waiter, spinner, flood[FLOOD];
static unsigned int how_many;
static bool is_job;

FIXTURE_SETUP(under)
{
	struct nap_config config = { .max_workers = 2, .idle = variant->idle };

	self->idle = variant->idle;
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	watchdog(&pool, 0);
}

static void spin(struct nap_task *task)
{
	nap_store_relaxed(&spins, spins + 1);
	flag_set(&spins_begun);
	if (!nap_load_acquire(&end) && nap_schedule(&pool, task))
		abort();
}

/* Runs on worker B, between two runs of B's own task. */
static void note(struct nap_task *task)
{
	(void)task;
	nap_store_relaxed(&last_at, nap_load_relaxed(&spins));
	nap_fetch_add_release(&nr_run, 1);
}

static void note_job(struct nap_worker *worker, struct nap_frame *top, void *unused)
{
	(void)worker;
	(void)top;
	(void)unused;
	note(NULL);
}

NAP_JOB_VOID(note_job, void *)

/* The task of worker A. It waits for tasks, or for a job, that only worker B can run. */
static void wait_for_others(struct nap_task *task)
{
	struct nap_worker *worker = nap_worker_self();
	struct nap_frame *top = nap_top(worker);

	(void)task;
	flag_set(&a_begun);
	flag_wait(&spins_begun);
	if (is_job)
		note_job_fork(worker, top, NULL);
	else
		for (unsigned int i = 0; i < how_many; i++)
			if (nap_schedule(&pool, &flood[i]))
				abort();
	queued_at = nap_load_relaxed(&spins);
	while (nap_load_acquire(&nr_run) < how_many)
		sched_yield();
	flag_set(&end);
	if (is_job && nap_join(worker, top))
		abort();
}

/* Schedules both tasks. Worker A is inside its task before B's task is scheduled. */
static void run_both(struct __test_metadata *_metadata)
{
	unsigned long bound = NAP_FAIR_DEQUEUES * 3ul * 2 * how_many, after;

	for (int i = 0; i < FLOOD; i++)
		nap_task_init(&flood[i], note);
	nap_task_init(&waiter, wait_for_others);
	nap_task_init(&spinner, spin);
	ASSERT_EQ(nap_schedule(&pool, &waiter), 0);
	flag_wait(&a_begun);
	ASSERT_EQ(nap_schedule(&pool, &spinner), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, how_many);
	after = last_at > queued_at ? last_at - queued_at : 0;
	EXPECT_LE(after, bound);
	TH_LOG("%u run after %lu dequeues (bound: %lu)", how_many, after, bound);
}

TEST_F(under, beside_a_task_in_a_ring)
{
	how_many = 1;
	run_both(_metadata);
}

TEST_F(under, beside_a_full_ring_and_an_overflow)
{
	how_many = FLOOD;
	run_both(_metadata);
}

TEST_F(under, beside_a_job)
{
	how_many = 1;
	is_job = true;
	run_both(_metadata);
}

TEST_HARNESS_MAIN

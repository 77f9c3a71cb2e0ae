/* SPDX-License-Identifier: MIT */
/*
 * A pool has two workers. A task that schedules itself again and again runs on one of them; the
 * other dozes (sleeps for a bounded time, src/idle/doze.h), or steals this task. The task runs as
 * often as it was scheduled. When the task takes long, and a second task is alone in the ring of
 * its worker, the other worker takes the second task. unit/doze tests when a worker dozes, and when
 * a doze ends. How often the other worker sleeps and steals depends on the machine: these numbers
 * are only printed.
 */
#include "arch/syscall.h"
#include "late.h"
#include "pool_fixture.h"
#include "under.h"
#include "watchdog.h"

/* linux/prctl.h */
#define PR_GET_TIMERSLACK_	30

static struct nap_pool pool;
static struct nap_task hopper, lone;
static unsigned long hops, after;
static uint32_t lone_ran;
static long slack;

FIXTURE_SETUP(under)
{
	struct nap_config config = { .max_workers = 2, .idle = variant->idle };

	self->idle = variant->idle;
	watchdog(&pool, 0);
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
}

static void run_lone(struct nap_task *task)
{
	(void)task;
	/* The worker that has dozed must have its old timer slack again. */
	slack = nap__syscall1(NAP__NR_prctl, PR_GET_TIMERSLACK_);
	flag_set(&lone_ran);
}

static void hop(struct nap_task *task)
{
	if (--hops) {
		nap_schedule(&pool, task);
	} else if (after) {
		hops = after;
		nap_schedule(&pool, &lone);
		/* A long callback: it lasts until another worker has run @lone. */
		flag_wait(&lone_ran);
		lone_ran = 0;
		after = 0;
		nap_schedule(&pool, task);
	}
}

static void hop_for(struct __test_metadata *_metadata, unsigned long n, unsigned long then)
{
	hops = n;
	after = then;
	nap_task_init(&hopper, hop);
	nap_task_init(&lone, run_lone);
	ASSERT_EQ(nap_schedule(&pool, &hopper), 0);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
}

TEST_F(under, a_lone_task_is_not_left_beside_a_long_one)
{
	long usual = nap__syscall1(NAP__NR_prctl, PR_GET_TIMERSLACK_);

	for (unsigned long i = 0; nap_test_again(i, 200); i++) {
		hop_for(_metadata, 1 + i * i % 5000, 1 + i % 100);
		ASSERT_EQ(slack, usual);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_F(under, a_task_that_goes_on_runs_as_often_as_it_is_scheduled)
{
	unsigned long n = nap_test_count(1000000);
	struct nap_pool_stats stats;

	hop_for(_metadata, n, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	nap_pool_get_stats(&pool, &stats);
	TH_LOG("of %lu hops %lu were stolen, %lu times somebody parked, %lu times dozed", n,
	       (unsigned long)stats.workers.stolen, (unsigned long)stats.workers.parked,
	       (unsigned long)stats.workers.dozed);
	EXPECT_EQ(stats.workers.run, n);
}

TEST_HARNESS_MAIN

/* SPDX-License-Identifier: MIT */
/*
 * Very many workers on few processors: the end of the pool reaches every worker, which may be idle,
 * blocked in a task, in a wait, or not quite started.
 */
#include "os/os.h"
#include "worker/phase.h"
#include "idle_words.h"

#include "fault/crowd.h"
#include "wrap.h"

/* ---- a shutdown while the workers are in all kinds of places */

static struct nap_group crowd_waits_for;
static unsigned long waits_over, canceled;
static uint32_t blocked, unblock;

static void be_blocked(struct nap_task *task)
{
	nap_fetch_add_release(&blocked, 1);
	while (!nap_load_acquire(&unblock))
		nap__futex_wait(&unblock, 0, UINT64_MAX);
	count_run(task);
}

static void be_waiting(struct nap_task *task)
{
	int err;

	nap_fetch_add_release(&blocked, 1);
	err = nap_group_wait(&crowd_waits_for);
	if (err == 0)
		nap_fetch_add_relaxed(&waits_over, 1);
	else if (err == -ECANCELED)
		nap_fetch_add_relaxed(&canceled, 1);
	count_run(task);
}

static void await_blocked(uint32_t n)
{
	while (nap_load_acquire(&blocked) < n)
		usleep(1000);
}

static void unblock_all(void)
{
	nap_store_release(&unblock, 1);
	nap__futex_wake(&unblock, UINT32_MAX >> 1);
}

/*
 * Called when the pool drains. A drain waits for the tasks, so this function ends what the tasks
 * wait for. A stop ends their waits itself.
 */
static void let_drain_go(void)
{
	unblock_all();
	nap_group_done(&crowd_waits_for);
}

static void let_stop_go(void)
{
	unblock_all();
}

TEST_F(crowd, the_end_finds_all_of_them)
{
	uint32_t n = self->workers, part = n / 3;
	struct nap_task *tasks = calloc(2 * part, sizeof(*tasks));

	ASSERT_NE(tasks, NULL);
	begin_pool(_metadata, n);
	nap_group_init(&crowd_waits_for, &pool);
	nap_group_add(&crowd_waits_for, 1);
	ASSERT_EQ(nap_pool_prewarm(&pool, n), 0);
	expect_all_idle(_metadata, n);
	for (uint32_t i = 0; i < 2 * part; i++) {
		nap_task_init(&tasks[i], i < part ? be_blocked : be_waiting);
		put_task(&tasks[i]);
		if (i == part - 1)
			await_blocked(part);
	}
	await_blocked(2 * part);
	end_pool(_metadata, variant->mode, variant->mode == NAP_STOP ? let_stop_go : let_drain_go);
	expect_all_gone(_metadata);
	EXPECT_EQ(stopped, n);
	EXPECT_EQ(waits_over, variant->mode == NAP_DRAIN ? part : 0);
	EXPECT_EQ(canceled, variant->mode == NAP_STOP ? part : 0);
	free(tasks);
	fault_report("a crowd idle, blocked and waiting at the end", 2 * part, scheduled, nr_run);
}

/* ---- a shutdown while the workers start */

#define NEVER UINT32_MAX

/*
 * The first @hold_at starts go on. The next one is held up until the shutdown has begun. So the
 * shutdown comes in the middle of the starts, whichever thread is faster.
 */
static uint32_t hold_at = NEVER, nr_starts;
static unsigned long held;

static bool shutdown_seen(void)
{
	return pool_phase(&pool) == PHASE_DRAIN || idle_words(&pool)->ended(&pool);
}

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	if (nap_fetch_add_relaxed(&nr_starts, 1) == hold_at) {
		while (!shutdown_seen())
			sched_yield();
		held++;
	}
	return __real_nap__os_thread_start(worker, stack_size);
}

static void *start_all(void *result)
{
	*(int *)result = nap_pool_prewarm(&pool, NAP_MAX_WORKERS);
	return NULL;
}

/* Ends a pool after @hold_at starts of its prewarm; returns what the prewarm returned. */
static int end_amid_starts(struct __test_metadata *_metadata, uint32_t workers,
			   enum nap_shutdown mode)
{
	pthread_t thread;
	int err = 1;

	nr_starts = 0;
	begin_pool(_metadata, workers);
	ASSERT_EQ(pthread_create(&thread, NULL, start_all, &err), 0);
	while (hold_at != NEVER && nap_load_relaxed(&nr_starts) <= hold_at)
		sched_yield();
	end_pool(_metadata, mode, NULL);
	pthread_join(thread, NULL);
	expect_all_gone(_metadata);
	return err;
}

/*
 * The shutdown comes during a start of the prewarm. After this start a stop ends the prewarm, and a
 * drain does not. The first pool has no @hold_at: its shutdown may come first, and the prewarm is
 * then refused as a whole.
 */
TEST_F(crowd, the_end_comes_while_they_start)
{
	unsigned long lives = nap_test_count(9), cut_short = 0;
	unsigned long all_started = 0, all_stopped = 0;

	int err = end_amid_starts(_metadata, self->workers, variant->mode);

	ASSERT_TRUE(err == 0 || err == -ESHUTDOWN);
	for (unsigned long life = 0; life < lives; life++) {
		hold_at = (uint32_t)(self->workers * (life + 1) / (lives + 1));
		if (end_amid_starts(_metadata, self->workers, variant->mode) == -ESHUTDOWN)
			cut_short++;
		ASSERT_EQ(started, variant->mode == NAP_STOP ? hold_at + 1 : self->workers);
		all_started += started;
		all_stopped += stopped;
	}
	EXPECT_EQ(held, lives);
	EXPECT_EQ(cut_short, variant->mode == NAP_STOP ? lives : 0);
	TH_LOG("%lu lives, %lu of them cut short, %lu workers started", lives, cut_short,
	       all_started);
	fault_report("a crowd ended while it starts", held, all_started, all_stopped);
}

TEST_HARNESS_MAIN

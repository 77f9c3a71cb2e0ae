/* SPDX-License-Identifier: MIT */
/*
 * Calls that tell a detector where nap's own code begins and ends. tests/detected.c, which is
 * linked to this program, aborts if a call does not. Other programs are linked to it, too (DETECTED
 * in tests/tests.mk); here are calls that those do not make.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

#include <nap/async.h>
#include <nap/trace.h>

#include "async/async.h"
#include "async/fiber/waiters.h"
#include "os/happens.h"
#include "sync/lock.h"
#include "sync/waitlist.h"
#include "given.h"
#include "pool_fixture.h"
#include "watchdog.h"
#include "wrap.h"

static struct nap_pool pool;

static void begin_or_stop(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
}

static void begin(uint32_t max_workers)
{
	struct nap_config config = { .max_workers = max_workers, .most_blocked = 1,
				     .worker_start = begin_or_stop, .worker_stop = begin_or_stop };

	watchdog(&pool, 0);
	if (nap_pool_init(&pool, &config) || nap_pool_prewarm(&pool, 1))
		abort();
}

static bool aborts(bool first, bool second)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		close(2);
		(first ? unseen_begin : unseen_end)();
		(second ? unseen_begin : unseen_end)();
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST(a_call_that_begins_or_ends_twice_aborts)
{
	EXPECT_FALSE(aborts(true, false));
	EXPECT_TRUE(aborts(true, true));
	EXPECT_TRUE(aborts(false, true));
}

static void count_call(struct nap_worker *worker, void *calls)
{
	(void)worker;
	nap_fetch_add_relaxed((uint32_t *)calls, 1);
}

TEST(workers_are_steered_and_told)
{
	uint32_t calls = 0;
	int n;

	begin(0);
	EXPECT_TRUE(nap__detected);
	EXPECT_EQ(nap_pool_set_limit(&pool, 1), 1);
	EXPECT_EQ(nap_pool_set_idle(&pool, 0, NAP_FOREVER), 0);
	EXPECT_GE(nap_pool_reread(&pool), 1);
	n = nap_broadcast(&pool, count_call, &calls);
	EXPECT_GE(n, 0);
	EXPECT_EQ(nap_load_relaxed(&calls), (uint32_t)n);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	begin(1);
	EXPECT_EQ(nap_pool_reread(&pool), 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_reread(&pool), -ESHUTDOWN);
	EXPECT_EQ(nap_pool_set_limit(&pool, 1), -ESHUTDOWN);
}

static uint32_t told, is_held;

static void tell(uint32_t worker, uint64_t ns, void *unused)
{
	(void)worker;
	(void)ns;
	(void)unused;
	nap_fetch_add_relaxed(&told, 1);
}

static void block_until_told(struct nap_task *task)
{
	nap_blocking_begin();
	nap_blocking_end();
	nap_store_relaxed(&is_held, 1);
	while (!nap_load_relaxed(&told))
		usleep(100);
	count_and_free(task);
}

TEST(a_worker_blocks_and_is_stuck)
{
	const struct nap_stuck look = { .stuck_ns = 1, .stuck = tell };

	begin(1);
	ASSERT_EQ(nap_schedule(&pool, new_task(block_until_told)), 0);
	while (nap_pool_check_stuck(&pool, &look) != 1)
		usleep(100);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(told, 1);
}

TEST(a_loop_takes_tasks_out)
{
	struct nap_batch all = NAP_BATCH_INIT;
	struct nap_cq cq;

	ASSERT_EQ(nap_cq_init(&cq), 0);
	ASSERT_EQ(nap_cq_push(&cq, new_task(count_and_free)), 0);
	EXPECT_EQ(nap_cq_depth(&cq), 1);
	EXPECT_EQ(nap_cq_pop_all(&cq, &all), 1);
	EXPECT_EQ(free_batch(&all), 1);
	EXPECT_EQ(nap_cq_close(&cq, &all), 0);
}

static int ended;

static void end_is_told(struct nap_task *task)
{
	(void)task;
	ended++;
}

/* An end that is listed, and one that comes when the pool has ended already. */
TEST(ends_are_pushed)
{
	struct nap_end ends[2];
	struct nap_cq cq;

	begin(1);
	ASSERT_EQ(nap_cq_init(&cq), 0);
	for (int i = 0; i < 2; i++) {
		nap_end_init(&ends[i], end_is_told, &cq);
		ASSERT_EQ(nap_pool_notify_end(&pool, &ends[i]), 0);
		ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), i ? -EALREADY : 0);
		while (ended == i)
			nap_cq_run(&cq, 0);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_cq_close(&cq, &(struct nap_batch)NAP_BATCH_INIT), 0);
}

TEST(serial_queues_end)
{
	struct nap_serial with, without;

	begin(1);
	ASSERT_EQ(nap_serial_init(&with, &pool), 0);
	ASSERT_EQ(nap_serial_init(&without, &pool), 0);
	EXPECT_EQ(nap_serial_end(&with, new_task(count_and_free)), 0);
	EXPECT_EQ(nap_serial_end(&without, NULL), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_trace_is_written)
{
	int to = open("/dev/null", O_WRONLY | O_CLOEXEC);

	begin(1);
	ASSERT_EQ(nap_trace_begin(&pool, NULL), 0);
	EXPECT_EQ(nap_trace_write(&pool, to), 0);
	EXPECT_EQ(nap_trace_end(&pool), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_trace_end(&pool), -ESHUTDOWN);
	close(to);
}

static int report(size_t done, size_t total, void *reports)
{
	(void)done;
	(void)total;
	nap_fetch_add_relaxed((uint32_t *)reports, 1);
	return 0;
}

static int nothing(size_t begin, size_t end, void *unused)
{
	(void)begin;
	(void)end;
	(void)unused;
	return 0;
}

TEST(a_loop_reports_and_owns)
{
	struct nap_owners owners = { { 0 } };
	uint32_t reports = 0;
	struct nap_loop reported = { .grain = 1, .progress = report, .progress_arg = &reports };
	struct nap_loop owned = { .grain = 1, .owners = &owners, .timeout_ns = NAP_FOREVER };

	begin(1);
	EXPECT_EQ(nap_for_as(&pool, &reported, 0, 4, nothing, NULL), 0);
	EXPECT_GE(reports, 1);
	EXPECT_EQ(nap_for_as(&pool, &owned, 0, 4, nothing, NULL), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static int add(size_t begin, size_t end, void *value, void *unused)
{
	(void)unused;
	*(size_t *)value += end - begin;
	return 0;
}

static void merge(void *value, const void *right, void *unused)
{
	(void)unused;
	*(size_t *)value += *(const size_t *)right;
}

TEST(a_caller_scans_alone)
{
	const struct nap_reduction sum = { sizeof(size_t), add, merge, NULL };
	size_t n = 0;

	begin(1);
	EXPECT_EQ(nap_scan(&pool, NULL, 0, 4, &sum, add, &n, NULL), 0);
	EXPECT_EQ(n, 4);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void begin_scope(struct nap_worker *worker, void *err)
{
	struct nap_scope scope;

	(void)worker;
	*(int *)err = nap_scope_begin(&scope, &pool);
}

static intptr_t wait_for(void *group)
{
	return nap_group_wait(group);
}

static int nr_unbegun;

static void count_unbegun(nap_fiber_fn fn, void *arg)
{
	(void)fn;
	(void)arg;
	nr_unbegun++;
}

/* One fiber waits, and another one, whose worker is kept busy, never begins. */
TEST(fibers_are_stopped_and_refused)
{
	const struct nap_fibers_config config = { .unbegun = count_unbegun };
	struct nap_group never = NAP_GROUP_INIT(NULL);
	int err = 0;

	begin(1);
	EXPECT_EQ(nap_call(&pool, begin_scope, &err), 0);
	EXPECT_EQ(err, -EDEADLK);
	ASSERT_EQ(nap_fibers_init(&pool, &config), 0);
	nap_group_add(&never, 1);
	ASSERT_EQ(nap_spawn(&pool, NULL, wait_for, &never), 0);
	ASSERT_EQ(nap_schedule(&pool, new_task(block_until_told)), 0);
	ASSERT_EQ(nap_spawn(&pool, NULL, wait_for, &never), 0);
	EXPECT_EQ(nap_io_forget(&pool, 0), 0);
	while (!nap_load_relaxed(&is_held))
		usleep(100);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	nap_store_relaxed(&told, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_unbegun, 1);
	EXPECT_EQ(nap_io_forget(&pool, 0), -ESHUTDOWN);
}

/* ---- what a wait has used of the caller's memory is given back */

static struct nap_sem sem = NAP_SEM_INIT(0);
static struct nap_channel channels[2];
static struct nap_select_case cases[2];
static struct nap_group group = NAP_GROUP_INIT(NULL);

static intptr_t acquire(void *unused)
{
	(void)unused;
	return nap_sem_acquire(&sem);
}

static intptr_t acquire_in_time(void *unused)
{
	(void)unused;
	return nap_sem_acquire_for(&sem, NAP_FOREVER / 2);
}

static intptr_t select_one(void *unused)
{
	for (int i = 0; i < 2; i++)
		cases[i] = (struct nap_select_case){ .channel = &channels[i] };
	return (intptr_t)unused + (nap_select(cases, 2) == 1 ? 0 : 1);
}

static void *in_thread(void *wait)
{
	return (void *)(*(nap_fiber_fn *)wait)(NULL);
}

/* Returns the first waiter in @list, when there is one. */
static struct nap__fiber_waiter *first_in(struct nap__waiters *list, uint32_t *lock)
{
	struct nap__fiber_waiter *first;

	do {
		usleep(100);
		word_take(lock);
		first = list->first;
		word_give(lock, 0, 0);
	} while (!first);
	return first;
}

static bool sleeper_was_given(struct nap__fiber_wait *wait)
{
	return was_given(nap_container_of(wait, struct nap__sleeper, own),
			 sizeof(struct nap__sleeper));
}

TEST(a_thread_has_its_memory_back)
{
	struct nap__fiber_waiter *waiter;
	struct nap__fiber_wait *wait;
	nap_fiber_fn fn = acquire;
	pthread_t thread;
	void *failed;

	watchdog(&pool, 0);
	ASSERT_EQ(pthread_create(&thread, NULL, in_thread, &fn), 0);
	waiter = first_in(&sem.waiters, &sem.state);
	wait = waiter->wait;
	nap_sem_release(&sem, 1);
	ASSERT_EQ(pthread_join(thread, &failed), 0);
	EXPECT_EQ(failed, NULL);
	EXPECT_TRUE(was_given(waiter, sizeof(*waiter)));
	EXPECT_TRUE(sleeper_was_given(wait));
	forget_given();
	fn = select_one;
	ASSERT_EQ(pthread_create(&thread, NULL, in_thread, &fn), 0);
	first_in(&channels[0].receivers, &channels[0].lock);
	wait = first_in(&channels[1].receivers, &channels[1].lock)->wait;
	ASSERT_EQ(nap_channel_send(&channels[1], NULL), 0);
	ASSERT_EQ(pthread_join(thread, &failed), 0);
	EXPECT_EQ(failed, NULL);
	EXPECT_TRUE(was_given(cases, sizeof(cases)));
	EXPECT_TRUE(sleeper_was_given(wait));
}

static struct nap__timer_node *first_timer(void)
{
	struct nap__timers *timers = &pool_async(&pool)->timers;
	struct nap__timer_node *node;

	lock_take(&timers->lock);
	node = timers->sleeps.root;
	lock_give(&timers->lock);
	return node;
}

TEST(a_fiber_has_its_memory_back)
{
	struct nap__listener *listener;
	struct nap__timer_node *node;
	struct nap_fiber *fiber;
	intptr_t err;

	begin(1);
	ASSERT_EQ(nap_spawn(&pool, &fiber, acquire_in_time, NULL), 0);
	first_in(&sem.waiters, &sem.state);
	while (!(node = first_timer()))
		usleep(100);
	nap_sem_release(&sem, 1);
	ASSERT_EQ(nap_await(fiber, &err), 0);
	EXPECT_EQ(err, 0);
	EXPECT_TRUE(was_given(node, sizeof(*node)));
	nap_group_add(&group, 1);
	ASSERT_EQ(nap_spawn(&pool, &fiber, wait_for, &group), 0);
	while (!(listener = (void *)nap_load_acquire(&group.waiters)))
		usleep(100);
	ASSERT_EQ(nap_group_done(&group), 0);
	ASSERT_EQ(nap_await(fiber, &err), 0);
	EXPECT_EQ(err, 0);
	EXPECT_TRUE(was_given(listener, sizeof(*listener)));
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN

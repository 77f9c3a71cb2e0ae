/* SPDX-License-Identifier: MIT */
/* Makes every call, allowed or not, at every place where a callback of the program runs. */
#include <errno.h>

#include "os/os.h"
#include "fault/odd.h"
#include "wrap.h"

/* While the flag is set no thread can be started. */
static bool no_threads;
WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	return no_threads ? -EAGAIN : __real_nap__os_thread_start(worker, stack_size);
}

enum { AS_WORKER = 1, AS_GUEST = 2 };

/* The line of the first call with a wrong result; the number of calls. */
static uint32_t wrong_line, nr_calls;

#define SAYS(call, stated) \
	do { \
		nap_fetch_add_relaxed(&nr_calls, 1); \
		if ((call) != (stated)) \
			nap_cmpxchg_relaxed(&wrong_line, 0, __LINE__); \
	} while (0)

static void call_counters(bool joined)
{
	struct nap_pool_stats stats;
	struct nap_worker_stats worker_stats;
	int err = nap_worker_get_stats(&pool, 0, &worker_stats);

	SAYS(nap_pool_get_stats(&pool, &stats), 0);
	SAYS(err, joined ? -ESHUTDOWN : stats.spawned ? 0 : err == -ENOENT ? -ENOENT : 0);
	SAYS(nap_worker_get_stats(&pool, 2 + NAP_GUESTS, &worker_stats),
	     joined ? -ESHUTDOWN : -ENOENT);
	SAYS(nap_cpu_count() > 0, true);
}

static void call_group(void)
{
	struct nap_group group = NAP_GROUP_INIT(&pool), done = NAP_GROUP_INIT(NULL);
	struct member member = { NAP_TASK_INIT(member_done), &group, &pool, 0 };

	nap_group_init(&done, &pool);
	SAYS(nap_group_add(&done, 1), 0);
	SAYS(nap_group_wait_for(&done, 0), -ETIMEDOUT);
	SAYS(nap_group_wait_for(&done, 1000), -ETIMEDOUT);
	SAYS(nap_group_done(&done), 0);
	SAYS(nap_group_done(&done), -EINVAL);
	SAYS(nap_group_wait(&done), 0);
	SAYS(nap_group_add(&group, 1), 0);
	schedule(&member.task);
	SAYS(nap_group_wait(&group), 0);
}

static void nothing(struct nap_task *task)
{
	(void)task;
}

/*
 * Makes calls on another pool. There a worker of @pool is a thread from outside, and may make every
 * call.
 */
static void call_another_pool(void)
{
	struct nap_pool other = NAP_POOL_INIT(.max_workers = 1);
	struct nap_task task = NAP_TASK_INIT(nothing);
	struct nap_batch left;

	SAYS(nap_schedule(&other, &task), 0);
	SAYS(nap_pool_quiesce(&other), 0);
	SAYS(nap_pool_help(&other, 0), 0);
	SAYS(nap_pool_shutdown(&other, NAP_STOP), 0);
	SAYS(nap_pool_join(&other, &left), 0);
	SAYS(left.count, 0);
}

/* Makes every call on @pool, in a task or callback, while the pool is running or draining. */
static void call_everything(int place)
{
	struct nap_worker *self = nap_worker_self();
	struct nap_batch batch = NAP_BATCH_INIT, left = NAP_BATCH_INIT;
	long ran;

	SAYS(self != NULL, true);
	SAYS(nap_worker_pool(self), &pool);
	SAYS(nap_worker_index(self) < 2, place == AS_WORKER);
	schedule(new_task(free_oneself));
	nap_batch_push(&batch, new_task(free_oneself));
	nap_batch_push(&batch, new_task(free_oneself));
	nap_fetch_add_relaxed(&scheduled, 2);
	SAYS(nap_schedule_batch(&pool, &batch), 0);
	SAYS(nap_schedule_batch(&pool, &batch), 0);
	/* Only threads from outside may wait for a quiescent pool, or join it. */
	SAYS(nap_pool_quiesce(&pool), -EDEADLK);
	SAYS(nap_pool_quiesce_for(&pool, 0), -EDEADLK);
	SAYS(nap_pool_quiesce_for(&pool, NAP_FOREVER), -EDEADLK);
	SAYS(nap_pool_join(&pool, NULL), -EDEADLK);
	SAYS(nap_pool_join(&pool, &left), -EDEADLK);
	SAYS(left.count, 0);
	ran = nap_pool_help(&pool, 2);
	SAYS(ran >= 0 && ran <= 2, true);
	call_group();
	call_another_pool();
	call_counters(false);
	SAYS(nap_pool_shutdown(&pool, (enum nap_shutdown)0), -EINVAL);
}

static uint32_t all_called;

static void call_all(struct nap_task *task)
{
	int place = no_threads ? AS_GUEST : AS_WORKER, err;

	call_everything(place);
	err = nap_pool_prewarm(&pool, 2);
	SAYS(err, no_threads ? -EAGAIN : 0);
	/*
	 * In this place the task may begin a drain. Once it has begun, only nap_pool_prewarm()
	 * gives another result than before.
	 */
	SAYS(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	SAYS(nap_pool_shutdown(&pool, NAP_DRAIN), -EALREADY);
	SAYS(nap_pool_prewarm(&pool, 2), -ESHUTDOWN);
	call_everything(place);
	free_oneself(task);
	flag_set(&all_called);
}

static void expect_right(struct __test_metadata *_metadata)
{
	EXPECT_EQ(wrong_line, 0) {
		TH_LOG("another answer than stated in line %u", wrong_line);
	}
}

TEST(a_task_on_a_worker_calls_everything)
{
	watchdog(&pool, 0);
	schedule(new_task(call_all));
	flag_wait(&all_called);
	expect_right(_metadata);
	end(_metadata, "calls out of a task on a worker", nr_calls);
}

TEST(a_task_of_a_helper_calls_everything)
{
	watchdog(&pool, 0);
	no_threads = true;
	schedule(new_task(call_all));
	EXPECT_GT(nap_pool_help(&pool, 1), 0);
	EXPECT_EQ(all_called, 1);
	expect_right(_metadata);
	end(_metadata, "calls out of a helper's task", nr_calls);
}

/*
 * Stops the pool inside a task. The task's calls then return errors, and the task runs to its end.
 */
static void stop_and_call(struct nap_task *task)
{
	struct nap_task other = NAP_TASK_INIT(count_run);
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct nap_batch batch = { &other, &other, 1 };

	SAYS(nap_pool_shutdown(&pool, NAP_STOP), 0);
	SAYS(nap_pool_shutdown(&pool, NAP_STOP), -EALREADY);
	SAYS(nap_pool_shutdown(&pool, NAP_DRAIN), -EALREADY);
	SAYS(nap_schedule(&pool, &other), -ESHUTDOWN);
	SAYS(nap_schedule_batch(&pool, &batch), -ESHUTDOWN);
	SAYS(nap_pool_prewarm(&pool, 2), -ESHUTDOWN);
	SAYS(nap_pool_help(&pool, 0), 0);
	SAYS(nap_pool_quiesce(&pool), -EDEADLK);
	SAYS(nap_pool_join(&pool, NULL), -EDEADLK);
	SAYS(nap_group_add(&group, 1), 0);
	SAYS(nap_group_wait(&group), -ECANCELED);
	SAYS(nap_group_wait_for(&group, 0), -ECANCELED);
	SAYS(nap_group_done(&group), 0);
	SAYS(nap_group_wait(&group), 0);
	call_counters(false);
	free_oneself(task);
	flag_set(&all_called);
}

static void stop_out_of_a_task(struct __test_metadata *_metadata, const char *fault)
{
	schedule(new_task(stop_and_call));
	if (no_threads)
		EXPECT_EQ(nap_pool_help(&pool, 0), 1);
	flag_wait(&all_called);
	expect_right(_metadata);
	end(_metadata, fault, nr_calls);
}

TEST(a_task_on_a_worker_stops_its_pool)
{
	watchdog(&pool, 0);
	stop_out_of_a_task(_metadata, "calls out of a worker's task that stopped the pool");
}

TEST(a_task_of_a_helper_stops_its_pool)
{
	watchdog(&pool, 0);
	no_threads = true;
	stop_out_of_a_task(_metadata, "calls out of a helper's task that stopped the pool");
}

/* ---- the callbacks of workers: on the worker, outside any task */

static uint32_t started, stopped;

static void on_start(struct nap_worker *worker, void *arg)
{
	SAYS(arg, &pool);
	SAYS(nap_worker_self(), worker);
	call_everything(AS_WORKER);
	nap_fetch_add_relaxed(&started, 1);
}

/* Makes calls on a pool that has ended, which accepts no tasks, even from its own workers. */
static void on_stop(struct nap_worker *worker, void *arg)
{
	struct nap_task task = NAP_TASK_INIT(count_run);
	struct nap_batch batch = { &task, &task, 1 };
	struct nap_group group = NAP_GROUP_INIT(&pool);

	SAYS(arg, &pool);
	SAYS(nap_worker_self(), worker);
	SAYS(nap_schedule(&pool, &task), -ESHUTDOWN);
	SAYS(nap_schedule_batch(&pool, &batch), -ESHUTDOWN);
	SAYS(nap_group_add(&group, 1), 0);
	SAYS(nap_group_wait_for(&group, 1000), -ETIMEDOUT);
	SAYS(nap_group_done(&group), 0);
	SAYS(nap_group_wait(&group), 0);
	call_another_pool();
	SAYS(nap_pool_prewarm(&pool, 2), -ESHUTDOWN);
	SAYS(nap_pool_quiesce(&pool), -EDEADLK);
	SAYS(nap_pool_join(&pool, NULL), -EDEADLK);
	SAYS(nap_pool_help(&pool, 0), 0);
	SAYS(nap_pool_shutdown(&pool, NAP_DRAIN), -EALREADY);
	call_counters(false);
	nap_fetch_add_relaxed(&stopped, 1);
}

TEST(callbacks_of_workers_call_everything)
{
	struct nap_config config = {
		.max_workers = 2, .worker_start = on_start, .worker_stop = on_stop, .arg = &pool,
	};

	watchdog(&pool, 0);
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	EXPECT_EQ(nap_pool_prewarm(&pool, 2), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(started, 2);
	EXPECT_EQ(stopped, 2);
	expect_right(_metadata);
	fault_report("calls out of a worker's callbacks", nr_calls, scheduled, nr_run);
}

TEST_HARNESS_MAIN

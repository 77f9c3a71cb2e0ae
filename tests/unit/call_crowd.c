/* SPDX-License-Identifier: MIT */
/* nap_call() by more threads than there are guest records, with workers and without. */
#include "sync/gate.h"

#include "call_fixture.h"
#include "wrap.h"

static bool no_threads, no_memory;

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	return no_threads ? -EAGAIN : __real_nap__os_thread_start(worker, stack_size);
}

WRAP(void *, nap__os_map, (size_t size))
{
	return no_memory ? NULL : __real_nap__os_map(size);
}

enum { MORE = 3 };

static void run_fib(struct nap_worker *worker, void *arg)
{
	(void)arg;
	if (fib(worker, nap_top(worker), 15) != FIB_15)
		abort();
}

/* While all guest records are taken, the workers run the other callers' functions. */
TEST_F(under, those_without_a_place_leave_it_to_the_workers)
{
	struct caller more[MORE];

	begin_pool(&pool, self->idle, 2);
	take_all_places(&pool);
	EXPECT_EQ(guests_inside(&pool), NAP_GUESTS);
	for (int i = 0; i < MORE; i++)
		caller_start(&more[i], &pool, run_fib);
	for (int i = 0; i < MORE; i++) {
		pthread_join(more[i].thread, NULL);
		EXPECT_EQ(more[i].err, 0);
		EXPECT_LT(more[i].index, 2);
	}
	open_door();
	join_guests(_metadata);
	EXPECT_EQ(guests_inside(&pool), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void call_fib_in_task(struct nap_task *task)
{
	run_fib(nap_worker_self(), NULL);
	if (nap_call(&pool, run_fib, NULL))
		abort();
	count_run(task);
}

/*
 * A helper without a guest record runs another thread's call, and a task that makes a call itself.
 */
TEST_F(under, a_helper_without_a_place_runs_tasks_and_calls)
{
	struct nap_task busy = NAP_TASK_INIT(hold_task), task = NAP_TASK_INIT(call_fib_in_task);
	struct nap_pool_stats stats;
	struct caller more;
	long ran = 0;

	begin_pool(&pool, self->idle, 1);
	ASSERT_EQ(nap_schedule(&pool, &busy), 0);
	await_at_door(1);
	take_all_places(&pool);
	EXPECT_EQ(nap_pool_help(&pool, 0), 0);
	caller_start(&more, &pool, run_fib);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	/* A call to help may find nothing while the caller is about to list its call again. */
	while (ran < 2)
		ran += nap_pool_help(&pool, 0);
	EXPECT_EQ(ran, 2);
	EXPECT_EQ(nr_run, 1);
	pthread_join(more.thread, NULL);
	EXPECT_EQ(more.err, 0);
	EXPECT_EQ(more.index, UINT32_MAX);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.helped, 2);
	open_door();
	join_guests(_metadata);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A worker that always has tasks must also run a listed call. */
static uint32_t enough;

static void go_on(struct nap_task *task)
{
	if (!nap_load_relaxed(&enough) && nap_schedule(&pool, task))
		abort();
}

TEST_F(under, a_call_does_not_starve)
{
	struct nap_task task = NAP_TASK_INIT(go_on);

	begin_pool(&pool, self->idle, 1);
	take_all_places(&pool);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_call(&pool, run_fib, NULL), 0);
	flag_set(&enough);
	open_door();
	join_guests(_metadata);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Calls with a time limit. Until the limit the caller waits for a free record or a worker. */
static void *call_for_20_ms(void *arg)
{
	*(int *)arg = nap_call_for(&pool, run_fib, NULL, 20000000);
	return NULL;
}

TEST_F(under, a_call_gives_up_in_time)
{
	struct nap_task busy = NAP_TASK_INIT(hold_task);
	pthread_t threads[MORE];
	int errs[MORE];

	begin_pool(&pool, self->idle, 1);
	EXPECT_EQ(nap_call_for(&pool, run_fib, NULL, 0), 0);
	ASSERT_EQ(nap_schedule(&pool, &busy), 0);
	await_at_door(1);
	take_all_places(&pool);
	EXPECT_EQ(nap_call_for(&pool, run_fib, NULL, 0), -ETIMEDOUT);
	for (int i = 0; i < MORE; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, call_for_20_ms, &errs[i]), 0);
	for (int i = 0; i < MORE; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(errs[i], -ETIMEDOUT);
	}
	EXPECT_FALSE(calls_wait(&pool));
	open_door();
	EXPECT_EQ(nap_call_for(&pool, run_fib, NULL, NAP_FOREVER - 1), 0);
	join_guests(_metadata);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Without any worker the callers wait for a guest record. */
static unsigned long completed;

static void fork_group_and_task(struct nap_worker *worker, void *arg)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct member m = { NAP_TASK_INIT(member_done), &group, &pool, 0 };

	(void)arg;
	if (fib(worker, nap_top(worker), 15) != FIB_15)
		abort();
	nap_group_add(&group, 1);
	if (nap_schedule(&pool, &m.task) || nap_group_wait(&group))
		abort();
	nap_fetch_add_relaxed(&completed, 1);
}

TEST_F(under, without_a_worker_calls_complete)
{
	struct caller more[MORE];

	no_threads = true;
	begin_pool(&pool, self->idle, 2);
	ASSERT_EQ(nap_call(&pool, fork_group_and_task, NULL), 0);
	EXPECT_EQ(completed, 1);
	take_all_places(&pool);
	for (int i = 0; i < MORE; i++)
		caller_start(&more[i], &pool, fork_group_and_task);
	usleep(5000);
	EXPECT_EQ(nap_load_relaxed(&completed), 1);
	open_door();
	for (int i = 0; i < MORE; i++) {
		pthread_join(more[i].thread, NULL);
		EXPECT_EQ(more[i].err, 0);
		EXPECT_GE(more[i].index, 2);
		EXPECT_LT(more[i].index, 2 + NAP_GUESTS);
	}
	join_guests(_metadata);
	EXPECT_EQ(completed, 1 + MORE);
	EXPECT_EQ(nr_run, 1 + MORE);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * The body of a loop or sort whose caller waits for a guest record when the pool is stopped: this
 * body must not run.
 */
static int none_of_them(size_t begin, size_t end, void *unused)
{
	(void)begin;
	(void)end;
	(void)unused;
	nap_fetch_add_relaxed(&nr_run, 1);
	return 0;
}

static int loop_error, sort_error;

static void *loop_outside(void *unused)
{
	static const struct nap_loop how = { .grain = 1 };

	(void)unused;
	loop_error = nap_for_as(&pool, &how, 0, 10, none_of_them, NULL);
	return NULL;
}

static void *sort_outside(void *unused)
{
	enum { MANY = 100000 };
	static uint32_t numbers[MANY];

	(void)unused;
	for (uint32_t i = 0; i < MANY; i++)
		numbers[i] = i * 2654435761u;
	sort_error = nap_sort_u32(&pool, numbers, MANY);
	return NULL;
}

TEST_F(under, loops_without_a_place_are_refused_by_a_stop)
{
	struct nap_task task = NAP_TASK_INIT(hold_task);
	pthread_t threads[2];

	begin_pool(&pool, self->idle, 1);
	/* Makes the worker busy, because an idle worker would run the listed calls. */
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	await_at_door(1);
	take_all_places(&pool);
	ASSERT_EQ(pthread_create(&threads[0], NULL, loop_outside, NULL), 0);
	ASSERT_EQ(pthread_create(&threads[1], NULL, sort_outside, NULL), 0);
	while (nap_load_relaxed(&pool.intake) / GATE_ONE < 2 + NAP_GUESTS)
		usleep(100);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(loop_error, -ESHUTDOWN);
	EXPECT_EQ(sort_error, -ESHUTDOWN);
	open_door();
	join_guests(_metadata);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 1);
}

static int add_none(size_t begin, size_t end, void *value, void *arg)
{
	(void)value;
	return none_of_them(begin, end, arg);
}

static void merge_none(void *value, const void *right, void *unused)
{
	(void)value;
	(void)right;
	(void)unused;
}

static size_t find_none(size_t begin, size_t end, void *arg)
{
	none_of_them(begin, end, arg);
	return end;
}

/* All places are taken until the test ends; the wait for a place ends with the loop's time. */
TEST_F(under, loops_without_a_place_time_out)
{
	static const struct nap_reduction by = { sizeof(int), add_none, merge_none, NULL };
	static struct nap_owners owners;
	struct nap_loop how = { .grain = 1, .timeout_ns = 1 };
	struct nap_task task = NAP_TASK_INIT(hold_task);
	int value = 0;
	size_t index;

	begin_pool(&pool, self->idle, 1);
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	await_at_door(1);
	take_all_places(&pool);
	EXPECT_EQ(nap_for_as(&pool, &how, 0, 10, none_of_them, NULL), -ETIMEDOUT);
	EXPECT_EQ(nap_reduce(&pool, &how, 0, 10, &by, &value, NULL), -ETIMEDOUT);
	EXPECT_EQ(nap_scan(&pool, &how, 0, 10, &by, add_none, &value, NULL), -ETIMEDOUT);
	EXPECT_EQ(nap_find(&pool, &how, 0, 10, find_none, NULL, &index), -ETIMEDOUT);
	how.owners = &owners;
	EXPECT_EQ(nap_for_as(&pool, &how, 0, 10, none_of_them, NULL), -ETIMEDOUT);
	EXPECT_EQ(nap_load_relaxed(&nr_run), 0);
	open_door();
	join_guests(_metadata);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 1);
}

/*
 * Without memory for a guest record, a caller still runs its function, and a waiter still runs the
 * task that it waits for.
 */
TEST_F(under, without_memory_calls_complete)
{
	no_threads = no_memory = true;
	begin_pool(&pool, self->idle, 2);
	ASSERT_EQ(nap_call(&pool, fork_group_and_task, NULL), 0);
	EXPECT_EQ(completed, 1);
	EXPECT_EQ(nr_run, 1);
	EXPECT_EQ(guests_inside(&pool), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * Tasks that a guest schedules before it leaves. No worker can be started, so a thread that waits
 * runs the tasks.
 */
enum { TASKS = 10 };
static struct nap_task tasks[TASKS];

static void schedule_some(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	for (int i = 0; i < TASKS; i++) {
		nap_task_init(&tasks[i], count_run);
		if (nap_schedule(&pool, &tasks[i]))
			abort();
	}
}

TEST_F(under, without_a_worker_what_a_guest_scheduled_is_run)
{
	no_threads = true;
	begin_pool(&pool, self->idle, 2);
	ASSERT_EQ(nap_call(&pool, schedule_some, NULL), 0);
	EXPECT_EQ(nr_run, 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, TASKS);
	ASSERT_EQ(nap_call(&pool, schedule_some, NULL), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 2 * TASKS);
}

/* No thread waits for the tasks: a worker runs them, when the next call has started one. */
TEST_F(under, a_worker_is_started_for_what_a_guest_scheduled)
{
	no_threads = true;
	begin_pool(&pool, self->idle, 2);
	ASSERT_EQ(nap_call(&pool, schedule_some, NULL), 0);
	no_threads = false;
	ASSERT_EQ(nap_call(&pool, run_fib, NULL), 0);
	while (nap_load_acquire(&nr_run) < TASKS)
		sched_yield();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, TASKS);
}

/*
 * ---- A task of a serial queue makes a call for which no guest record is free, so a worker runs
 * the function. A join in it runs no other task: such a task may wait for the queue.
 */

static struct nap_serial queue;
static struct nap_group passed;
static struct nap_task in_queue[2], outsider;
static struct nap_worker *caller_of_jobs;
static uint32_t job_begun, joins, outsider_ran_inside;

static void pass(struct nap_task *task)
{
	(void)task;
	nap_group_done(&passed);
}

static void wait_for_queue(struct nap_task *task)
{
	(void)task;
	if (nap_worker_self() == nap_load_relaxed(&caller_of_jobs) && nap_load_relaxed(&joins))
		nap_store_release(&outsider_ran_inside, 1);
	if (nap_group_wait(&passed))
		abort();
}

/* Ends when its joiner sleeps in the join, or runs the outsider there. */
static void run_until_joined(struct nap_worker *worker, struct nap_frame *top,
			     struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
	flag_set(&job_begun);
	while (!(nap_load_relaxed(&nap_load_relaxed(&caller_of_jobs)->event) & EVENT_PARKED) &&
	       !nap_load_acquire(&outsider_ran_inside))
		sched_yield();
}

static void fork_and_join(struct nap_worker *worker, void *arg)
{
	struct nap_frame *top = nap_top(worker);

	(void)arg;
	nap_store_relaxed(&caller_of_jobs, worker);
	nap_fork(worker, top, run_until_joined);
	flag_wait(&job_begun);
	if (nap_schedule(&pool, &outsider))
		abort();
	nap_store_relaxed(&joins, 1);
	nap_join(worker, top);
	nap_store_relaxed(&joins, 0);
}

static void call_from_queue(struct nap_task *task)
{
	(void)task;
	if (nap_call(&pool, fork_and_join, NULL))
		abort();
}

TEST_F(under, a_worker_that_runs_a_call_of_a_serial_task_joins_as_that_task)
{
	begin_pool(&pool, self->idle, 2);
	begin_pool(&other, self->idle, 1);
	take_all_places(&pool);
	nap_serial_init(&queue, &other);
	nap_group_init(&passed, &pool);
	nap_group_add(&passed, 1);
	nap_task_init(&outsider, wait_for_queue);
	nap_task_init(&in_queue[0], call_from_queue);
	nap_task_init(&in_queue[1], pass);
	EXPECT_EQ(nap_serial_schedule(&queue, &in_queue[0]), 0);
	EXPECT_EQ(nap_serial_schedule(&queue, &in_queue[1]), 0);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(nap_group_wait(&passed), 0);
	open_door();
	join_guests(_metadata);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(outsider_ran_inside, 0);
}

TEST_HARNESS_MAIN

/* SPDX-License-Identifier: MIT */
/* The places where the process forks: tests/fault/fork_table.c. */
#ifndef NAP_TESTS_FAULT_FORK_PLACES_H
#define NAP_TESTS_FAULT_FORK_PLACES_H

#include "fault/fork_actors.h"

/* ---- places */

static struct nap_task forker;
static struct nap_group outer;
static uint32_t job_taken;
static uint32_t fork_in_start, fork_in_stop, fork_on_failure;	/* if set, the callback forks */

/* ---- callbacks */

static void on_start(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	note_stack();
	if (nap_xchg_acq_rel(&fork_in_start, 0))
		fork_here();
}

static void on_stop(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	if (nap_xchg_acq_rel(&fork_in_stop, 0))
		fork_here();
	forget_stack();
}

static void on_failure(struct nap_pool *p, int err, void *unused)
{
	(void)p;
	(void)err;
	(void)unused;
	if (nap_xchg_acq_rel(&fork_on_failure, 0))
		fork_here();
}

/* ---- tasks, jobs, calls */

static void fork_task(struct nap_task *task)
{
	(void)task;
	fork_here();
}

/* Forks in the task that a thread waits for. In the child no other thread could end this wait. */
static void fork_and_be_done(struct nap_task *task)
{
	(void)task;
	fork_here();
	nap_group_done(&outer);
}

static void fork_call(struct nap_worker *worker, void *unused)
{
	(void)unused;
	fork_here();
	CHECK(fib(worker, nap_top(worker), 10) == 55);
}

static void schedule_forker(nap_task_fn run)
{
	nap_task_init(&forker, run);
	nap_group_init(&outer, &pool);
	nap_group_add(&outer, 1);
	CHECK(nap_schedule(&pool, &forker) == 0);
}

static void task_on_worker(void)
{
	schedule_forker(fork_task);
	flag_wait(&forked);
}

static void wait_for_forker(struct nap_task *task)
{
	int err;

	(void)task;
	schedule_forker(fork_and_be_done);
	err = nap_group_wait(&outer);
	CHECK(err == 0 || (in_child && err == -ESHUTDOWN));
}

static void nested_on_worker(void)
{
	static struct nap_task around = NAP_TASK_INIT(wait_for_forker);

	CHECK(nap_schedule(&pool, &around) == 0);
	flag_wait(&forked);
}

static void fork_job(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
	flag_set(&job_taken);
	fork_here();
}

static void join_forker(struct nap_task *task)
{
	struct nap_worker *worker = nap_worker_self();
	struct nap_frame *top = nap_top(worker);

	(void)task;
	nap_fork(worker, top, fork_job);
	flag_wait(&job_taken);
	CHECK(!nap_join(worker, top));
}

static void job_on_worker(void)
{
	static struct nap_task task = NAP_TASK_INIT(join_forker);

	CHECK(nap_schedule(&pool, &task) == 0);
	flag_wait(&forked);
}

static void no_job(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
}

/*
 * Forks the process between fork and join. In the child all jobs belong to its thread, even taken
 * ones.
 */
static void fork_before_join(struct nap_task *task)
{
	struct nap_worker *worker = nap_worker_self();
	struct nap_frame *first = nap_top(worker), *second;

	(void)task;
	second = nap_fork(worker, first, no_job);
	nap_fork(worker, second, no_job);
	fork_here();
	nap_join(worker, second);
	nap_join(worker, first);
}

static void jobs_of_worker(void)
{
	static struct nap_task task = NAP_TASK_INIT(fork_before_join);

	CHECK(nap_schedule(&pool, &task) == 0);
	flag_wait(&forked);
}

static void start_callback(void)
{
	struct nap_pool_stats stats;

	/* Asks for one worker more than there are, however many were started before. */
	CHECK(nap_pool_get_stats(&pool, &stats) == 0);
	flag_set(&fork_in_start);
	CHECK(nap_pool_prewarm(&pool, stats.spawned + 1) == 0);
	flag_wait(&forked);
}

static void stop_callback(void)
{
	CHECK(nap_pool_prewarm(&pool, 1) == 0);
	flag_set(&fork_in_stop);
	CHECK(nap_pool_join(&pool, NULL) == 0);
}

static void failure_callback(void)
{
	static struct nap_task task = NAP_TASK_INIT(count_run);

	flag_set(&fork_on_failure);
	CHECK(nap_schedule(&pool, &task) == 0);
	child_is_back();
	CHECK(nap_load_relaxed(&forked));
}

/* The start of the prewarm fails, and a task is queued. In the child a start would succeed. */
static void failure_in_prewarm(void)
{
	static struct nap_task task = NAP_TASK_INIT(count_run);

	CHECK(nap_schedule(&pool, &task) == 0);
	flag_set(&fork_on_failure);
	CHECK(nap_pool_prewarm(&pool, 1) == -EAGAIN);
	child_is_back();
	CHECK(nap_load_relaxed(&forked));
}

static void on_stuck(uint32_t worker, uint64_t ns, void *unused)
{
	(void)worker;
	(void)ns;
	(void)unused;
	fork_here();
}

/* The check would start a worker in place of the stuck one, because a task is queued. */
static void stuck_callback(void)
{
	static const struct nap_stuck look = { .stuck_ns = 1, .stuck = on_stuck,
					       .compensate = true };
	static struct nap_task task = NAP_TASK_INIT(count_run);
	int n;

	CHECK(nap_schedule(&pool, &task) == 0);
	while ((n = nap_pool_check_stuck(&pool, &look)) == 0)
		usleep(100);
	CHECK(n == (in_child ? -ESHUTDOWN : 1));
	child_is_back();
}

static void *make_data(struct nap_worker *worker, void *data)
{
	(void)worker;
	return data;
}

static void end_data(void *data, void *unused)
{
	(void)data;
	(void)unused;
	fork_here();
}

static struct nap_local local = NAP_LOCAL_INIT(make_data, end_data, &local);

static void get_data(struct nap_task *task)
{
	(void)task;
	CHECK(nap_local_get(nap_worker_self(), &local));
}

static void end_callback(void)
{
	static struct nap_task task = NAP_TASK_INIT(get_data);
	int err;

	CHECK(nap_schedule(&pool, &task) == 0);
	err = nap_pool_join(&pool, NULL);
	CHECK(err == (in_child ? -ESHUTDOWN : 0));
	child_is_back();
}

static void task_of_helper(void)
{
	schedule_forker(fork_task);
	CHECK(nap_pool_help(&pool, 1) == 1);
	child_is_back();
}

static void call_of_guest(void)
{
	CHECK(nap_call(&pool, fork_call, NULL) == 0);
	child_is_back();
}

static void call_in_task(struct nap_task *task)
{
	(void)task;
	CHECK(nap_call(&pool, fork_call, NULL) == 0);
}

static void call_of_helper(void)
{
	schedule_forker(call_in_task);
	CHECK(nap_pool_help(&pool, 1) == 1);
	child_is_back();
}

static int call_forker(void)
{
	return nap_call(&pool, fork_call, NULL);
}

static void call_left_to_worker(void)
{
	uint32_t before = nap_load_acquire(&at_door);

	for (uint32_t i = 0; i < NAP_GUESTS; i++)
		enter(be_guest);
	await_at_door(before + NAP_GUESTS);
	enter(call_forker);
	flag_wait(&forked);
}

/* The waiter itself runs the forking task, because no worker can be started. */
static void task_of_waiter(void)
{
	int err;

	schedule_forker(fork_and_be_done);
	err = nap_group_wait(&outer);
	child_is_back();
	CHECK(err == 0);
}

static void task_of_quiesce(void)
{
	int err;

	schedule_forker(fork_task);
	err = nap_pool_quiesce(&pool);
	CHECK(err == (in_child ? -ESHUTDOWN : 0));
	child_is_back();
}

static void task_of_joiner(void)
{
	int err;

	schedule_forker(fork_task);
	err = nap_pool_join(&pool, NULL);
	CHECK(err == (in_child ? -ESHUTDOWN : 0));
	child_is_back();
}

/* ---- an unrelated thread forks, while other threads sleep inside */

static void sleeping_worker(void)
{
	CHECK(nap_pool_prewarm(&pool, 2) == 0);
	usleep(1000);
	fork_here();
}

static void sleeping_joiner(void)
{
	enter(join_pool);
	while (!nap_load_acquire(&pool.join))
		usleep(100);
	usleep(1000);
	fork_here();
}

#endif /* NAP_TESTS_FAULT_FORK_PLACES_H */

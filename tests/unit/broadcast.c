/* SPDX-License-Identifier: MIT */
/*
 * nap_broadcast(): each worker calls the function once, in any state: asleep, running a long
 * queue, waiting for a group, for a job, or for a broadcast of its own. Under each idle protocol.
 */
#include "worker/nest.h"

#include "call_fixture.h"
#include "child_threads.h"

#define WORKERS	4u

static uint32_t calls[WORKERS], guest_calls;

static void count_call(struct nap_worker *worker, void *arg)
{
	uint32_t index = nap_worker_index(worker);

	if (worker != nap_worker_self() || arg != calls)
		abort();
	nap_fetch_add_relaxed(index < WORKERS ? &calls[index] : &guest_calls, 1);
}

static void begin(struct __test_metadata *_metadata, enum nap_idle idle, uint32_t workers)
{
	for (uint32_t i = 0; i < WORKERS; i++)
		calls[i] = 0;
	guest_calls = 0;
	begin_pool(&pool, idle, workers);
	ASSERT_EQ(nap_pool_prewarm(&pool, workers), 0);
}

static int broadcast(void)
{
	return nap_broadcast(&pool, count_call, calls);
}

static void expect_calls(struct __test_metadata *_metadata, uint32_t workers, uint32_t each)
{
	for (uint32_t i = 0; i < workers; i++)
		EXPECT_EQ(nap_load_relaxed(&calls[i]), each);
	EXPECT_EQ(guest_calls, 0);
}

static void end_pool(struct __test_metadata *_metadata)
{
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_F(under, each_worker_calls_it_once)
{
	for (uint32_t workers = 1; workers <= WORKERS; workers++) {
		begin(_metadata, self->idle, workers);
		for (uint32_t n = 1; n <= 20; n++) {
			EXPECT_EQ(broadcast(), (int)workers);
			expect_calls(_metadata, workers, n);
		}
		end_pool(_metadata);
	}
}

TEST_F(under, nobody_is_there_yet)
{
	begin_pool(&pool, self->idle, WORKERS);
	EXPECT_EQ(broadcast(), 0);
	end_pool(_metadata);
}

/* No worker could be started, so a broadcast waits for none. */
TEST_F(under, a_worker_that_could_not_be_started)
{
	begin_pool(&pool, self->idle, 2);
	starts_fail = true;
	EXPECT_EQ(nap_pool_prewarm(&pool, 2), -EAGAIN);
	EXPECT_EQ(broadcast(), 0);
	starts_fail = false;
	EXPECT_EQ(nap_pool_prewarm(&pool, 2), 0);
	EXPECT_EQ(broadcast(), 2);
	end_pool(_metadata);
}

/* ---- workers that broadcast */

struct from_task {
	struct nap_task task;
	struct nap_group *group;
	int result;
};

static void broadcast_from_task(struct nap_task *task)
{
	struct from_task *from = nap_container_of(task, struct from_task, task);

	from->result = broadcast();
	nap_group_done(from->group);
}

/* More broadcasts than workers, and a broadcast from outside at the same time. */
TEST_F(under, several_at_the_same_time)
{
	struct from_task from[3 * WORKERS];
	struct nap_group group = NAP_GROUP_INIT(&pool);

	begin(_metadata, self->idle, WORKERS);
	nap_group_add(&group, 3 * WORKERS);
	for (uint32_t i = 0; i < 3 * WORKERS; i++) {
		from[i] = (struct from_task){ NAP_TASK_INIT(broadcast_from_task), &group, -1 };
		EXPECT_EQ(nap_schedule(&pool, &from[i].task), 0);
	}
	EXPECT_EQ(broadcast(), WORKERS);
	EXPECT_EQ(nap_group_wait(&group), 0);
	for (uint32_t i = 0; i < 3 * WORKERS; i++)
		EXPECT_EQ(from[i].result, WORKERS);
	expect_calls(_metadata, WORKERS, 3 * WORKERS + 1);
	end_pool(_metadata);
}

static void *broadcast_often(void *result)
{
	for (int i = 0; i < 100; i++)
		*(int *)result += broadcast();
	return NULL;
}

TEST_F(under, threads_from_outside)
{
	pthread_t threads[3];
	int results[3] = { 0 };

	begin(_metadata, self->idle, 2);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, broadcast_often, &results[i]), 0);
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(results[i], 200);
	}
	expect_calls(_metadata, 2, 300);
	end_pool(_metadata);
}

/* ---- workers that are busy */

static uint32_t go_on;

static void run_on(struct nap_task *task)
{
	if (nap_load_relaxed(&go_on))
		nap_schedule(&pool, task);
}

#define STACK	((size_t)4 << 20)	/* a large part of it may be ThreadSanitizer's */

/*
 * Broadcasts 20 times. The thread has less than half of its stack left, so it runs no tasks while
 * it waits: it must not take tasks that the test has for the workers.
 */
static void *broadcast_without_help(void *workers)
{
	char used[STACK * 5 / 8];
	bool right = true;

	memset(used, 0, sizeof(used));
	__asm__ volatile("" : : "r"(used) : "memory");
	for (uint32_t n = 1; n <= 20; n++)
		right &= broadcast() == (int)*(uint32_t *)workers;
	__asm__ volatile("" : : "r"(used) : "memory");
	return right ? workers : NULL;
}

/* A broadcast also reaches workers that always have tasks. */
TEST_F(under, those_who_have_enough_to_do)
{
	struct nap_task tasks[2 * WORKERS];
	pthread_attr_t attr;
	pthread_t thread;
	void *right;

	pthread_attr_init(&attr);
	ASSERT_EQ(pthread_attr_setstacksize(&attr, STACK), 0);

	for (uint32_t workers = 1; workers <= WORKERS; workers += WORKERS - 1) {
		begin(_metadata, self->idle, workers);
		go_on = 1;
		for (uint32_t i = 0; i < 2 * workers; i++) {
			nap_task_init(&tasks[i], run_on);
			EXPECT_EQ(nap_schedule(&pool, &tasks[i]), 0);
		}
		ASSERT_EQ(pthread_create(&thread, &attr, broadcast_without_help, &workers), 0);
		pthread_join(thread, &right);
		EXPECT_EQ(right, (void *)&workers);
		nap_store_relaxed(&go_on, 0);
		expect_calls(_metadata, workers, 20);
		end_pool(_metadata);
	}
	pthread_attr_destroy(&attr);
}

/* The only worker waits for this group, which is complete only after the broadcast. */
static struct nap_group behind = NAP_GROUP_INIT(&pool);

static void wait_for_group(struct nap_task *task)
{
	(void)task;
	if (nap_group_wait(&behind))
		abort();
	nap_fetch_add_relaxed(&nr_run, 1);
}

TEST_F(under, who_waits_for_a_group)
{
	struct nap_task task = NAP_TASK_INIT(wait_for_group);

	begin(_metadata, self->idle, 1);
	nap_group_add(&behind, 1);
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	for (int i = 0; i < 10; i++) {
		EXPECT_EQ(broadcast(), 1);
		usleep(100);
	}
	EXPECT_EQ(nr_run, 0);
	nap_group_done(&behind);
	end_pool(_metadata);
	EXPECT_EQ(nr_run, 1);
}

/* A wait for a group without a pool calls no function: its task may hold a lock that @fn takes. */
static struct nap_group apart = NAP_GROUP_INIT(NULL);
static uint32_t is_held, nr_early;

static void wait_apart(struct nap_task *task)
{
	(void)task;
	nap_store_release(&is_held, 1);
	if (nap_group_wait(&apart))
		abort();
	nap_store_release(&is_held, 0);
}

static void note_early(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	nap_fetch_add_relaxed(&nr_early, nap_load_acquire(&is_held));
}

static void *broadcast_early(void *result)
{
	*(int *)result = nap_broadcast(&pool, note_early, NULL);
	return NULL;
}

TEST_F(under, who_waits_for_a_group_without_a_pool)
{
	struct nap_task task = NAP_TASK_INIT(wait_apart);
	pthread_t thread;
	int result = -1;

	begin(_metadata, self->idle, 1);
	nap_group_add(&apart, 1);
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	flag_wait(&is_held);
	ASSERT_EQ(pthread_create(&thread, NULL, broadcast_early, &result), 0);
	while (!nap_load_relaxed(&pool.broadcast))
		sched_yield();
	usleep(1000);
	nap_group_done(&apart);
	pthread_join(thread, NULL);
	EXPECT_EQ(result, 1);
	EXPECT_EQ(nr_early, 0);
	end_pool(_metadata);
}

/* Runs @run at the nesting limit, where a wait sleeps and runs no other task. */
static void go_deep(nap_task_fn run)
{
	char frame[8192];

	__asm__ volatile("" : : "r"(frame) : "memory");
	if (may_nest())
		go_deep(run);
	else
		run(NULL);
	__asm__ volatile("" : : "r"(frame) : "memory");
}

static void wait_deep(struct nap_task *task)
{
	(void)task;
	go_deep(wait_for_group);
}

static void begin_deep(struct __test_metadata *_metadata, enum nap_idle idle, uint32_t workers)
{
	struct nap_config config = { .idle = idle, .max_workers = workers };

	config.stack_size = 256 << 10;
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, workers), 0);
}

TEST_F(under, who_waits_deep)
{
	struct nap_task task = NAP_TASK_INIT(wait_deep);

	begin_deep(_metadata, self->idle, 1);
	nap_group_add(&behind, 1);
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	while (!nap_load_relaxed(&pool.at_nest_limit))
		usleep(100);
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(broadcast(), 1);
	nap_group_done(&behind);
	end_pool(_metadata);
	EXPECT_EQ(pool.at_nest_limit, 0);
	EXPECT_EQ(pool.stuck, 0);
}

/*
 * A job that was stolen makes a broadcast. The worker that joins the job has to call the
 * broadcast's function, too, at the nesting limit or not.
 */
static int job_result;

static void broadcast_in_job(struct nap_worker *worker, struct nap_frame *top, uint32_t *taken)
{
	(void)worker;
	(void)top;
	nap_store_release(taken, 1);
	job_result = broadcast();
}

NAP_JOB_VOID(broadcast_in_job, uint32_t *)

static void fork_and_join(struct nap_task *task)
{
	struct nap_worker *worker = nap_worker_self();
	struct nap_frame *top = nap_top(worker);
	uint32_t taken = 0;

	(void)task;
	broadcast_in_job_fork(worker, top, &taken);
	flag_wait(&taken);
	broadcast_in_job_join(worker, top, &taken);
}

static void fork_and_join_deep(struct nap_task *task)
{
	(void)task;
	go_deep(fork_and_join);
}

TEST_F(under, who_joins)
{
	for (int deep = 0; deep < 2; deep++) {
		struct nap_task task = NAP_TASK_INIT(deep ? fork_and_join_deep : fork_and_join);

		begin_deep(_metadata, self->idle, 2);
		job_result = -1;
		EXPECT_EQ(nap_schedule(&pool, &task), 0);
		EXPECT_EQ(nap_pool_quiesce(&pool), 0);
		EXPECT_EQ(job_result, 2);
		end_pool(_metadata);
		EXPECT_EQ(pool.at_nest_limit, 0);
		EXPECT_EQ(pool.stuck, 0);
	}
}

/* ---- calls that the function may make */

static int refused[3];

static void broadcast_again(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	refused[0] = broadcast();
	refused[1] = nap_broadcast(&other, count_call, calls);
}

static void note_again(struct nap_task *task)
{
	(void)task;
	refused[2] = broadcast();
}

TEST_F(under, a_broadcast_in_a_broadcast_is_refused)
{
	struct nap_task task = NAP_TASK_INIT(note_again);

	begin(_metadata, self->idle, 1);
	begin_pool(&other, self->idle, 1);
	EXPECT_EQ(nap_broadcast(&pool, broadcast_again, NULL), 1);
	EXPECT_EQ(refused[0], -EDEADLK);
	EXPECT_EQ(refused[1], -EDEADLK);
	/* When the function has returned, a broadcast is allowed. */
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(refused[2], 1);
	end_pool(_metadata);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
}

static uint32_t has_stopped;

static void broadcast_at_stop(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	refused[0] = broadcast();
	refused[1] = nap_broadcast(&other, count_call, calls);
	refused[2] = nap_pool_reread(&pool);
	nap_store_release(&has_stopped, 1);
}

/* No worker of its own pool is left; a worker that retires runs no task, but is in no broadcast. */
TEST_F(under, a_worker_may_in_its_worker_stop)
{
	for (int retires = 0; retires < 2; retires++) {
		begin_pool(&other, self->idle, 1);
		ASSERT_EQ(nap_pool_prewarm(&other, 1), 0);
		ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){
			.idle = self->idle, .max_workers = 1, .worker_stop = broadcast_at_stop,
			.idle_timeout_ns = retires ? 1000000 : 0 }), 0);
		has_stopped = 0;
		ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
		if (retires)
			flag_wait(&has_stopped);
		end_pool(_metadata);
		EXPECT_EQ(refused[0], 0);
		EXPECT_EQ(refused[1], 1);
		EXPECT_EQ(refused[2], 1);
		EXPECT_EQ(nap_pool_join(&other, NULL), 0);
	}
}

/*
 * A worker that waits inside a broadcast's function does not run the task in its own ring: another
 * worker steals the task.
 */
static struct nap_worker *ran_on[2];
static uint32_t nr_functions;

static void note_worker(struct nap_task *task)
{
	(void)task;
	ran_on[1] = nap_worker_self();
	nap_group_done(&behind);
}

static struct nap_task noting = NAP_TASK_INIT(note_worker);

static void schedule_and_wait(struct nap_worker *worker, void *unused)
{
	(void)unused;
	if (nap_fetch_add_relaxed(&nr_functions, 1))
		return;
	ran_on[0] = worker;
	if (nap_group_add(&behind, 1) || nap_schedule(&pool, &noting) || nap_group_wait(&behind))
		abort();
}

TEST_F(under, a_wait_in_the_function_runs_nothing_itself)
{
	begin(_metadata, self->idle, 2);
	EXPECT_EQ(nap_broadcast(&pool, schedule_and_wait, NULL), 2);
	EXPECT_NE(ran_on[0], NULL);
	EXPECT_NE(ran_on[1], NULL);
	EXPECT_NE(ran_on[0], ran_on[1]);
	end_pool(_metadata);
}

static long sums[WORKERS];

static void fork_in_function(struct nap_worker *worker, void *unused)
{
	(void)unused;
	sums[nap_worker_index(worker)] = fib(worker, nap_top(worker), 15);
}

TEST_F(under, the_function_may_fork)
{
	begin(_metadata, self->idle, WORKERS);
	EXPECT_EQ(nap_broadcast(&pool, fork_in_function, NULL), WORKERS);
	for (uint32_t i = 0; i < WORKERS; i++)
		EXPECT_EQ(sums[i], FIB_15);
	end_pool(_metadata);
}

/* ---- the pool's end, and a child's beginning */

/*
 * Stops the pool when all workers are inside the function. A worker that ended before it got its
 * message would be left out of the broadcast.
 */
static void stop_here(struct nap_worker *worker, void *arg)
{
	nap_fetch_add_relaxed(&nr_functions, 1);
	while (nap_load_relaxed(&nr_functions) < WORKERS)
		sched_yield();
	nap_pool_shutdown(&pool, NAP_STOP);
	count_call(worker, arg);
}

TEST_F(under, a_stop_does_not_end_it)
{
	begin(_metadata, self->idle, WORKERS);
	EXPECT_EQ(nap_broadcast(&pool, stop_here, calls), WORKERS);
	expect_calls(_metadata, WORKERS, 1);
	EXPECT_EQ(broadcast(), -ESHUTDOWN);
	end_pool(_metadata);
	EXPECT_EQ(broadcast(), -ESHUTDOWN);
}

TEST_F(under, a_worker_may_while_the_pool_drains)
{
	struct from_task from = { NAP_TASK_INIT(broadcast_from_task), &behind, -1 };

	begin(_metadata, self->idle, 2);
	nap_group_add(&behind, 1);
	EXPECT_EQ(nap_schedule(&pool, &from.task), 0);
	end_pool(_metadata);
	EXPECT_EQ(from.result, 2);
}

static void fork_here(struct nap_worker *worker, void *unused)
{
	pid_t child;

	(void)unused;
	if (nap_worker_index(worker))
		return;
	child = fork();
	in_child = !child;
	nap_fetch_add_relaxed(&nr_run, child > 0);
}

/* The function forks: in the child the broadcast waits for no other thread. */
TEST_F(under, the_function_may_start_a_process)
{
	begin(_metadata, self->idle, 2);
	EXPECT_EQ(nap_broadcast(&pool, fork_here, NULL), 2);
	EXPECT_EQ(nr_run, 1);
	end_pool(_metadata);
}

TEST(what_is_none)
{
	watchdog(&pool, 0);
	begin_pool(&pool, NAP_IDLE_SYNC, 1);
	EXPECT_EQ(nap_broadcast(NULL, count_call, NULL), -EINVAL);
	EXPECT_EQ(nap_broadcast(&pool, NULL, NULL), -EINVAL);
	end_pool(_metadata);
}

TEST_HARNESS_MAIN

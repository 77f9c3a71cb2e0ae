/* SPDX-License-Identifier: MIT */
/*
 * A process that is stopped and continued while it works; and workers that are blocked inside a
 * task for a long time, while other workers go on.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "os/os.h"
#include "fault/load.h"
#include "fault/report.h"
#include "watchdog.h"

static struct nap_pool pool;

/* ---- the process that stops its parent, the test ---- */

struct stopper {
	uint32_t stops, over;
	uint32_t wanted;	/* on orders: asks for one stop */
};
static struct stopper *shared;
static pid_t stopper;

static char state_of_parent(pid_t parent)
{
	char path[64], state = 'X';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", parent);
	file = fopen(path, "r");
	if (file && fscanf(file, "%*d %*s %c", &state) != 1)
		state = 'X';
	if (file)
		fclose(file);
	return state;
}

/* Stops the parent for @us. The stop counts if the parent has really stopped. */
static void stop_parent(pid_t parent, useconds_t us)
{
	kill(parent, SIGSTOP);
	while (state_of_parent(parent) != 'T')
		if (getppid() != parent)
			_exit(1);
	nap_fetch_add_relaxed(&shared->stops, 1);
	usleep(us);
	kill(parent, SIGCONT);
}

static void stop_until_over(pid_t parent, bool on_orders)
{
	for (useconds_t i = 0; !nap_load_relaxed(&shared->over) && getppid() == parent; i++) {
		if (on_orders && !nap_load_acquire(&shared->wanted)) {
			usleep(50);
			continue;
		}
		stop_parent(parent, on_orders ? 4000 : i * 37 % 2000);
		nap_store_release(&shared->wanted, 0);
		if (!on_orders)
			usleep(i * 71 % 3000);
	}
}

/* Starts the process that stops its parent. To be called before the first thread is started. */
static void begin_stops(bool on_orders)
{
	pid_t parent = getpid();

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		abort();
	stopper = fork();
	if (stopper < 0)
		abort();
	if (stopper == 0) {
		stop_until_over(parent, on_orders);
		_exit(0);
	}
}

/* Ends the process that stops its parent; returns how many stops there were. */
static unsigned long end_stops(void)
{
	nap_store_relaxed(&shared->over, 1);
	waitpid(stopper, NULL, 0);
	return shared->stops;
}

TEST(work_goes_on_after_every_stop)
{
	unsigned long injected;

	watchdog(&pool, 0);
	begin_stops(false);
	/* The load repeats until there have been enough stops, however fast the machine is. */
	for (unsigned long i = 0; nap_load_relaxed(&shared->stops) < nap_test_count(300); i++)
		load_with_every_end(_metadata, &pool, i);
	injected = end_stops();
	load_report("SIGSTOP, SIGCONT under load", injected);
}

/* ---- timed waits across a stop ---- */

static void stop_now(void)
{
	nap_store_release(&shared->wanted, 1);
}

static void await_stop(void)
{
	while (nap_load_acquire(&shared->wanted))
		sched_yield();
}

/* Orders a stop, and returns when the stop is over. */
static void outlast_stop(struct nap_task *task)
{
	struct member *m = nap_container_of(task, struct member, task);

	stop_now();
	await_stop();
	m->depth = 1;
	member_done(task);
}

TEST(a_timed_wait_across_a_stop)
{
	unsigned long rounds = nap_test_count(60), waits = 0;

	watchdog(&pool, 0);
	begin_stops(true);
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 2 }), 0);
	for (unsigned long i = 0; i < rounds; i++) {
		struct nap_group group = NAP_GROUP_INIT(&pool);
		struct member m = { NAP_TASK_INIT(outlast_stop), &group, &pool, 0 };
		uint64_t bound = i % 8 * 1000000, begin;
		int err;

		nap_group_add(&group, 1);
		/*
		 * No event ends this wait. It must not return before its time, but it must return.
		 */
		begin = nap__os_now();
		stop_now();
		LOAD_WANT(nap_group_wait_for(&group, bound) == -ETIMEDOUT);
		LOAD_WANT(nap__os_now() - begin >= bound);
		await_stop();
		/* The task ends after a stop. The timeout may come before or after that. */
		nap_schedule(&pool, &m.task);
		err = i % 2 ? nap_group_wait_for(&group, bound) :
			      nap_pool_quiesce_for(&pool, bound);
		LOAD_WANT(err == 0 || err == -ETIMEDOUT);
		if (!err) {
			EXPECT_EQ(m.depth, 1);
		}
		waits += err != 0;
		EXPECT_EQ(nap_group_wait(&group), 0);
		EXPECT_EQ(m.depth, 1);
		EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	}
	TH_LOG("%lu of %lu waits timed out first", waits, rounds);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(load.odd, 0);
	fault_report("SIGSTOP, SIGCONT under timed waits", end_stops(), rounds, nr_run);
}

/* ---- workers blocked inside tasks ---- */

static int pipe_ends[2];
static uint32_t nr_blocked;

/* Schedules tasks, and blocks: other workers take the tasks. */
static void flood_and_block(struct nap_task *task)
{
	struct job *job = begin(task);
	char byte;

	for (int i = 0; i < 500; i++)
		put(new_job(run_job, 0));
	nap_fetch_add_relaxed(&nr_blocked, 1);
	LOAD_WANT(read(pipe_ends[0], &byte, 1) == 1);
	end(job);
}

static void block_workers(uint32_t n)
{
	nr_blocked = 0;
	for (uint32_t i = 0; i < n; i++)
		put(new_job(flood_and_block, 0));
	/*
	 * The workers that are not blocked run the tasks in any order, so each task that blocks
	 * gets a worker in the end.
	 */
	while (nap_load_relaxed(&nr_blocked) < n)
		sched_yield();
}

/*
 * Whether every task was run, or is blocked in a worker: begin() counts a task that blocks as run.
 */
static bool is_all_run(void)
{
	return nap_load_relaxed(&load.run) == nap_load_relaxed(&load.accepted);
}

static void unblock_workers(uint32_t n)
{
	while (n--)
		LOAD_WANT(write(pipe_ends[1], "", 1) == 1);
}

TEST(others_go_on_while_workers_are_blocked)
{
	unsigned long rounds = nap_test_slow() ? 8 : 20, injected = 0;

	watchdog(&pool, 0);
	ASSERT_EQ(pipe(pipe_ends), 0);
	for (unsigned long i = 0; i < rounds; i++) {
		uint32_t blocked = 1 + i % 4;

		ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 4 }), 0);
		/*
		 * In some loads there are no producers. In these loads nothing wakes a worker
		 * except the notifications of the workers that block now.
		 */
		load_prepare(&pool, blocked < 4 && i % 8 < 4 ? 64 : 0, LOAD_QUIESCE);
		block_workers(blocked);
		load_go();
		load_join_producers();
		/* If all workers are blocked, threads from outside have to help. */
		while (!is_all_run())
			if (blocked < 4 || !nap_pool_help(&pool, 1))
				sched_yield();
		EXPECT_EQ(nap_pool_quiesce_for(&pool, 1000000), -ETIMEDOUT);
		unblock_workers(blocked);
		load_quiesce_and_join();
		load_expect();
		injected += blocked;
	}
	load_report("workers blocked inside tasks", injected);
}

TEST_HARNESS_MAIN

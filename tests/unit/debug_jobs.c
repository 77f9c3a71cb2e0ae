/* SPDX-License-Identifier: MIT */
/*
 * Misuse of fork and join that a debug build catches: a line that says what and where, and abort.
 */
#include "queue/deque.h"
#include "worker/self.h"
#include "jobs_fixture.h"
#include "unit/debug_dies.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1, .name = "misused");
enum { MANY = NAP_DEQUE_SIZE + 3 };
static struct nap_frame *frames[MANY];

static void nothing(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
}

MISUSES void fork_some(struct nap_worker *worker, int n)
{
	struct nap_frame *top = nap_top(worker);

	for (int i = 0; i < n; i++) {
		frames[i] = top;
		top = nap_fork(worker, top, nothing);
	}
}

MISUSES void fork_nothing(struct nap_worker *worker)
{
	nap_fork(worker, nap_top(worker), NULL);
}

/*
 * Forks into one frame twice, as a function does that does not pass the next top on to its callee.
 */
MISUSES void fork_into_the_same(struct nap_worker *worker)
{
	fork_some(worker, 1);
	nap_fork(worker, frames[0], nothing);
}

MISUSES void fork_above_the_top(struct nap_worker *worker)
{
	nap_fork(worker, nap_top(worker) + 1, nothing);
}

/* A job beyond the last frame is checked, too: its top is the last frame. */
MISUSES void fork_beside_the_last(struct nap_worker *worker)
{
	fork_some(worker, NAP_DEQUE_SIZE + 1);
	nap_fork(worker, frames[NAP_DEQUE_SIZE] + 1, nothing);
}

MISUSES void join_out_of_order(struct nap_worker *worker)
{
	fork_some(worker, 2);
	nap_join(worker, frames[0]);
}

MISUSES void join_out_of_order_without_a_frame(struct nap_worker *worker)
{
	fork_some(worker, NAP_DEQUE_SIZE + 1);
	nap_join(worker, frames[NAP_DEQUE_SIZE - 1]);
}

MISUSES void join_twice(struct nap_worker *worker)
{
	fork_some(worker, 1);
	if (!nap_join(worker, frames[0]))
		return;
	nap_join(worker, frames[0]);
}

MISUSES void join_what_was_not_forked(struct nap_worker *worker)
{
	nap_join(worker, nap_top(worker));
}

MISUSES void fork_on_another_worker(struct nap_worker *worker)
{
	self_is(nap__self(), NULL);
	fork_some(worker, 1);
}

MISUSES void join_on_another_worker(struct nap_worker *worker)
{
	fork_some(worker, 1);
	self_is(nap__self(), NULL);
	nap_join(worker, frames[0]);
}

MISUSES void return_without_a_join(struct nap_worker *worker)
{
	fork_some(worker, 2);
	nap_join(worker, frames[1]);
}

MISUSES void fork_and_return(struct nap_worker *worker, struct nap_frame *top,
			    struct nap_frame *frame)
{
	(void)frame;
	nap_fork(worker, top, nothing);
}

/* The worker itself steals the job while it helps. */
MISUSES void return_from_a_job_without_a_join(struct nap_worker *worker)
{
	nap_fork(worker, nap_top(worker), fork_and_return);
	nap_pool_help(&pool, 1);
}

MISUSES void fork_in_call(struct nap_worker *worker, void *unused)
{
	(void)unused;
	fork_some(worker, 1);
}

MISUSES void return_from_a_call_without_a_join(struct nap_worker *worker)
{
	(void)worker;
	nap_call(&pool, fork_in_call, NULL);
}

/* Returns without a join as a guest of another pool. */
MISUSES void return_from_a_guests_call_without_a_join(struct nap_worker *worker)
{
	static struct nap_pool other = NAP_POOL_INIT(.max_workers = 1);

	(void)worker;
	nap_call(&other, fork_in_call, NULL);
}

MISUSES void start_and_return_without_a_join(struct nap_worker *worker, void *unused)
{
	(void)unused;
	fork_some(worker, 1);
}

MISUSES void return_from_a_callback_without_a_join(struct nap_worker *worker)
{
	static struct nap_pool other = NAP_POOL_INIT(
		.max_workers = 1, .worker_start = start_and_return_without_a_join);
	struct nap_task task = NAP_TASK_INIT(count_run);

	(void)worker;
	nap_schedule(&other, &task);
	nap_pool_join(&other, NULL);
}

static void (*misuse)(struct nap_worker *worker);

static void misuse_on_worker(void)
{
	run_on_worker(&pool, misuse);
	/* The worker checks after the task; the wait for the task may be over before. */
	sleep(10);
}

TEST(misuse_of_jobs)
{
	static const struct {
		void (*misuse)(struct nap_worker *worker);
		const char *says;
	} table[] = {
		{ fork_nothing, " has no run function, called from" },
		{ fork_into_the_same, " is not the top, 0x" },
		{ fork_above_the_top, " is not the top, 0x" },
		{ fork_beside_the_last, " is not the top, 0x" },
		{ join_out_of_order, " is not the last that was forked into" },
		{ join_out_of_order_without_a_frame, " is not the last that was forked into" },
		{ join_twice, "nap_join: nothing is forked, nor in frame 0x" },
		{ join_what_was_not_forked, "nap_join: nothing is forked, nor in frame 0x" },
		{ fork_on_another_worker, "nap_fork: worker 0x" },
		{ join_on_another_worker, "nap_join: worker 0x" },
		{ return_without_a_join, "a task has returned with 1 of its jobs not joined" },
		{ return_from_a_job_without_a_join,
		  "a job has returned with 1 of its jobs not joined" },
		{ return_from_a_call_without_a_join,
		  "a function that was called has returned with 1 of its jobs not joined" },
		{ return_from_a_guests_call_without_a_join,
		  "a function that was called has returned with 1 of its jobs not joined" },
		{ return_from_a_callback_without_a_join,
		  "a callback has returned with 1 of its jobs not joined" },
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		misuse = table[i].misuse;
		EXPECT_DIES(misuse_on_worker, table[i].says);
	}
}

static unsigned nr_spoilt;

/*
 * Correct use is not reported. If a forker has to run its job itself, nap_join() of a debug build
 * overwrites the argument in the frame, to show a forker that reads the argument from there.
 */
static void use_well(struct nap_worker *worker)
{
	for (int round = 0; round < 3; round++) {
		fork_some(worker, MANY);
		if (round == 1)
			nap_pool_help(&pool, 5);
		for (int i = MANY; i--;) {
			memset(frames[i]->words, 1, NAP_JOB_SIZE);
			if (!nap_join(worker, frames[i]))
				continue;
			for (int at = 0; at < NAP_JOB_SIZE; at++)
				nr_spoilt += frames[i]->words[at] != 1;
		}
	}
}

TEST(good_use_of_jobs)
{
	EXPECT_EQ(run_on_worker(&pool, use_well), 0);
	/* The frames of five jobs, which ran as stolen jobs do, were not overwritten. */
	EXPECT_EQ(nr_spoilt, (3 * MANY - 5) * NAP_JOB_SIZE);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN

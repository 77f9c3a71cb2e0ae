/* SPDX-License-Identifier: MIT */
/* What a debug build catches of fork and join: one line that says what and where, then abort. */
#include "jobs_fixture.h"
#include "queue/deque.h"
#include "self.h"
#include "unit/debug_dies.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1, .name = "misused");
static struct nap_job jobs[NAP_DEQUE_SIZE + 3];

static void nothing(struct nap_worker *worker, struct nap_job *job)
{
	(void)worker;
	(void)job;
}

static void init_jobs(void)
{
	for (unsigned i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		jobs[i] = (struct nap_job)NAP_JOB_INIT(nothing);
}

static void fork_some(struct nap_worker *worker, int n)
{
	init_jobs();
	for (int i = 0; i < n; i++)
		nap_fork(worker, &jobs[i]);
}

static void fork_nothing(struct nap_worker *worker)
{
	struct nap_job job = NAP_JOB_INIT(NULL);

	nap_fork(worker, &job);
}

static void fork_twice(struct nap_worker *worker)
{
	fork_some(worker, 1);
	nap_fork(worker, &jobs[0]);
}

/* One that has no slot is still one. */
static void fork_twice_without_a_slot(struct nap_worker *worker)
{
	fork_some(worker, NAP_DEQUE_SIZE + 1);
	nap_fork(worker, &jobs[NAP_DEQUE_SIZE]);
}

static void join_out_of_order(struct nap_worker *worker)
{
	fork_some(worker, 2);
	nap_join(worker, &jobs[0]);
}

static void join_out_of_order_without_a_slot(struct nap_worker *worker)
{
	fork_some(worker, NAP_DEQUE_SIZE + 1);
	nap_join(worker, &jobs[NAP_DEQUE_SIZE - 1]);
}

static void join_twice(struct nap_worker *worker)
{
	fork_some(worker, 1);
	if (!nap_join(worker, &jobs[0]))
		return;
	nap_join(worker, &jobs[0]);
}

static void join_what_was_not_forked(struct nap_worker *worker)
{
	init_jobs();
	nap_join(worker, &jobs[0]);
}

static void fork_on_another_worker(struct nap_worker *worker)
{
	self_is(nap__self(), NULL);
	fork_some(worker, 1);
}

static void join_on_another_worker(struct nap_worker *worker)
{
	fork_some(worker, 1);
	self_is(nap__self(), NULL);
	nap_join(worker, &jobs[0]);
}

static void return_without_a_join(struct nap_worker *worker)
{
	fork_some(worker, 2);
	nap_join(worker, &jobs[1]);
}

static void fork_and_return(struct nap_worker *worker, struct nap_job *job)
{
	(void)job;
	nap_fork(worker, &jobs[1]);
}

/* Stolen by the worker itself, which looks for something to do. */
static void return_from_a_job_without_a_join(struct nap_worker *worker)
{
	init_jobs();
	jobs[0].run = fork_and_return;
	nap_fork(worker, &jobs[0]);
	nap_pool_help(&pool, 1);
}

static void fork_in_call(struct nap_worker *worker, void *unused)
{
	(void)unused;
	fork_some(worker, 1);
}

static void return_from_a_call_without_a_join(struct nap_worker *worker)
{
	(void)worker;
	nap_call(&pool, fork_in_call, NULL);
}

/* As a guest: of another pool than the one that this worker serves. */
static void return_from_a_guests_call_without_a_join(struct nap_worker *worker)
{
	static struct nap_pool other = NAP_POOL_INIT(.max_workers = 1);

	(void)worker;
	nap_call(&other, fork_in_call, NULL);
}

static void start_and_return_without_a_join(struct nap_worker *worker, void *unused)
{
	(void)unused;
	fork_some(worker, 1);
}

static void return_from_a_callback_without_a_join(struct nap_worker *worker)
{
	static struct nap_pool other = NAP_POOL_INIT(.max_workers = 1,
						     .worker_start = start_and_return_without_a_join);
	struct nap_task task = NAP_TASK_INIT(count_run);

	(void)worker;
	nap_schedule(&other, &task);
	nap_pool_join(&other, NULL);
}

static void (*misuse)(struct nap_worker *worker);

static void misuse_on_worker(void)
{
	run_on_worker(&pool, misuse);
	/* What the task has left undone is seen behind it, maybe when nobody waits any more. */
	sleep(10);
}

TEST(misuse_of_jobs)
{
	static const struct {
		void (*misuse)(struct nap_worker *worker);
		const char *says;
	} table[] = {
		{ fork_nothing, " has no run function, called from" },
		{ fork_twice, " is forked twice, called from" },
		{ fork_twice_without_a_slot, " is forked twice, called from" },
		{ join_out_of_order, " is not the last that was forked, called from" },
		{ join_out_of_order_without_a_slot, " is not the last that was forked" },
		{ join_twice, " is not forked, called from" },
		{ join_what_was_not_forked, " is not forked, called from" },
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
	char said[1024];

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		misuse = table[i].misuse;
		EXPECT_TRUE(dies(misuse_on_worker, said, sizeof(said)));
		EXPECT_TRUE(is_one_line(said));
		EXPECT_NE(strstr(said, table[i].says), NULL) {
			TH_LOG("\"%s\" does not say \"%s\"", said, table[i].says);
		}
	}
}

/* Good use is left alone; and a job's function is what it was when it has been joined. */
static void use_well(struct nap_worker *worker)
{
	for (int round = 0; round < 3; round++) {
		fork_some(worker, NAP_DEQUE_SIZE + 3);
		if (round == 1)
			nap_pool_help(&pool, 5);
		for (int i = NAP_DEQUE_SIZE + 3; i--;) {
			nap_join(worker, &jobs[i]);
			if (jobs[i].run != nothing)
				abort();
		}
	}
}

TEST(good_use_of_jobs)
{
	EXPECT_EQ(run_on_worker(&pool, use_well), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN

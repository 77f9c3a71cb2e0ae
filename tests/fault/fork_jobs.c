/* SPDX-License-Identifier: MIT */
/*
 * fork(2) in the middle of forks and joins: in the child a job that another worker had taken is
 * given back, the child joins the jobs that it forks itself, and nothing hangs. The parent goes
 * on.
 */
#include "fault/fork.h"
#include "forked.h"
#include "jobs_fixture.h"

#define NR_JOBS 5

static struct counted { struct nap_frame *frame; uint32_t runs; } jobs[NR_JOBS], inner[NR_JOBS];
static uint32_t nr_taken, let_go;
static unsigned long nr_given_back;

static void count_job(struct nap_worker *worker, struct nap_frame *top, struct counted *c)
{
	(void)worker;
	(void)top;
	nap_fetch_add_relaxed(&c->runs, 1);
}

static void hold_job(struct nap_worker *worker, struct nap_frame *top, struct counted *c)
{
	nap_fetch_add_relaxed(&nr_taken, 1);
	flag_wait(&let_go);
	count_job(worker, top, c);
}

NAP_JOB_VOID(count_job, struct counted *)
NAP_JOB_VOID(hold_job, struct counted *)

static void fork_all(struct nap_worker *worker, struct counted *c, nap_job_fn run)
{
	for (int i = 0; i < NR_JOBS; i++) {
		c[i].runs = 0;
		c[i].frame = fork_run(worker, run, &c[i]);
	}
}

/* Joins all jobs; returns how many this worker had to run itself. */
static int join_all(struct nap_worker *worker, struct counted *c)
{
	int own = 0;

	for (int i = NR_JOBS; i--;)
		if (nap_join(worker, c[i].frame)) {
			count_job(worker, c[i].frame, &c[i]);
			own++;
		}
	return own;
}

/*
 * The child has one thread, which runs all jobs: those that other workers have taken, the remaining
 * ones, and new ones.
 */
static void child(struct nap_worker *worker)
{
	set_alarm();
	fork_all(worker, inner, count_job_run);
	CHECK(join_all(worker, inner) == NR_JOBS);
	CHECK(join_all(worker, jobs) == NR_JOBS);
	for (int i = 0; i < NR_JOBS; i++)
		CHECK(jobs[i].runs == 1 && inner[i].runs == 1);
}

static void fork_process(struct nap_worker *worker)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		child(worker);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		nap_cmpxchg_relaxed(&told->line, 0, __LINE__);
	nap_fetch_add_release(&told->children, 1);
}

/*
 * Forks the process while other workers are inside two of the jobs. The remaining jobs are this
 * worker's own.
 */
static void fork_with_taken(struct nap_worker *worker)
{
	nr_taken = let_go = 0;
	fork_all(worker, jobs, hold_job_run);
	while (nap_load_relaxed(&nr_taken) < 2)
		sched_yield();
	nr_given_back += nap_load_relaxed(&nr_taken);
	fork_process(worker);
	flag_set(&let_go);
	join_all(worker, jobs);
}

TEST(fork_in_a_task_whose_jobs_others_have_taken)
{
	unsigned long rounds = nap_test_count(50);

	watchdog(&pool, 0);
	begin_telling();
	for (unsigned long i = 0; i < rounds; i++) {
		ASSERT_EQ(run_on_worker(&pool, fork_with_taken), 0);
		for (int k = 0; k < NR_JOBS; k++) {
			EXPECT_EQ(jobs[k].runs, 1);
		}
	}
	EXPECT_EQ(told->line, 0);
	EXPECT_EQ(told->children, rounds);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	fault_report("fork in a task with stolen jobs", nr_given_back, rounds * NR_JOBS,
		     rounds * NR_JOBS);
}

/* ---- in the job, on the thief: the child ends when the job has returned */

static void fork_in_job(struct nap_worker *worker, struct nap_frame *top, struct counted *c)
{
	pid_t pid = fork();
	int status;

	nap_fetch_add_relaxed(&nr_taken, 1);
	count_job(worker, top, c);
	if (pid == 0) {
		set_alarm();
		fork_all(worker, inner, count_job_run);
		CHECK(join_all(worker, inner) == NR_JOBS);
		return;		/* to a loop, which finds that this thread is no worker */
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		nap_cmpxchg_relaxed(&told->line, 0, __LINE__);
	nap_fetch_add_release(&told->children, 1);
}

NAP_JOB_VOID(fork_in_job, struct counted *)

static void fork_a_forker(struct nap_worker *worker)
{
	struct nap_frame *top = nap_top(worker);

	nr_taken = jobs[0].runs = 0;
	fork_in_job_fork(worker, top, &jobs[0]);
	while (!nap_load_relaxed(&nr_taken))
		sched_yield();
	if (nap_join(worker, top))
		abort();
}

TEST(fork_in_a_stolen_job_that_returns_in_both)
{
	unsigned long rounds = nap_test_count(50);

#ifdef NAP_TEST_TSAN
	/* fault/fork.c says why. */
	SKIP(return, "ThreadSanitizer cannot exit on a thread that has ended");
#endif
	watchdog(&pool, 0);
	begin_telling();
	for (unsigned long i = 0; i < rounds; i++) {
		ASSERT_EQ(run_on_worker(&pool, fork_a_forker), 0);
		EXPECT_EQ(jobs[0].runs, 1);
	}
	EXPECT_EQ(told->line, 0);
	EXPECT_EQ(told->children, rounds);
	/* Each child has run its exit handlers. */
	EXPECT_EQ(told->handlers, rounds);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	fault_report("fork in a stolen job", rounds, rounds, rounds);
}

TEST_HARNESS_MAIN

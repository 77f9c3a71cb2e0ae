/* SPDX-License-Identifier: MIT */
/*
 * A kernel without membarrier: a seccomp filter answers as an old kernel or a sandbox would. Then
 * every fork is published, and the results are the same.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "fib.h"
#include "jobs_fixture.h"
#include "fork/ask.h"
#include "os/os.h"
#include "worker/worker.h"

static struct nap_pool pool;

/* Installs the filter for the calling thread and the threads that it starts. */
static void refuse_membarrier(uint32_t err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(*code), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		abort();
}

static long result;

static void fib_of_18(struct nap_worker *worker)
{
	result = fib(worker, nap_top(worker), 18);
}

/* Jobs that only other workers can run, because each job waits until all jobs have begun. */
static uint32_t nr_inside;

static void meet(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
	nap_fetch_add_relaxed(&nr_inside, 1);
	while (nap_load_relaxed(&nr_inside) < 3)
		sched_yield();
}

static void fork_and_look_on(struct nap_worker *worker)
{
	struct nap_frame *tops[4] = { nap_top(worker) };

	nr_inside = 0;
	for (int i = 0; i < 3; i++)
		tops[i + 1] = nap_fork(worker, tops[i], meet);
	while (nap_load_relaxed(&nr_inside) < 3)
		sched_yield();
	for (int i = 3; i--;)
		if (nap_join(worker, tops[i]))
			abort();
}

static void use_pool(struct __test_metadata *_metadata, uint32_t forks)
{
	unsigned long rounds = nap_test_count(100);

	watchdog(&pool, 0);
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 4 });
	for (unsigned long i = 0; nap_test_again(i, rounds); i++) {
		ASSERT_EQ(run_on_worker(&pool, fib_of_18), 0);
		ASSERT_EQ(result, 2584);
		ASSERT_EQ(run_on_worker(&pool, fork_and_look_on), 0);
	}
	EXPECT_EQ(pool.forks, forks);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(the_kernel_has_no_membarrier)
{
	refuse_membarrier(ENOSYS);
	use_pool(_metadata, FORKS_FENCED);
}

TEST(a_sandbox_forbids_membarrier)
{
	refuse_membarrier(EPERM);
	use_pool(_metadata, FORKS_FENCED);
}

#ifndef NAP_DEBUG
#define SKIP_WITHOUT_MEMBARRIER()							\
	do {										\
		if (!nap__os_membarrier_works())					\
			SKIP(return, "no membarrier here that is known to be a full fence"); \
	} while (0)

TEST(nobody_refuses_it)
{
	SKIP_WITHOUT_MEMBARRIER();
	use_pool(_metadata, FORKS_SPLIT);
}

#define WORKERS 4

static struct nap_task refusals[WORKERS];

/* Installs the filter on each worker: no task ends before all have begun. */
static void refuse_on_worker(struct nap_task *task)
{
	(void)task;
	nap_fetch_add_relaxed(&nr_inside, 1);
	while (nap_load_relaxed(&nr_inside) < WORKERS)
		sched_yield();
	refuse_membarrier(EPERM);
}

/*
 * membarrier works when the pool begins; then a sandbox forbids it. From then on no thread can
 * publish the jobs that another worker keeps private, but the owner's next fork publishes them. No
 * job runs twice, and none is lost.
 */
TEST(a_sandbox_comes_later)
{
	unsigned long rounds = nap_test_count(100);

	SKIP_WITHOUT_MEMBARRIER();
	watchdog(&pool, 0);
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = WORKERS });
	ASSERT_EQ(run_on_worker(&pool, fork_and_look_on), 0);
	ASSERT_EQ(pool.forks, FORKS_SPLIT);
	nr_inside = 0;
	for (int i = 0; i < WORKERS; i++) {
		nap_task_init(&refusals[i], refuse_on_worker);
		ASSERT_EQ(nap_schedule(&pool, &refusals[i]), 0);
	}
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	for (unsigned long i = 0; nap_test_again(i, rounds); i++) {
		ASSERT_EQ(run_on_worker(&pool, fib_of_18), 0);
		ASSERT_EQ(result, 2584);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}
#endif

TEST_HARNESS_MAIN

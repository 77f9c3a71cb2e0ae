/* SPDX-License-Identifier: MIT */
/*
 * Sandboxes that begin when a pool has been used once, before its workers start. One kills a thread
 * that opens a file; another refuses to report or change a thread's attributes. Each test is a
 * process of its own.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "pool_fixture.h"

static struct nap_pool pool;

/* Installs a filter for the process: system calls @nrs[0 .. @n) are answered with @action. */
static void install_filter(uint32_t action, const uint32_t *nrs, unsigned n)
{
	struct sock_filter code[32] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { .len = (unsigned short)(n + 3), .filter = code };

	for (unsigned i = 0; i < n; i++)
		code[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nrs[i],
							   (unsigned char)(n - i), 0);
	code[n + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		abort();
}

/* ---- calls that a pool may make in a closed sandbox */

static struct nap_group group = NAP_GROUP_INIT(&pool);

static void run_done(struct nap_task *task)
{
	count_run(task);
	nap_group_done(&group);
}

static uint32_t inner_ran;

static void run_inner(struct nap_task *task)
{
	count_run(task);
	flag_set(&inner_ran);
}

/*
 * Helps, and so runs a task nested in this one. For this a worker has to know where its stack ends.
 */
static void nest(struct nap_task *task)
{
	struct nap_task inner = NAP_TASK_INIT(run_inner);

	if (nap_schedule(&pool, &inner) || nap_pool_help(&pool, 0) < 0)
		abort();
	/* Perhaps another worker has taken the inner task. */
	flag_wait(&inner_ran);
	run_done(task);
}

static void call(struct nap_worker *worker, void *arg)
{
	(void)worker;
	if (nap_pool_help(&pool, 1) < 0)
		abort();
	*(bool *)arg = true;
}

static void use_pool(void)
{
	struct nap_task tasks[3] = { NAP_TASK_INIT(nest), NAP_TASK_INIT(run_done),
				     NAP_TASK_INIT(run_done) };
	bool called = false;

	nap_group_add(&group, 3);
	for (int i = 0; i < 3; i++)
		if (nap_schedule(&pool, &tasks[i]))
			abort();
	if (nap_pool_help(&pool, 1) < 0 || nap_group_wait(&group) ||
	    nap_pool_prewarm(&pool, 4) || nap_call(&pool, call, &called) || !called ||
	    nap_pool_join(&pool, NULL) || nr_run != 4)
		abort();
}

static int status_of(void (*run)(void))
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		run();
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status;
}

static void use_without_files(void)
{
	static const uint32_t files[] = {
		SYS_openat,
#ifdef SYS_open
		SYS_open,
#endif
	};

	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 4 });
	install_filter(SECCOMP_RET_KILL_PROCESS, files, sizeof(files) / sizeof(*files));
	use_pool();
}

TEST(workers_start_where_files_are_forbidden)
{
	EXPECT_EQ(status_of(use_without_files), 0);
}

/* Uses a pool that has counted its CPUs before the sandbox begins. */
static void use_pool_of_its_own_size(void)
{
	static const uint32_t file = SYS_openat;

	nap_pool_init(&pool, NULL);
	nap_pool_prewarm(&pool, 0);
	install_filter(SECCOMP_RET_KILL_PROCESS, &file, 1);
	use_pool();
}

TEST(a_pool_sizes_itself_when_it_is_first_used)
{
	EXPECT_EQ(status_of(use_pool_of_its_own_size), 0);
}

/*
 * Starts workers where the kernel does not report the CPUs, and refuses every attribute: the
 * workers keep their attributes.
 */
static void use_without_knowledge(void)
{
	static const struct nap_sched batch = { .policy = 3 };
	static const unsigned long cpus[] = { 1 };
	static const uint32_t asking[] = {
		SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_sched_getscheduler,
		SYS_sched_setscheduler, SYS_sched_getparam, SYS_getpriority, SYS_setpriority,
	};
	struct nap_pool_stats stats;

	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 4, .sched = &batch,
						   .affinity = cpus,
						   .affinity_size = sizeof(cpus) });
	install_filter(SECCOMP_RET_ERRNO | EPERM, asking, sizeof(asking) / sizeof(*asking));
	use_pool();
	nap_pool_get_stats(&pool, &stats);
	if (stats.refused != 4)
		abort();
}

TEST(workers_start_where_nobody_says_what_they_are)
{
	EXPECT_EQ(status_of(use_without_knowledge), 0);
}

/* Starts four workers. Each is refused system call @nr, as by the filter of a container. */
static void use_refused(const struct nap_config *config, uint32_t nr)
{
	struct nap_pool_stats stats;

	nap_pool_init(&pool, config);
	install_filter(SECCOMP_RET_ERRNO | EPERM, &nr, 1);
	use_pool();
	nap_pool_get_stats(&pool, &stats);
	if (stats.refused != 4)
		abort();
}

static void use_without_memory_policy(void)
{
	static const struct nap_memory usual = { .mode = 0 };

	use_refused(&(struct nap_config){ .max_workers = 4, .memory = &usual }, SYS_set_mempolicy);
}

TEST(workers_start_where_they_are_refused_a_memory_policy)
{
	EXPECT_EQ(status_of(use_without_memory_policy), 0);
}

/*
 * Refuses sched_setaffinity(2). By NAP_START_ANYWHERE each worker starts with the right mask. So
 * the filter refuses one call of each worker: the one that sets the worker's own CPU.
 */
static void use_without_one_cpu(void)
{
	use_refused(&(struct nap_config){ .max_workers = 4,
					  .flags = NAP_ONE_CPU_EACH | NAP_START_ANYWHERE },
		    SYS_sched_setaffinity);
}

TEST(workers_start_where_they_are_refused_one_cpu)
{
	if (nap_cpu_count() == 1)
		SKIP(return, "there is one CPU, which each has anyway");
	EXPECT_EQ(status_of(use_without_one_cpu), 0);
}

/* Starts workers in a sandbox that kills a thread when it asks for its CPUs. */
static void use_without_placing(void)
{
	static const uint32_t placing[] = { SYS_getcpu, SYS_sched_setaffinity };

	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 4, .flags = NAP_START_ANYWHERE });
	install_filter(SECCOMP_RET_KILL_PROCESS, placing, sizeof(placing) / sizeof(*placing));
	use_pool();
}

static void use_with_placing(void)
{
	static const uint32_t placing = SYS_sched_setaffinity;

	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 4 });
	install_filter(SECCOMP_RET_KILL_PROCESS, &placing, 1);
	use_pool();
}

TEST(workers_start_where_nobody_may_place_them)
{
	EXPECT_EQ(status_of(use_without_placing), 0);
	if (nap_cpu_count() > 1)
		EXPECT_NE(status_of(use_with_placing), 0);
}

/*
 * How many processes there are, each the child of the one before. Each child has to initialise the
 * pool anew.
 */
static unsigned generations = 3;

static void use_in_child(void)
{
	static struct nap_task task = NAP_TASK_INIT(count_run);

	if (nap_schedule(&pool, &task) != -ESHUTDOWN || nap_pool_init_child(&pool))
		abort();
	if (nap_schedule(&pool, &task) || nap_pool_quiesce(&pool))
		abort();
	if (--generations && status_of(use_in_child))
		abort();
	if (nap_pool_join(&pool, NULL))
		abort();
}

/* Refuses madvise(2), as kernels do that cannot wipe a page. Then the libc tells nap of a fork. */
static void use_where_no_page_is_wiped(void)
{
	static const uint32_t advice = SYS_madvise;
	static struct nap_task task = NAP_TASK_INIT(count_run);

	install_filter(SECCOMP_RET_ERRNO | EINVAL, &advice, 1);
	if (nap_schedule(&pool, &task) || nap_pool_quiesce(&pool) || status_of(use_in_child) ||
	    nap_pool_join(&pool, NULL))
		abort();
}

TEST(a_child_is_known_where_no_page_is_wiped)
{
	EXPECT_EQ(status_of(use_where_no_page_is_wiped), 0);
}

TEST_HARNESS_MAIN

/* SPDX-License-Identifier: MIT */
/*
 * The cost of fork and join for the system, under each idle protocol: no allocation and no
 * system call by forks and joins, and next to no CPU time of a joiner that waits.
 */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "fib.h"
#include "jobs_fixture.h"
#include "under.h"

static struct nap_pool pool;

FIXTURE_SETUP(under)
{
	self->idle = variant->idle;
}

static void new_pool(enum nap_idle idle, uint32_t workers)
{
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers, .idle = idle }))
		abort();
}

static long result;

static void fib_of_25(struct nap_worker *worker)
{
	result = fib(worker, nap_top(worker), 25);
}

/*
 * ---- allocations: calls of this program, of the library in it, and inside the C library come here
 * first, except the calls of mmap() inside the C library
 */

static unsigned long nr_allocated;

#define COUNTED(type, name, parameters, arguments)			\
type name parameters							\
{									\
	static type (*next) parameters;					\
									\
	if (!next)							\
		*(void **)&next = dlsym(RTLD_NEXT, #name);		\
	nap_fetch_add_relaxed(&nr_allocated, 1);			\
	return next arguments;						\
}

COUNTED(void *, malloc, (size_t size), (size))
COUNTED(void *, calloc, (size_t n, size_t size), (n, size))
COUNTED(void *, realloc, (void *mem, size_t size), (mem, size))
COUNTED(void *, aligned_alloc, (size_t align, size_t size), (align, size))
COUNTED(int, posix_memalign, (void **mem, size_t align, size_t size), (mem, align, size))
COUNTED(void *, mmap, (void *at, size_t size, int prot, int flags, int fd, off_t offset),
	(at, size, prot, flags, fd, offset))

/* A volatile pointer, so that the compiler cannot omit an allocation. */
static void *volatile memory;

/* Returns how many allocations of @call were counted. */
#define COUNT_OF(call) ({						\
	unsigned long before_it = nap_load_relaxed(&nr_allocated);	\
	call;								\
	nap_load_relaxed(&nr_allocated) - before_it;			\
})

TEST(allocations_are_counted)
{
	void *mem;

	EXPECT_GT(COUNT_OF(memory = malloc(1)), 0);
	EXPECT_GT(COUNT_OF(memory = realloc(memory, 100)), 0);
	free(memory);
	EXPECT_GT(COUNT_OF(memory = calloc(1, 1)), 0);
	free(memory);
	EXPECT_GT(COUNT_OF(memory = aligned_alloc(64, 64)), 0);
	free(memory);
	EXPECT_GT(COUNT_OF(memory = posix_memalign(&mem, 64, 64) ? NULL : mem), 0);
	free(memory);
	EXPECT_GT(COUNT_OF(memory = mmap(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
		  0);
	munmap(memory, 1);
	EXPECT_EQ(COUNT_OF(munmap(NULL, 0)), 0);
}

/*
 * A thread that waits as a worker for the first time asks the C library where its stack ends, and
 * the C library allocates memory for the answer, once in the thread's life. So every worker asks
 * here, before allocations are counted: each worker has one task, because no task ends before all
 * have begun.
 */
enum { WORKERS = 4 };
static uint32_t nr_arrived;

static void ask_for_the_stack(struct nap_task *task)
{
	struct member *m = nap_container_of(task, struct member, task);

	nap_fetch_add_release(&nr_arrived, 1);
	while (nap_load_acquire(&nr_arrived) < WORKERS)
		sched_yield();
	if (nap_pool_help(&pool, 1))
		abort();
	nap_group_done(m->group);
}

static void make_all_ask(void)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct member members[WORKERS];

	nap_group_add(&group, WORKERS);
	for (int i = 0; i < WORKERS; i++) {
		members[i] = (struct member){ NAP_TASK_INIT(ask_for_the_stack), &group, &pool, 0 };
		if (nap_schedule(&pool, &members[i].task))
			abort();
	}
	if (nap_group_wait(&group))
		abort();
}

TEST_F(under, forks_and_joins_allocate_nothing)
{
	unsigned long before;

	watchdog(&pool, 0);
	new_pool(self->idle, WORKERS);
	ASSERT_EQ(nap_pool_prewarm(&pool, WORKERS), 0);
	make_all_ask();
	before = nap_load_relaxed(&nr_allocated);
	/* The library itself has mapped at least the workers' records. */
	ASSERT_GT(before, 0);
	for (int i = 0; i < 20; i++)
		ASSERT_EQ(run_on_worker(&pool, fib_of_25), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_allocated), before);
	EXPECT_EQ(result, 75025);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- system calls: the kernel kills a process that makes one */

static int said[2];

static void forbid_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_write, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(*code), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		abort();
}

/*
 * Computes without system calls. The worker's next system call, after the return, ends the
 * process.
 */
static void fib_without_the_system(struct nap_worker *worker)
{
	/* In this run the pool asks for membarrier, and answers all requests for jobs. */
	fib_of_25(worker);
	result = 0;
	forbid_calls();
	fib_of_25(worker);
	if (write(said[1], &result, sizeof(result)) < 0)
		abort();
}

TEST_F(under, forks_and_joins_that_nobody_steals_make_no_system_call)
{
	long got = -1;
	pid_t child;

	ASSERT_EQ(pipe(said), 0);
	child = fork();
	if (child == 0) {
		new_pool(self->idle, 1);
		run_on_worker(&pool, fib_without_the_system);
		_exit(0);
	}
	close(said[1]);
	EXPECT_EQ(read(said[0], &got, sizeof(got)), sizeof(got));
	EXPECT_EQ(got, 75025);
	waitpid(child, NULL, 0);
}

/* ---- CPU time of a joiner whose job runs for a second */

static uint32_t begun, joins, let_go;
static uint64_t joiner_cpu_ns;

static uint64_t thread_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void wait_in_job(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
	flag_set(&begun);
	while (!nap_load_acquire(&let_go))
		usleep(1000);
}

static void join_long(struct nap_worker *worker)
{
	struct nap_frame *top = nap_top(worker);
	uint64_t before;

	nap_fork(worker, top, wait_in_job);
	flag_wait(&begun);
	before = thread_cpu_ns();
	flag_set(&joins);
	if (nap_join(worker, top))
		abort();
	joiner_cpu_ns = thread_cpu_ns() - before;
}

static void *let_go_after_a_second(void *arg)
{
	flag_wait(&joins);
	sleep(1);
	flag_set(&let_go);
	return arg;
}

TEST_F(under, a_joiner_that_waits_for_a_second_uses_no_cpu)
{
	pthread_t thread;

	watchdog(&pool, 0);
	new_pool(self->idle, 2);
	ASSERT_EQ(pthread_create(&thread, NULL, let_go_after_a_second, NULL), 0);
	EXPECT_EQ(run_on_worker(&pool, join_long), 0);
	pthread_join(thread, NULL);
	TH_LOG("%lu us of CPU", (unsigned long)(joiner_cpu_ns / 1000));
	EXPECT_LT(joiner_cpu_ns, 10000000);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN

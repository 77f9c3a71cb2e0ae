/* SPDX-License-Identifier: MIT */
/*
 * The guard below a worker's stack is as large as the configuration says, and a task that runs
 * into it dies. The test finds pages by the answers of system calls, so it also runs without a
 * libc, and emulated.
 */
#ifndef NAP_TEST_BARE
#include <malloc.h>
#include <signal.h>
#endif
#include <sys/wait.h>

#include "os/os.h"
#include "pool_fixture.h"
#include "arch/syscall.h"
#include "segv.h"

#define PAGE		((uintptr_t)4096)
#define STACK		((size_t)256 << 10)
#define LARGE		((size_t)512 << 10)	/* the size of a guard */
#define NEARLY		(LARGE - (64 << 10))	/* a multiple of every page size, less than LARGE */
#define FURTHER		((uintptr_t)384 << 10)	/* larger than any default guard, less than LARGE */

#define FAULT	(-14)	/* EFAULT */
#define FUTEX_WAIT_PRIVATE	128
#define PROT_READ_WRITE		3
#define MAP_PRIVATE_ANONYMOUS	0x22

static struct nap_pool pool;

/* ---- the mapping at an address */

static bool can_be_read(uintptr_t at)
{
	static const int64_t now[2];

	return nap__syscall4(NAP__NR_futex, (long)at, FUTEX_WAIT_PRIVATE, 0, (long)now) != FAULT;
}

/* Maps memory at @at if there is none; the mapping stays. */
static bool map_page(uintptr_t at)
{
	uintptr_t mapped = (uintptr_t)nap__syscall6(NAP__NR_mmap, (long)at, PAGE, PROT_READ_WRITE,
						    MAP_PRIVATE_ANONYMOUS, -1, 0);

	if (mapped != at)
		nap__syscall2(NAP__NR_munmap, (long)mapped, PAGE);
	return mapped == at;
}

/* Whether memory is mapped at @at that may not be accessed. */
static bool is_guard(uintptr_t at)
{
	return !can_be_read(at) && !map_page(at);
}

/* Returns the lowest address of the calling thread's stack. */
static uintptr_t stack_end(void)
{
	uintptr_t at = nap__os_stack_half() / PAGE * PAGE;

	while (nap__os_on_stack(at - 1))
		at -= PAGE;
	return at;
}

/* ---- on a worker */

static size_t nr_guards;	/* pages below the stack */
static bool is_whole;	/* the whole stack is accessible */
static uintptr_t lower_half;

static void look(struct nap_task *task)
{
	uintptr_t end = stack_end();

	(void)task;
	nr_guards = 0;
	while (nr_guards < LARGE / PAGE && is_guard(end - (nr_guards + 1) * PAGE))
		nr_guards++;
	is_whole = can_be_read(end);
	lower_half = nap__os_stack_half() - end;
}

static void run_on_worker(const struct nap_config *config, nap_task_fn run)
{
	struct nap_task task = NAP_TASK_INIT(run);
	struct nap_config own = *config;

#ifdef M_ARENA_MAX
	/* one arena: other arenas might be mapped below the stack, with guards of their own */
	mallopt(M_ARENA_MAX, 1);
#endif
	own.max_workers = 1;
	own.stack_size = STACK;
	/* The worker starts first; otherwise the joiner would run the task. */
	if (nap_pool_init(&pool, &own) || nap_pool_prewarm(&pool, 1) ||
	    nap_schedule(&pool, &task) || nap_pool_join(&pool, NULL))
		abort();
}

static size_t guard_bytes(size_t guard_size)
{
	run_on_worker(&(struct nap_config){ .guard_size = guard_size }, look);
	return nr_guards * PAGE;
}

TEST(there_is_one_by_default)
{
	EXPECT_GE(guard_bytes(0), PAGE);
}

TEST(it_is_as_large_as_the_configuration_says)
{
	EXPECT_GE(guard_bytes(LARGE), LARGE);
	EXPECT_GE(guard_bytes(NEARLY + 1), NEARLY + PAGE);
	EXPECT_GE(guard_bytes(1), PAGE);
}

TEST(there_is_none_where_none_is_wanted)
{
	EXPECT_EQ(guard_bytes(NAP_NO_GUARD), 0);
}

TEST(it_is_not_taken_from_the_stack)
{
	static const size_t sizes[] = { NAP_NO_GUARD, 0, LARGE };
	uintptr_t half = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		guard_bytes(sizes[i]);
		EXPECT_TRUE(is_whole);
		/* A libc keeps some of its own data at the top of the stack. */
		EXPECT_GE(lower_half, STACK / 2 - (16 << 10));
		/* A libc may reuse a stack that has another guard. */
		half = half ? half : lower_half;
		EXPECT_GE(lower_half + (64 << 10), half);
		EXPECT_LE(lower_half, half + (64 << 10));
	}
}

TEST(one_that_cannot_be_had_is_a_failed_start)
{
	static const size_t sizes[] = { SIZE_MAX - 1, SIZE_MAX - 65536, SIZE_MAX / 2,
					(size_t)1 << 56 };
	struct nap_pool_stats stats;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct nap_task task = NAP_TASK_INIT(count_run);

		nr_run = 0;
		ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .guard_size = sizes[i] }), 0);
		EXPECT_LT(nap_pool_prewarm(&pool, 1), 0);
		EXPECT_EQ(nap_schedule(&pool, &task), 0);
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
		EXPECT_EQ(nr_run, 1);
		nap_pool_get_stats(&pool, &stats);
		EXPECT_GT(stats.spawn_failures, 0);
	}
}

/* ---- a task that runs into the guard */

static void overflow(struct nap_task *task)
{
	volatile char page[1024];

	page[0] = 0;
	if (!page[0])	/* always true, but the compiler does not know this */
		overflow(task);
	page[0] = 1;
}

/* Touches the far end of a large frame first, as a function with such a frame may do. */
static void jump(struct nap_task *task)
{
	uintptr_t end = stack_end(), at = end - FURTHER;

	(void)task;
	/* Fills any gap in the guard with memory, so that the access does not fault there. */
	for (uintptr_t i = PAGE; i <= LARGE; i += PAGE)
		map_page(end - i);
	*(volatile char *)at = 1;
}

static int status_of(const struct nap_config *config, nap_task_fn run)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
#ifndef NAP_TEST_BARE
		signal(SIGSEGV, SIG_DFL);	/* sanitizers install a handler of their own */
#endif
		run_on_worker(config, run);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status;
}

TEST(a_stack_that_overflows_is_noticed)
{
	EXPECT_SEGV(status_of(&(struct nap_config){ 0 }, overflow));
	EXPECT_SEGV(status_of(&(struct nap_config){ .guard_size = LARGE }, overflow));
}

TEST(a_large_frame_steps_over_a_small_guard_and_not_over_a_large_one)
{
	EXPECT_EQ(status_of(&(struct nap_config){ 0 }, jump), 0);
	EXPECT_EQ(status_of(&(struct nap_config){ .guard_size = NAP_NO_GUARD }, jump), 0);
	EXPECT_SEGV(status_of(&(struct nap_config){ .guard_size = LARGE }, jump));
}

TEST_HARNESS_MAIN

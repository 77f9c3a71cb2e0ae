/* SPDX-License-Identifier: MIT */
/*
 * The attributes that a worker inherits, and those that it sets itself. The test reads them by
 * system calls alone, so it also runs without a libc, and as far as possible under an emulator.
 * Each test is a process, and runs on its main thread.
 */
#include <errno.h>
#include <pthread.h>

#include "arch/syscall.h"
#include "pool_fixture.h"

#define PR_GET_NAME_	16

static struct nap_pool pool;

/* The name and mask of worker 0, in worker_start and in its first task. */
static struct seen {
	char name[16];
	uint64_t blocked;
} in_start, in_task;

#define SIG_SETMASK_	2

/* Sets the calling thread's mask to *@mask unless @mask is NULL; returns the old mask. */
static uint64_t swap_mask(const uint64_t *mask)
{
	uint64_t old = 0;

	nap__syscall4(NAP__NR_rt_sigprocmask, SIG_SETMASK_, (long)mask, (long)&old, sizeof(old));
	return old;
}

static void look(struct seen *seen)
{
	nap__syscall2(NAP__NR_prctl, PR_GET_NAME_, (long)seen->name);
	seen->blocked = swap_mask(NULL);
}

static void look_in_start(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	look(&in_start);
}

static void look_in_task(struct nap_task *task)
{
	(void)task;
	look(&in_task);
}

/* Starts a worker from the calling thread; the worker notes its attributes. */
static void start_and_look(const struct nap_config *config)
{
	struct nap_task task = NAP_TASK_INIT(look_in_task);
	struct nap_config own = *config;

	own.max_workers = 1;
	if (!own.worker_start)
		own.worker_start = look_in_start;
	if (nap_pool_init(&pool, &own) || nap_schedule(&pool, &task) ||
	    nap_pool_quiesce(&pool) || nap_pool_join(&pool, NULL))
		abort();
}

/* ---- names */

TEST(a_worker_has_its_name_before_worker_start)
{
	start_and_look(&(struct nap_config){ 0 });
	EXPECT_STREQ(in_start.name, "nap/0");
	EXPECT_STREQ(in_task.name, "nap/0");
	start_and_look(&(struct nap_config){ .name = "svc" });
	EXPECT_STREQ(in_start.name, "svc/0");
}

TEST(a_name_is_cut_to_what_the_kernel_keeps)
{
	start_and_look(&(struct nap_config){ .name = "a name that is too long" });
	EXPECT_STREQ(in_start.name, "a name that is ");
	start_and_look(&(struct nap_config){ .name = "fourteen bytes" });
	EXPECT_STREQ(in_start.name, "fourteen bytes/");
	start_and_look(&(struct nap_config){ .name = "" });
	EXPECT_STREQ(in_start.name, "/0");
}

TEST(a_name_is_used_as_it_is)
{
	start_and_look(&(struct nap_config){ .name = "svc", .flags = NAP_NAME_EXACT });
	EXPECT_STREQ(in_start.name, "svc");
	start_and_look(&(struct nap_config){ .flags = NAP_NAME_EXACT });
	EXPECT_STREQ(in_start.name, "nap");
	start_and_look(&(struct nap_config){ .name = "exactly, but too long",
					     .flags = NAP_NAME_EXACT });
	EXPECT_STREQ(in_start.name, "exactly, but to");
}

static void rename_self(struct nap_worker *worker, void *arg)
{
	(void)worker;
	nap__syscall2(NAP__NR_prctl, 15, (long)arg);
}

TEST(worker_start_may_give_another)
{
	start_and_look(&(struct nap_config){ .worker_start = rename_self, .arg = (void *)"mine" });
	EXPECT_STREQ(in_task.name, "mine");
}

static uint32_t all_there;
static char names[12][16];

static void name_in_task(struct nap_worker *worker, void *arg)
{
	(void)arg;
	nap__syscall2(NAP__NR_prctl, PR_GET_NAME_, (long)names[nap_worker_index(worker)]);
	nap_fetch_add_release(&all_there, 1);
}

TEST(a_name_has_the_number_behind_it)
{
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 12, .name = "w",
						   .worker_start = name_in_task });
	ASSERT_EQ(nap_pool_prewarm(&pool, 12), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(all_there, 12);
	EXPECT_STREQ(names[0], "w/0");
	EXPECT_STREQ(names[9], "w/9");
	EXPECT_STREQ(names[11], "w/11");
}

/* Leaves a stack on which no byte is 0, as the last frames of a thread may do. */
static __attribute__((noinline)) void *fill_stack(void *unused)
{
	volatile char bytes[8192];

	(void)unused;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = 'x';
	return NULL;
}

/*
 * What the worker's stack has held before is no part of the name. glibc gives the worker the stack
 * of a thread that has ended, and does not clear it. In the second round the worker also has a nice
 * value below 0, which it reads before it takes its name. Such a value needs a privilege.
 */
TEST(a_name_ends_behind_its_number)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(pthread_create(&thread, NULL, fill_stack, NULL), 0);
		ASSERT_EQ(pthread_join(thread, NULL), 0);
		start_and_look(&(struct nap_config){ 0 });
		EXPECT_STREQ(in_start.name, "nap/0");
		if (!i && nap__syscall3(NAP__NR_setpriority, 0, 0, -1))
			SKIP(return, "the nice value cannot be lowered here");
	}
}

/* ---- signals */

/*
 * SIGKILL and SIGSTOP are never blocked. Signals 32 to 34 belong to the libc, which uses some of
 * them. qemu-user has no signals 63 and 64.
 */
#ifdef NAP_TEST_EMULATED
#define NONE	(NAP_SIGNAL(63) | NAP_SIGNAL(64))
#else
#define NONE	((uint64_t)0)
#endif
#define NEVER	(NAP_SIGNAL(9) | NAP_SIGNAL(19) | NONE)
#define LIBC	(NAP_SIGNAL(32) | NAP_SIGNAL(33) | NAP_SIGNAL(34))

TEST(what_a_thread_brings_upon_itself_is_open)
{
	start_and_look(&(struct nap_config){ 0 });
	EXPECT_EQ(in_start.blocked | LIBC, (NAP_BLOCKED & ~NEVER) | LIBC);
	EXPECT_EQ(in_task.blocked, in_start.blocked);
}

/* The libc's own signals stay open: cancellation and setuid() need them. */
TEST(the_libc_keeps_its_signals)
{
	const uint64_t all = ~(uint64_t)0;
#ifdef NAP_TEST_BARE
	const uint64_t open = 0;
#else
	const uint64_t open = NAP_SIGNAL(32) | NAP_SIGNAL(33);
#endif

	start_and_look(&(struct nap_config){ 0 });
	EXPECT_EQ(in_start.blocked & (NAP_SIGNAL(32) | NAP_SIGNAL(33)) & open, 0);
	start_and_look(&(struct nap_config){ .blocked = &all });
	EXPECT_EQ(in_start.blocked & open, 0);
	EXPECT_EQ(in_start.blocked | LIBC, ~NEVER);
}

TEST(workers_block_what_the_configuration_says)
{
	static const uint64_t masks[] = { 0, NAP_SIGNAL(1), NAP_SIGNAL(64) | NAP_SIGNAL(35),
					  NAP_BLOCKED & ~NAP_SIGNAL(10) };

	for (int i = 0; i < 4; i++) {
		start_and_look(&(struct nap_config){ .blocked = &masks[i] });
		EXPECT_EQ(in_start.blocked | LIBC, (masks[i] & ~NEVER) | LIBC);
	}
}

TEST(the_starters_mask_is_neither_changed_nor_inherited)
{
	static const uint64_t masks[] = { 0, NAP_SIGNAL(10) | NAP_SIGNAL(27), ~(NEVER | LIBC) };

	for (int i = 0; i < 3; i++) {
		swap_mask(&masks[i]);
		start_and_look(&(struct nap_config){ 0 });
		EXPECT_EQ(swap_mask(NULL), masks[i] & ~NONE);
		EXPECT_EQ(in_start.blocked | LIBC, (NAP_BLOCKED & ~NEVER) | LIBC);
	}
}

static void unblock(struct nap_task *task)
{
	nap_signals_unblock();
	look_in_task(task);
}

TEST(a_thread_can_have_every_signal_again)
{
	struct nap_task task = NAP_TASK_INIT(unblock);
	const uint64_t some = NAP_SIGNAL(10) | NAP_SIGNAL(15);

	in_task.blocked = 1;
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 });
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(in_task.blocked, 0);
	swap_mask(&some);
	nap_signals_unblock();
	EXPECT_EQ(swap_mask(NULL), 0);
}

TEST(flags_that_there_are_not)
{
	EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){ .flags = 2 * NAP_NO_WORKERS }),
		  -EINVAL);
	EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){ .flags = NAP_NAME_EXACT }), 0);
	EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){
				 .flags = NAP_NAME_EXACT | NAP_START_ANYWHERE }), 0);
}

TEST_HARNESS_MAIN

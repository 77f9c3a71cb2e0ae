/* SPDX-License-Identifier: MIT */
/*
 * On which CPUs a worker runs, and how it is scheduled: as the configuration says or as the main
 * thread is, whichever thread starts it, and as far as the kernel permits. The test asks by system
 * calls alone, so it also runs without a libc, and under an emulator. Each test is a process, and
 * runs on its main thread.
 */
#include <errno.h>
#include <pthread.h>
#ifndef NAP_TEST_BARE
#include <sys/syscall.h>
#endif

#include "arch/syscall.h"
#include "os/linux/cpus.h"
#include "guarded.h"
#include "pool_fixture.h"
#include "wrap.h"

enum { OTHER, FIFO, RR, BATCH, IDLE = 5, DEADLINE, EXT, NONE = 99 };
#define RESET_ON_FORK	0x40000000

static struct nap_pool pool;
static struct nap_pool_stats stats;

/* ---- the attributes of threads */

static bool set_sched(struct nap_sched sched)
{
	return !nap__syscall3(NAP__NR_sched_setscheduler, 0, sched.policy, (long)&sched.priority) &&
	       !nap__syscall3(NAP__NR_setpriority, 0, 0, sched.nice);
}

static struct nap_sched get_sched(void)
{
	struct nap_sched sched = { .policy = (int)nap__syscall1(NAP__NR_sched_getscheduler, 0) };

	nap__syscall2(NAP__NR_sched_getparam, 0, (long)&sched.priority);
	sched.nice = 20 - (int)nap__syscall2(NAP__NR_getpriority, 0, 0);
	return sched;
}

/*
 * Returns @nice if the test's own nice value is lower. Otherwise returns the test's own value plus
 * 1, because the test may lack the right to lower it.
 */
static int nice_enough(int nice)
{
	int own = get_sched().nice;

	return own < nice ? nice : own < 19 ? own + 1 : 19;
}

static struct cpu_mask get_cpus(void)
{
	struct cpu_mask mask = { { 0 } };

	if (nap__os_affinity(0, &mask) < 0)
		abort();
	return mask;
}

static bool set_cpus(const struct cpu_mask *mask)
{
	return !nap__syscall3(NAP__NR_sched_setaffinity, 0, sizeof(*mask), (long)mask);
}

/* Returns a mask of the first or last CPU that this process may use. */
static struct cpu_mask one_cpu(bool last)
{
	struct cpu_mask all = get_cpus(), one = { { 0 } };
	size_t found = MAX_CPUS;

	for (size_t cpu = 0; cpu < MAX_CPUS && (last || found == MAX_CPUS); cpu++)
		if (all.words[cpu / LONG_BITS] >> cpu % LONG_BITS & 1)
			found = cpu;
	one.words[found / LONG_BITS] = 1ul << found % LONG_BITS;
	return one;
}

/* ---- starts a worker, and notes its attributes */

static struct cpu_mask cpus;
static struct cpu_mask placed_on;	/* the CPUs on which the worker began */
static struct nap_sched sched;

WRAP(void, nap__place_await, (struct nap_worker *worker))
{
	__real_nap__place_await(worker);
	placed_on = get_cpus();
}

static void look(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	cpus = get_cpus();
	sched = get_sched();
}

/* Starts a worker from the calling thread. */
static void start(const struct nap_config *config)
{
	struct nap_config own = *config;

	own.worker_start = look;
	if (nap_pool_init(&pool, &own) || nap_pool_prewarm(&pool, 1))
		abort();
	nap_pool_join(&pool, NULL);
	nap_pool_get_stats(&pool, &stats);
}

/* A start from a thread that has changed its own attributes. */
static struct starter {
	struct nap_config config;
	const struct cpu_mask *cpus;	/* new CPUs of the thread; NULL: it takes @sched instead */
	struct nap_sched sched;
	/* set by a system call, which changes one thread; glibc's setuid() changes all threads */
	bool unprivileged;
	bool could;
} starter;

static void *start_otherwise(void *arg)
{
	struct starter *s = arg;

	s->could = s->cpus ? set_cpus(s->cpus) : set_sched(s->sched);
#ifndef NAP_TEST_BARE
	if (s->unprivileged)
		s->could &= !syscall(SYS_setuid, 65534);
#endif
	if (s->could)
		start(&s->config);
	return NULL;
}

static bool start_from(struct starter s)
{
	pthread_t thread;

	starter = s;
	if (pthread_create(&thread, NULL, start_otherwise, &starter))
		abort();
	pthread_join(thread, NULL);
	return starter.could;
}

#define EXPECT_SCHED(p, prio, n) do {		\
	EXPECT_EQ(sched.policy, p);		\
	EXPECT_EQ(sched.priority, prio);	\
	EXPECT_EQ(sched.nice, n);		\
} while (0)

#define EXPECT_CPUS(mask) do {						\
	struct cpu_mask expected = (mask);				\
	EXPECT_EQ(memcmp(&cpus, &expected, sizeof(cpus)), 0);		\
} while (0)

/* ---- CPUs */

TEST(the_starters_cpus_do_not_matter)
{
	struct cpu_mask one = one_cpu(false);

	ASSERT_TRUE(start_from((struct starter){ .cpus = &one }));
	EXPECT_CPUS(get_cpus());
	EXPECT_EQ(stats.refused, 0);
	EXPECT_EQ(stats.max_workers, nap_cpu_count());
}

static struct cpu_mask without(struct cpu_mask mask, const struct cpu_mask *one)
{
	for (size_t i = 0; i < MAX_CPUS / LONG_BITS; i++)
		mask.words[i] &= ~one->words[i];
	return mask;
}

#define EXPECT_PLACED(mask) do {					\
	struct cpu_mask expected = (mask);				\
	EXPECT_EQ(memcmp(&placed_on, &expected, sizeof(expected)), 0);	\
} while (0)

TEST(a_worker_begins_beside_its_starter)
{
	struct cpu_mask all = get_cpus(), one = one_cpu(false), other = one_cpu(true);

	if (!memcmp(&one, &other, sizeof(one)))
		SKIP(return, "there is one CPU");
	ASSERT_TRUE(start_from((struct starter){ .cpus = &one }));
	EXPECT_PLACED(without(all, &one));
	EXPECT_CPUS(all);
	ASSERT_TRUE(start_from((struct starter){ .cpus = &other }));
	EXPECT_PLACED(without(all, &other));
	EXPECT_CPUS(all);
	/*
	 * With a configured mask, too, the worker begins on the CPUs of the mask except the
	 * starter's.
	 */
	ASSERT_TRUE(start_from((struct starter){
		.cpus = &other,
		.config = { .affinity = all.words, .affinity_size = sizeof(all) } }));
	EXPECT_PLACED(without(all, &other));
	EXPECT_CPUS(all);
}

TEST(where_there_is_no_other_cpu_it_begins_anywhere)
{
	struct cpu_mask one = one_cpu(false), all = get_cpus();

	ASSERT_TRUE(start_from((struct starter){
		.cpus = &one, .config = { .affinity = one.words, .affinity_size = sizeof(one) } }));
	EXPECT_PLACED(one);
	EXPECT_CPUS(one);
	/* The worker begins on the starter's CPUs when the configuration asks for it. */
	ASSERT_TRUE(start_from((struct starter){ .cpus = &one,
						 .config = { .flags = NAP_START_ANYWHERE } }));
	EXPECT_PLACED(one);
	EXPECT_CPUS(all);
}

TEST(the_main_threads_cpus_do)
{
	struct cpu_mask all = get_cpus(), one = one_cpu(true);

	ASSERT_TRUE(set_cpus(&one));
	ASSERT_TRUE(start_from((struct starter){ .cpus = &all }));
	EXPECT_CPUS(one);
	EXPECT_EQ(stats.max_workers, 1);
}

TEST(the_configurations_cpus_come_first)
{
	struct cpu_mask all = get_cpus(), one = one_cpu(true);

	start(&(struct nap_config){ .affinity = one.words, .affinity_size = sizeof(one) });
	EXPECT_CPUS(one);
	EXPECT_EQ(stats.max_workers, 1);
	EXPECT_EQ(stats.refused, 0);
	/* The starter keeps its own CPUs. */
	cpus = get_cpus();
	EXPECT_CPUS(all);
	ASSERT_TRUE(set_cpus(&one));
	start(&(struct nap_config){ .affinity = all.words, .affinity_size = sizeof(all) });
	EXPECT_CPUS(all);
}

TEST(cpus_that_there_are_not_are_refused_and_counted)
{
	struct cpu_mask none = { { 0 } }, one = one_cpu(false);

	none.words[MAX_CPUS / LONG_BITS - 1] = 1;
	ASSERT_TRUE(start_from((struct starter){ .cpus = &one, .config = {
		.affinity = none.words, .affinity_size = sizeof(none) } }));
	EXPECT_EQ(stats.refused, 1);
	EXPECT_CPUS(get_cpus());
	EXPECT_GE(stats.max_workers, 1);
}

/* ---- policy, priority, nice */

TEST(the_starters_policy_does_not_matter)
{
	int nice = get_sched().nice;

	ASSERT_TRUE(set_sched((struct nap_sched){ OTHER, 0, nice }));
	ASSERT_TRUE(start_from((struct starter){ .sched = { BATCH, 0, nice } }));
	EXPECT_SCHED(OTHER, 0, nice);
	EXPECT_EQ(stats.refused, 0);
	/* A process may always raise its nice value, but not lower it. */
	if (!set_sched((struct nap_sched){ OTHER, 0, 0 }) ||
	    !start_from((struct starter){ .sched = { FIFO, 1, 0 } }))
		SKIP(return, "this user may not have SCHED_FIFO");
	EXPECT_SCHED(OTHER, 0, 0);
	EXPECT_EQ(stats.refused, 0);
	ASSERT_TRUE(start_from((struct starter){ .sched = { BATCH, 0, 7 } }));
	EXPECT_SCHED(OTHER, 0, 0);
	ASSERT_TRUE(start_from((struct starter){ .sched = { IDLE, 0, 0 } }));
	EXPECT_SCHED(OTHER, 0, 0);
	EXPECT_EQ(stats.refused, 0);
}

TEST(the_main_threads_policy_does)
{
	int nice = nice_enough(2);

	ASSERT_TRUE(set_sched((struct nap_sched){ BATCH, 0, nice }));
	ASSERT_TRUE(start_from((struct starter){ .sched = { OTHER, 0, nice } }));
	EXPECT_SCHED(BATCH, 0, nice);
	EXPECT_EQ(stats.refused, 0);
	if (!set_sched((struct nap_sched){ RR, 3, 5 }))
		SKIP(return, "this user may not have SCHED_RR");
	ASSERT_TRUE(start_from((struct starter){ .sched = { OTHER, 0, 0 } }));
	EXPECT_SCHED(RR, 3, 5);
	ASSERT_TRUE(set_sched((struct nap_sched){ BATCH, 0, 2 }));
	ASSERT_TRUE(start_from((struct starter){ .sched = { FIFO, 9, -3 } }));
	EXPECT_SCHED(BATCH, 0, 2);
	EXPECT_EQ(stats.refused, 0);
}

/* A main thread may ask the kernel that its children do not inherit its policy. */
TEST(a_main_thread_that_does_not_bequeath_its_own)
{
	if (!set_sched((struct nap_sched){ FIFO | RESET_ON_FORK, 3, -5 }))
		SKIP(return, "this user may not have SCHED_FIFO");
	ASSERT_TRUE(start_from((struct starter){ .sched = { BATCH, 0, 4 } }));
	EXPECT_SCHED(OTHER, 0, 0);
	ASSERT_TRUE(set_sched((struct nap_sched){ BATCH | RESET_ON_FORK, 0, -5 }));
	ASSERT_TRUE(start_from((struct starter){ .sched = { OTHER, 0, 4 } }));
	EXPECT_SCHED(BATCH, 0, 0);
	ASSERT_TRUE(set_sched((struct nap_sched){ BATCH | RESET_ON_FORK, 0, 5 }));
	ASSERT_TRUE(start_from((struct starter){ .sched = { OTHER, 0, 4 } }));
	EXPECT_SCHED(BATCH, 0, 5);
	EXPECT_EQ(stats.refused, 0);
}

TEST(the_configurations_policy_comes_first)
{
	const struct nap_sched batch = { BATCH, 0, nice_enough(4) };
	const struct nap_sched fifo = { FIFO, 2, nice_enough(1) };
	struct nap_sched mine = get_sched();

	start(&(struct nap_config){ .sched = &batch });
	EXPECT_SCHED(BATCH, 0, batch.nice);
	EXPECT_EQ(stats.refused, 0);
	start(&(struct nap_config){ .sched = &fifo });
	if (!stats.refused)
		EXPECT_SCHED(FIFO, 2, fifo.nice);
	sched = get_sched();
	EXPECT_SCHED(mine.policy, mine.priority, mine.nice);
}

/* With RESET_ON_FORK, threads that a worker's tasks start do not inherit the worker's policy. */
TEST(the_configurations_policy_may_be_the_workers_alone)
{
	const struct nap_sched batch = { BATCH | RESET_ON_FORK, 0, nice_enough(4) };
	const struct nap_sched fifo = { FIFO | RESET_ON_FORK, 2, nice_enough(4) };

	start(&(struct nap_config){ .sched = &batch });
	EXPECT_SCHED(BATCH | RESET_ON_FORK, 0, batch.nice);
	EXPECT_EQ(stats.refused, 0);
	start(&(struct nap_config){ .sched = &fifo });
	if (!stats.refused)
		EXPECT_SCHED(FIFO | RESET_ON_FORK, 2, fifo.nice);
}

TEST(a_policy_that_there_is_not_is_refused_and_counted)
{
	const struct nap_sched none = { NONE, 0, nice_enough(4) };
	struct nap_sched mine = get_sched();

	start(&(struct nap_config){ .sched = &none });
	EXPECT_SCHED(mine.policy, mine.priority, none.nice);
	EXPECT_EQ(stats.refused, 1);
}

#ifndef NAP_TEST_BARE
/* Each attribute is set by itself: if the kernel refuses one, the others are set. */
TEST(what_the_kernel_refuses_is_kept_and_counted)
{
	const struct nap_sched nicer = { BATCH, 0, -5 }, fifo = { FIFO, 5, 3 };

	if (!set_sched((struct nap_sched){ OTHER, 0, 0 }) || (setuid(65534) && getuid() == 0))
		SKIP(return, "this user cannot be another");
	if (set_sched((struct nap_sched){ OTHER, 0, -1 }))
		SKIP(return, "this user may lower its nice value");
	ASSERT_TRUE(start_from((struct starter){ .sched = { BATCH, 0, 7 } }));
	EXPECT_SCHED(OTHER, 0, 7);
	EXPECT_EQ(stats.refused, 1);
	ASSERT_TRUE(start_from((struct starter){ .sched = { IDLE, 0, 0 } }));
	EXPECT_SCHED(IDLE, 0, 0);
	EXPECT_EQ(stats.refused, 1);
	/* Each value is the configuration's; where the kernel refuses this, the main thread's. */
	ASSERT_TRUE(set_sched((struct nap_sched){ OTHER, 0, 2 }));
	start(&(struct nap_config){ .sched = &nicer });
	EXPECT_SCHED(BATCH, 0, 2);
	EXPECT_EQ(stats.refused, 1);
	start(&(struct nap_config){ .sched = &fifo });
	EXPECT_SCHED(OTHER, 0, 3);
	EXPECT_EQ(stats.refused, 1);
}

/*
 * The worker lacks a privilege, as its starter does. A value that the kernel refuses is replaced by
 * the main thread's value, and not by the starter's.
 */
TEST(what_the_kernel_refuses_is_as_the_main_thread_has_it)
{
	const struct nap_sched nicer = { BATCH, 0, -5 }, fifo = { FIFO, 5, 8 };

	if (!set_sched((struct nap_sched){ OTHER, 0, 7 }) || getuid())
		SKIP(return, "this user has no privilege to lose");
	ASSERT_TRUE(start_from((struct starter){ .sched = { OTHER, 0, 2 }, .unprivileged = true,
						 .config = { .sched = &nicer } }));
	EXPECT_SCHED(BATCH, 0, 7);
	EXPECT_EQ(stats.refused, 1);
	ASSERT_TRUE(start_from((struct starter){ .sched = { BATCH, 0, 2 }, .unprivileged = true,
						 .config = { .sched = &fifo } }));
	EXPECT_SCHED(OTHER, 0, 8);
	EXPECT_EQ(stats.refused, 1);
}
#endif

/* ---- configurations that are wrong on every system */

TEST(wrong_configurations)
{
	static const struct nap_sched wrong[] = {
		{ -1, 0, 0 }, { OTHER, 1, 0 }, { FIFO, 0, 0 }, { RR, 100, 0 }, { FIFO, -1, 0 },
		{ BATCH, -1, 0 }, { DEADLINE, 0, 0 }, { OTHER, 0, -21 }, { OTHER, 0, 20 },
		{ DEADLINE | RESET_ON_FORK, 0, 0 }, { RR | RESET_ON_FORK, 0, 0 },
	};
	static const struct nap_sched right[] = {
		{ OTHER, 0, -20 }, { OTHER, 0, 19 }, { FIFO, 1, 0 }, { RR, 99, 0 }, { IDLE, 0, 0 },
		{ FIFO | RESET_ON_FORK, 1, 0 }, { EXT, 0, 0 },
	};
	static const unsigned long empty[2], mask[2] = { 0, 1 };
	const unsigned char *end = guarded_map(GUARD_SIZE) + GUARD_SIZE;

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){ .sched = &wrong[i] }),
			  -EINVAL);
	for (unsigned i = 0; i < sizeof(right) / sizeof(*right); i++)
		EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){ .sched = &right[i] }), 0);
	EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){ .affinity = mask }), -EINVAL);
	for (size_t size = 0; size < 16; size++)
		EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){ .affinity = mask,
								     .affinity_size = size }),
			  -EINVAL);
	EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){ .affinity = mask,
							     .affinity_size = 16 }), 0);
	EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){ .affinity = empty,
							     .affinity_size = 16 }), -EINVAL);
	/* The memory behind a mask is not read. */
	EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){
			.affinity = (const unsigned long *)(const void *)(end - 16),
			.affinity_size = 16 }), -EINVAL);
}

/* A static initialiser cannot refuse these values; the kernel does. */
TEST(a_static_pool_that_is_wrong_works_all_the_same)
{
	static const struct nap_sched wrong = { FIFO, 1000, -100 };
	static const unsigned long mask[2] = { 1 };
	static struct nap_pool wrong_pool = NAP_POOL_INIT(.max_workers = 1, .affinity = mask,
							  .sched = &wrong, .worker_start = look);
	struct nap_task task = NAP_TASK_INIT(count_run);

	ASSERT_EQ(nap_schedule(&wrong_pool, &task), 0);
	ASSERT_EQ(nap_pool_join(&wrong_pool, NULL), 0);
	ASSERT_EQ(nap_pool_get_stats(&wrong_pool, &stats), 0);
	EXPECT_EQ(nr_run, 1);
	EXPECT_EQ(stats.refused, 1);
	EXPECT_EQ(sched.policy, get_sched().policy);
	EXPECT_CPUS(get_cpus());
}

TEST_HARNESS_MAIN

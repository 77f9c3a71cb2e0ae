/* SPDX-License-Identifier: MIT */
/*
 * Workers that each have one CPU: which CPU a worker has, whichever thread starts it; and what a
 * worker does if the kernel refuses its CPU. The test asks by system calls alone, so it also runs
 * without a libc, and under an emulator. Each test is a process, and runs on its main thread.
 */
#include <pthread.h>

#include "os/linux/cpus.h"
#include "late.h"
#include "pool_fixture.h"
#include "arch/syscall.h"
#include "wrap.h"

#define WORKERS 5

static struct nap_pool pool;
static struct nap_pool_stats stats;

static struct cpu_mask get_cpus(void)
{
	struct cpu_mask mask = { { 0 } };

	if (nap__os_affinity(0, &mask) < 0)
		abort();
	return mask;
}

static void set_cpus(const struct cpu_mask *mask)
{
	if (nap__syscall3(NAP__NR_sched_setaffinity, 0, sizeof(*mask), (long)mask))
		abort();
}

static bool same(const struct cpu_mask *a, const struct cpu_mask *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Returns a mask of the CPU that has rank @turn in @mask. The test counts bit by bit. */
static struct cpu_mask in_turn(const struct cpu_mask *mask, uint32_t turn)
{
	for (;;) {
		for (size_t cpu = 0; cpu < MAX_CPUS; cpu++) {
			struct cpu_mask one = { { 0 } };

			if (!(mask->words[cpu / LONG_BITS] >> cpu % LONG_BITS & 1) || turn--)
				continue;
			one.words[cpu / LONG_BITS] = 1ul << cpu % LONG_BITS;
			return one;
		}
	}
}

static bool there_is_one(const struct cpu_mask *mask)
{
	struct cpu_mask first = in_turn(mask, 0), second = in_turn(mask, 1);

	return same(&first, &second);
}

/* ---- starts workers, and notes where they run */

static struct cpu_mask begun[WORKERS], cpus[WORKERS];

WRAP(void, nap__place_await, (struct nap_worker *worker))
{
	__real_nap__place_await(worker);
	/* When workers have retired, a new worker may have an index behind those of the guests. */
	if (nap_worker_index(worker) < WORKERS)
		begun[nap_worker_index(worker)] = get_cpus();
}

static void look(struct nap_worker *worker, void *arg)
{
	(void)arg;
	cpus[nap_worker_index(worker)] = get_cpus();
}

static void start(const struct nap_config *config)
{
	struct nap_config own = *config;

	own.worker_start = look;
	own.max_workers = WORKERS;
	own.flags |= NAP_ONE_CPU_EACH;
	if (nap_pool_init(&pool, &own) || nap_pool_prewarm(&pool, WORKERS) ||
	    nap_pool_join(&pool, NULL) || nap_pool_get_stats(&pool, &stats))
		abort();
}

/* Returns how many workers are not on the CPU in @mask that has their rank. */
static uint32_t out_of_turn(const struct cpu_mask *mask)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < WORKERS; i++) {
		struct cpu_mask one = in_turn(mask, i);

		n += !same(&cpus[i], &one);
	}
	return n;
}

TEST(each_has_one_of_the_main_threads_in_turn)
{
	struct cpu_mask all = get_cpus(), behind;

	start(&(struct nap_config){ 0 });
	EXPECT_EQ(out_of_turn(&all), 0);
	EXPECT_EQ(stats.refused, 0);
	/* The starter keeps its own CPUs. */
	behind = get_cpus();
	EXPECT_TRUE(same(&behind, &all));
}

TEST(each_has_one_of_the_configurations_in_turn)
{
	struct cpu_mask all = get_cpus(), last = in_turn(&all, 1);

	start(&(struct nap_config){ .affinity = last.words, .affinity_size = sizeof(last) });
	EXPECT_EQ(out_of_turn(&last), 0);
	set_cpus(&last);
	start(&(struct nap_config){ .affinity = all.words, .affinity_size = sizeof(all) });
	EXPECT_EQ(out_of_turn(&all), 0);
	EXPECT_EQ(stats.refused, 0);
}

TEST(cpus_that_are_not_there_have_no_turn)
{
	struct cpu_mask all, any;

	/* Allows every CPU: the shell that runs the tests may be bound to some CPUs only. */
	memset(&any, 0xff, sizeof(any));
	set_cpus(&any);
	all = get_cpus();
	start(&(struct nap_config){ .affinity = any.words, .affinity_size = sizeof(any) });
	EXPECT_EQ(out_of_turn(&all), 0);
	EXPECT_EQ(stats.refused, 0);
}

TEST(it_is_the_same_one_when_the_pool_is_used_again)
{
	struct cpu_mask all = get_cpus();

	for (int i = 0; i < 3; i++) {
		memset(cpus, 0, sizeof(cpus));
		start(&(struct nap_config){ 0 });
		EXPECT_EQ(out_of_turn(&all), 0);
	}
}

/* ---- whichever thread starts the workers, and wherever they begin */

static struct cpu_mask starters;

static void *start_from_one(void *config)
{
	set_cpus(&starters);
	start(config);
	return NULL;
}

static void start_on(struct cpu_mask one, struct nap_config config)
{
	pthread_t thread;

	starters = one;
	if (pthread_create(&thread, NULL, start_from_one, &config))
		abort();
	pthread_join(thread, NULL);
}

TEST(the_starters_one_does_not_matter)
{
	struct cpu_mask all = get_cpus();

	for (uint32_t turn = 0; turn < 2; turn++) {
		start_on(in_turn(&all, turn), (struct nap_config){ 0 });
		EXPECT_EQ(out_of_turn(&all), 0);
		start_on(in_turn(&all, turn), (struct nap_config){ .flags = NAP_START_ANYWHERE });
		EXPECT_EQ(out_of_turn(&all), 0);
	}
	EXPECT_EQ(stats.refused, 0);
}

/*
 * A worker does not begin on its starter's CPU, but moves there if this CPU has the worker's rank.
 */
TEST(they_begin_on_another_than_their_starters)
{
	struct cpu_mask all = get_cpus();

	if (there_is_one(&all))
		SKIP(return, "there is one CPU");
	for (uint32_t turn = 0; turn < 2; turn++) {
		struct cpu_mask others = all;

		start_on(in_turn(&all, turn), (struct nap_config){ 0 });
		for (size_t i = 0; i < MAX_CPUS / LONG_BITS; i++)
			others.words[i] &= ~starters.words[i];
		for (uint32_t i = 0; i < WORKERS; i++)
			EXPECT_TRUE(same(&begun[i], &others));
		EXPECT_EQ(out_of_turn(&all), 0);
	}
}

/* ---- workers to which the kernel refuses their CPU */

TEST(where_none_is_there_they_have_all_of_the_main_threads)
{
	struct cpu_mask all = get_cpus(), none = { { 0 } };

	none.words[MAX_CPUS / LONG_BITS - 1] = 1;
	start(&(struct nap_config){ .affinity = none.words, .affinity_size = sizeof(none) });
	for (uint32_t i = 0; i < WORKERS; i++)
		EXPECT_TRUE(same(&cpus[i], &all));
	EXPECT_EQ(stats.refused, WORKERS);
}

/* ---- workers that start where others have retired */

enum { STAYS = 3 };

static struct stay {
	struct nap_task task;
	struct cpu_mask cpus;
	uint32_t inside, may_go;
} stays[STAYS];
static uint32_t nr_inside;

static void stay(struct nap_task *task)
{
	struct stay *s = nap_container_of(task, struct stay, task);

	s->cpus = get_cpus();
	nap_fetch_add_acq_rel(&nr_inside, 1);
	flag_wait(&s->may_go);
	flag_set(&s->inside);
}

/* Runs a task that stays on each of STAYS workers. */
static void stay_all(void)
{
	nap_store_relaxed(&nr_inside, 0);
	for (int i = 0; i < STAYS; i++) {
		stays[i].may_go = stays[i].inside = 0;
		nap_task_init(&stays[i].task, stay);
		if (nap_schedule(&pool, &stays[i].task))
			abort();
	}
	while (nap_load_acquire(&nr_inside) < STAYS)
		sched_yield();
}

static uint32_t nr_on(const struct cpu_mask *one)
{
	uint32_t n = 0;

	for (int i = 0; i < STAYS; i++)
		n += same(&stays[i].cpus, one);
	return n;
}

/* Returns how many of the lowest ranks no worker has, because two workers share a CPU. */
static uint32_t left_out(const struct cpu_mask *all)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < STAYS; i++) {
		struct cpu_mask one = in_turn(all, i);
		uint32_t due = 0;

		for (uint32_t j = 0; j < STAYS; j++) {
			struct cpu_mask other = in_turn(all, j);

			due += same(&one, &other);
		}
		n += nr_on(&one) < due;
	}
	return n;
}

static void await_spawned(uint32_t n)
{
	do {
		sched_yield();
		if (nap_pool_get_stats(&pool, &stats))
			abort();
	} while (stats.spawned != n);
}

static void let_go(int i)
{
	flag_set(&stays[i].may_go);
	flag_wait(&stays[i].inside);
}

/* All workers retire except the one on the last CPU. A new worker then gets the first CPU. */
TEST(who_comes_has_the_cpu_of_who_has_retired)
{
	struct cpu_mask all = get_cpus(), last = in_turn(&all, 1);
	const struct nap_config config = { .max_workers = STAYS, .flags = NAP_ONE_CPU_EACH,
					   .idle_timeout_ns = 1, .min_workers = 1 };

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	for (unsigned long round = 0; nap_test_again(round, 20); round++) {
		int stays_on = 0;

		stay_all();
		EXPECT_EQ(left_out(&all), 0);
		for (int i = 0; i < STAYS; i++)
			if (same(&stays[i].cpus, &last))
				stays_on = i;
		for (int i = 0; i < STAYS; i++)
			if (i != stays_on)
				let_go(i);
		await_spawned(1);
		let_go(stays_on);
		ASSERT_EQ(nap_pool_quiesce(&pool), 0);
		if (round % 2)
			EXPECT_EQ(nap_pool_reread(&pool), STAYS);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * A worker that is called back from standby has kept its thread, but its CPU may be another
 * worker's now.
 */
TEST(who_is_called_back_has_one_that_no_other_has)
{
	struct cpu_mask all = get_cpus();
	const struct nap_config config = { .max_workers = STAYS, .flags = NAP_ONE_CPU_EACH,
					   .idle_timeout_ns = UINT64_MAX, .min_workers = STAYS };

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	for (unsigned long round = 0; nap_test_again(round, 20); round++) {
		stay_all();
		EXPECT_EQ(left_out(&all), 0);
		/* The workers go on standby one by one, in another order each round. */
		ASSERT_EQ(nap_pool_set_limit(&pool, 1), 1);
		for (int i = 0; i < STAYS; i++)
			let_go((i + (int)round) % STAYS);
		await_spawned(1);
		EXPECT_EQ(nap_pool_reread(&pool), 1);
		ASSERT_EQ(nap_pool_set_limit(&pool, STAYS), STAYS);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN

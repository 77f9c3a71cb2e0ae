/* SPDX-License-Identifier: MIT */
/*
 * Workers that cannot be started, and memory that cannot be mapped: the k-th time, or from the k-th
 * time on, for every k; or at random. Each is tried under every shape of use.
 *
 * Several threads that use a static pool for the first time map its records several times, and one
 * mapping is kept. So mappings are counted apart from starts.
 */
#include "os/os.h"
#include "fault/footprint.h"
#include "fault/load.h"
#include "fault/report.h"
#include "watchdog.h"
#include "wrap.h"

#define WORKERS	8
#define ROUNDS	32

static struct nap_pool pool;

/* Which attempts fail: numbers @from to @to, counted from 1; and @percent of all other attempts. */
struct plan {
	uint32_t from, to, percent;
	uint32_t attempts, failed;
};
static const struct plan none;
static struct plan starts, maps;
static uint32_t seed;
static unsigned long errnos;	/* the sum of the errnos of all failures */

static bool fails(struct plan *plan)
{
	uint32_t number = nap_fetch_add_relaxed(&plan->attempts, 1) + 1;
	uint32_t chance = (number + seed * 131) * 2654435761u >> 16;

	if (!(number >= plan->from && number <= plan->to) && chance % 100 >= plan->percent)
		return false;
	nap_fetch_add_relaxed(&plan->failed, 1);
	return true;
}

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	static const int causes[] = { EAGAIN, ENOMEM, EPERM };
	int err = causes[seed % 3];

	if (!fails(&starts))
		return __real_nap__os_thread_start(worker, stack_size);
	nap_fetch_add_relaxed(&errnos, (unsigned long)err);
	return -err;
}

/* How many bytes are mapped now. */
static size_t mapped;

WRAP(void *, nap__os_map, (size_t size))
{
	void *mem = fails(&maps) ? NULL : __real_nap__os_map(size);

	if (mem)
		nap_fetch_add_relaxed(&mapped, size);
	return mem;
}

WRAP(void, nap__os_unmap, (void *mem, size_t size))
{
	nap_fetch_sub_relaxed(&mapped, size);
	__real_nap__os_unmap(mem, size);
}

/* How often the callback was called, and the sum of its errnos. */
static unsigned long told, told_errnos;

static void on_spawn_failed(struct nap_pool *which, int err, void *arg)
{
	nap_fetch_add_relaxed(&told, which == arg ? 1 : 1000000);
	nap_fetch_add_relaxed(&told_errnos, (unsigned long)err);
}

/* The failures of a whole test, for its report. */
static unsigned long injected;

static void run_load(struct __test_metadata *_metadata, uint32_t workers, enum load_end how)
{
	struct nap_config config = { .max_workers = workers, .stack_size = LOAD_STACK,
				     .spawn_failed = on_spawn_failed, .arg = &pool };
	struct nap_pool_stats stats;

	seed++;
	errnos = told = told_errnos = 0;
	nap_pool_init(&pool, &config);
	load_prepare(&pool, ROUNDS, how);
	load.spawns_fail = true;
	load_finish();
	load_expect();
	nap_pool_get_stats(&pool, &stats);
	/*
	 * A guest whose record could not be mapped is unregistered. This counts as no failed start.
	 */
	EXPECT_GE(stats.spawn_failures, starts.failed);
	EXPECT_LE(stats.spawn_failures, starts.failed + maps.failed);
	EXPECT_EQ(stats.spawn_failures, told);
	EXPECT_EQ(told_errnos, errnos + (told - starts.failed) * ENOMEM);
	EXPECT_EQ(stats.spawn_last_errno != 0, told != 0);
	EXPECT_EQ(mapped, 0);
	injected += starts.failed + maps.failed;
}

/* Runs a load on @workers for every way of ending. */
static void run_all_ends(struct __test_metadata *_metadata, uint32_t workers,
			 struct plan for_starts, struct plan for_maps)
{
	for (int how = 0; how < LOAD_NR_ENDS; how++) {
		starts = for_starts;
		maps = for_maps;
		run_load(_metadata, workers, (enum load_end)how);
	}
}

/*
 * Returns the step from one number of workers to the next, which limits the work in a slow build.
 */
static uint32_t step(void)
{
	return nap_test_slow() ? 3 : 1;
}

TEST(the_kth_start_fails)
{
	watchdog(&pool, 0);
	for (uint32_t workers = 1; workers <= WORKERS; workers += step())
		for (uint32_t k = 1; k <= workers; k++) {
			unsigned long before = injected;

			run_all_ends(_metadata, workers, (struct plan){ .from = k, .to = k },
				     none);
			/*
			 * At least two ways of ending leave the pool the time to start every
			 * worker.
			 */
			ASSERT_GE(injected - before, 2);
		}
	load_report("k-th start fails, every k", injected);
}

TEST(every_start_from_the_kth_on_fails)
{
	watchdog(&pool, 0);
	for (uint32_t workers = 1; workers <= WORKERS; workers += step())
		for (uint32_t k = 1; k <= workers; k++) {
			unsigned long before = injected;

			run_all_ends(_metadata, workers,
				     (struct plan){ .from = k, .to = UINT32_MAX }, none);
			ASSERT_GE(injected - before, 2);
		}
	load_report("starts fail from the k-th on, every k", injected);
}

TEST(starts_fail_at_random)
{
	static const uint32_t percents[] = { 10, 50, 90 };

	watchdog(&pool, 0);
	for (uint32_t workers = 1; workers <= WORKERS; workers += step())
		for (int i = 0; i < 3; i++) {
			run_all_ends(_metadata, workers,
				     (struct plan){ .percent = percents[i] }, none);
		}
	load_report("starts fail at random", injected);
}

TEST(the_kth_mapping_fails)
{
	watchdog(&pool, 0);
	for (uint32_t workers = 1; workers <= WORKERS; workers += step())
		for (uint32_t k = 1; k <= 4; k++) {
			run_all_ends(_metadata, workers, none, (struct plan){ .from = k, .to = k });
			run_all_ends(_metadata, workers, none, (struct plan){ .from = 1, .to = k });
		}
	load_report("k-th mapping fails; the first k do", injected);
}

TEST(every_mapping_fails)
{
	struct nap_pool_stats stats;

	watchdog(&pool, 0);
	for (uint32_t workers = 1; workers <= WORKERS; workers += step()) {
		run_all_ends(_metadata, workers, none, (struct plan){ .percent = 100 });
		nap_pool_get_stats(&pool, &stats);
		EXPECT_EQ(stats.workers.run, 0);
	}
	load_report("every mapping fails", injected);
}

TEST(mappings_and_starts_fail_together)
{
	watchdog(&pool, 0);
	for (uint32_t workers = 1; workers <= WORKERS; workers += step())
		for (uint32_t k = 1; k <= 4; k++) {
			run_all_ends(_metadata, workers, (struct plan){ .from = k, .to = k + 2 },
				     (struct plan){ .from = 1, .to = k });
			run_all_ends(_metadata, workers, (struct plan){ .percent = 40 },
				     (struct plan){ .percent = 60 });
		}
	load_report("mappings and starts fail together", injected);
}

/*
 * The failures stop under load. Then the pool gets all its workers, as if there had been no
 * failures.
 */
TEST(when_starts_work_again_all_workers_come)
{
	unsigned long rounds = nap_test_count(100);
	struct footprint before;

	watchdog(&pool, 0);
	footprint_prepare();
	/* the two ways of ending in the loop below: each lets the libc's heap grow once */
	run_load(_metadata, WORKERS, LOAD_QUIESCE);
	run_load(_metadata, WORKERS, LOAD_JOIN);
	before = footprint();
	for (unsigned long i = 0; i < rounds; i++) {
		struct nap_config config = { .max_workers = WORKERS, .stack_size = LOAD_STACK };

		starts = (struct plan){ .from = 1 + (uint32_t)i % 9, .to = 40 };
		ASSERT_EQ(nap_pool_init(&pool, &config), 0);
		load_prepare(&pool, ROUNDS, i % 2 ? LOAD_QUIESCE : LOAD_JOIN);
		load.spawns_fail = true;
		load_go();
		/* The producers' prewarms use up some failures, too. */
		while (nap_pool_prewarm(&pool, WORKERS) || listed_workers() < WORKERS)
			sched_yield();
		load_finish();
		load_expect();
		injected += starts.failed;
	}
	EXPECT_EQ(mapped, 0);
	footprint_expect(before);
	load_report("starts fail for a while", injected);
}

TEST_HARNESS_MAIN

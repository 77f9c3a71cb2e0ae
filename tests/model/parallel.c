/* SPDX-License-Identifier: MIT */
/*
 * A loop on W0, of which another worker, W1, may take half. Invariants: each index runs at most
 * once; the loop returns the failure that it promises; a stop ends the loop; one thread at a time
 * reports the progress, which never falls; values are merged in order.
 */
#include "fork/jobs.h"
#include "pool_setup.h"

#define INDICES 2

static struct job job;			/* only its field "in" is used */
static int runs[INDICES], fails[INDICES];
static int result, nr_told, told;
static uint32_t stop;

/* Runs one index. @arg is &job, which the loop passes on. */
static int run_index(size_t begin, size_t end, void *arg)
{
	CHECK(end == begin + 1 && arg == &job);
	CHECK(job.in == JOB_IN);
	runs[begin]++;
	return fails[begin];
}

static int tell(size_t done, size_t total, void *arg)
{
	CHECK(total == INDICES && done <= total && arg == &job);
	CHECK((int)done >= told);
	told = (int)done;
	nr_told++;
	return 0;
}

static void loop(void *how)
{
	self_is(nap__self(), registry_at(pool, 0));
	job.in = JOB_IN;
	result = nap_for_as(pool, how, 0, INDICES, run_index, &job);
}

static void thief(void *arg)
{
	struct nap_worker *worker = registry_at(pool, 1);
	struct nap_task *stolen;
	bool more;

	(void)arg;
	self_is(nap__self(), worker);
	stolen = nap__steal_job(worker, registry_at(pool, 0), &more);
	if (stolen)
		nap__run(worker, stolen);
}

static void stopper(void *arg)
{
	(void)arg;
	nap_store_relaxed(&stop, 1);
}

static void setup_workers(uint32_t n)
{
	pool_new(n, 0);
	pool->config.yields = NAP_NO_YIELDS;
	for (uint32_t i = 0; i < n; i++)
		pool_add_worker(0)->rest = 2;
	for (int i = 0; i < INDICES; i++)
		runs[i] = fails[i] = 0;
	nr_told = told = 0;
	stop = 0;
}

/* With two workers the thief's part is joined, with three it is counted (src/parallel/crew.h). */
static void setup(void)
{
	setup_workers(3);
}

static void setup_two(void)
{
	setup_workers(2);
}

static void setup_failing(void)
{
	setup();
	fails[0] = 1;
	fails[1] = 2;
}

static void each_once(void)
{
	CHECK(runs[0] == 1 && runs[1] == 1);
	CHECK(result == 0);
}

static void lowest_fails(void)
{
	CHECK(runs[0] == 1 && runs[1] <= 1);
	CHECK(result == 1);
}

static void one_fails(void)
{
	CHECK(runs[0] + runs[1] >= 1 && runs[0] <= 1 && runs[1] <= 1);
	CHECK(result == (runs[0] && runs[1] ? result : runs[0] ? 1 : 2));
	CHECK(result == 1 || result == 2);
}

static void some_ran(void)
{
	CHECK(runs[0] <= 1 && runs[1] <= 1);
	CHECK(result == (runs[0] && runs[1] ? result : -ECANCELED));
	CHECK(result == 0 || result == -ECANCELED);
}

static void told_once_at_least(void)
{
	each_once();
	CHECK(nr_told >= 1);
}

static const struct nap_loop usual = { .grain = 1 };
static struct nap_owners owners;
static const struct nap_loop owned = { .owners = &owners };
static const struct nap_loop first = { .grain = 1, .flags = NAP_LOOP_FIRST };
static const struct nap_loop telling = { .grain = 1, .progress = tell, .progress_arg = &job };
static const struct nap_loop stopped = { .grain = 1, .stop = &stop };

#define BOTH(how) { { loop, (void *)(uintptr_t)&(how), "W0" }, { thief, NULL, "W1" } }

CHECK_SCENARIO(loop_once, .about = "each index is run once, by its owner or a thief",
	.setup = setup, .finally = each_once, .threads = BOTH(usual));

/* Setup: both parts belong to the thief. */
static void setup_owned(void)
{
	setup();
	owners.worker[0] = owners.worker[1] = 2;
}

CHECK_SCENARIO(loop_joined, .about = "the same where the owner joins what the thief took",
	.setup = setup_two, .finally = each_once, .threads = BOTH(usual));

CHECK_SCENARIO(loop_owned, .about = "each index is run once, though both may want the same one",
	.setup = setup_owned, .finally = each_once, .threads = BOTH(owned));

CHECK_SCENARIO(loop_first, .about = "of two that fail the lower one is returned",
	.setup = setup_failing, .finally = lowest_fails, .threads = BOTH(first));

CHECK_SCENARIO(loop_any, .about = "of two that fail one is returned, which has run",
	.setup = setup_failing, .finally = one_fails, .threads = BOTH(usual));

/* A test of [D1] in ordering.rst. */
CHECK_SCENARIO(loop_tells, .about = "one at a time tells how far it is, and never less than before",
	.setup = setup, .finally = told_once_at_least, .threads = BOTH(telling));

/* ---- both halves find a match */

static size_t found;

static size_t match_index(size_t begin, size_t end, void *arg)
{
	CHECK(end == begin + 1 && arg == &job && job.in == JOB_IN);
	return begin;
}

static void search(void *how)
{
	self_is(nap__self(), registry_at(pool, 0));
	job.in = JOB_IN;
	CHECK(nap_find(pool, how, 0, INDICES, match_index, &job, &found) == 0);
}

static void lowest_found(void)
{
	CHECK(found == 0);
}

static void any_found(void)
{
	CHECK(found < INDICES);
}

CHECK_SCENARIO(loop_finds_first, .about = "of two matches the lower one is found",
	.setup = setup, .finally = lowest_found,
	.threads = { { search, (void *)(uintptr_t)&first, "W0" }, { thief, NULL, "W1" } });

CHECK_SCENARIO(loop_finds, .about = "one of two matches is found",
	.setup = setup, .finally = any_found,
	.threads = { { search, (void *)(uintptr_t)&usual, "W0" }, { thief, NULL, "W1" } });

/* ---- a half that another worker runs has a value of its own */

static int add_index(size_t begin, size_t end, void *value, void *arg)
{
	CHECK(end == begin + 1 && arg == &job && job.in == JOB_IN);
	*(int *)value = *(int *)value * 10 + (int)begin + 1;
	return 0;
}

static void merge_right(void *value, const void *right, void *arg)
{
	CHECK(arg == &job && *(const int *)right == 2);
	*(int *)value = *(int *)value * 10 + *(const int *)right;
}

static void reduction(void *how)
{
	static const struct nap_reduction by = { sizeof(int), add_index, merge_right, NULL };

	self_is(nap__self(), registry_at(pool, 0));
	job.in = JOB_IN;
	result = 0;
	CHECK(nap_reduce(pool, how, 0, INDICES, &by, &result, &job) == 0);
}

static void in_order(void)
{
	CHECK(result == 12);
}

static const struct nap_loop fixed = { .grain = 1, .flags = NAP_LOOP_FIXED };

CHECK_SCENARIO(loop_merges, .about = "what another has come to is merged behind the join, in order",
	.setup = setup, .finally = in_order,
	.threads = { { reduction, (void *)(uintptr_t)&usual, "W0" }, { thief, NULL, "W1" } });

CHECK_SCENARIO(loop_merges_fixed, .about = "the same where each half has a value of its own",
	.setup = setup, .finally = in_order,
	.threads = { { reduction, (void *)(uintptr_t)&fixed, "W0" }, { thief, NULL, "W1" } });

CHECK_SCENARIO(loop_stopped, .about = "a loop that is stopped says so, unless all has run",
	.setup = setup, .finally = some_ran,
	.threads = { { loop, (void *)(uintptr_t)&stopped, "W0" }, { thief, NULL, "W1" },
		     { stopper, NULL, "stopper" } });

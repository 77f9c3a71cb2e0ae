/* SPDX-License-Identifier: MIT */
/*
 * The table of pools of src/worker/pools.h, with one slot. A signal handler that looks at a pool
 * reads what was written before the pool came into the table; the pool's memory stays until the
 * handler has finished. Invariant: no race for the pool's memory. In the child of a fork the table
 * has a pool of the parent's, at which a thread of the parent looks.
 */
#define NAP_POOLS	1u

#include "worker/pools.h"

#include <nap/check.h>

uintptr_t nap__pools[NAP_POOLS];
uint32_t nap__pools_lock, nap__pools_process;
static struct nap_pool pool, former;

static void begin(void)
{
	check_name(nap__pools, sizeof(nap__pools), "table");
	check_name(&pool.config.max_workers, sizeof(pool.config.max_workers), "pool");
	nap__pools_process = nap__fork_gen;
}

/* Uses the pool, joins it, and uses its memory for something else. */
static void owner(void *arg)
{
	(void)arg;
	pool.config.max_workers = 1;
	pools_enter(&pool);
	while (!pools_leave(&pool))
		nap_cpu_relax();
	pool.config.max_workers = 2;
}

static void handler(void *arg)
{
	struct nap_pool *seen = pool_look(&nap__pools[0]);

	(void)arg;
	if (!seen)
		return;
	CHECK(seen == &pool && seen->config.max_workers == 1);
	pool_look_away(&nap__pools[0]);
}

static void begin_child(void)
{
	begin();
	nap__pools[0] = (uintptr_t)&former + 1;
	nap__pools_process = nap__fork_gen + 1;
}

/* Reads nothing of the parent's pool, and takes none of this process for one. */
static void handler_in_child(void *arg)
{
	struct nap_pool *of_parent = pool_of_parent(&nap__pools[0]);

	CHECK(!of_parent || of_parent == &former);
	handler(arg);
}

static void judge(void)
{
	CHECK(!nap__pools[0]);
}

/* A test of [M8] and [M9] in ordering.rst. */
CHECK_SCENARIO(pools_looked_at,
	.about = "pools: a handler looks at a pool that is joined",
	.setup = begin, .finally = judge,
	.threads = { { owner, NULL, "owner" }, { handler, NULL, "handler" },
		     { handler, NULL, "handler" } });

CHECK_SCENARIO(pools_of_a_child,
	.about = "pools: the table of a child is emptied while a handler looks",
	.setup = begin_child, .finally = judge,
	.threads = { { owner, NULL, "owner" }, { handler_in_child, NULL, "handler" } });

/* Two pools come into the table of a child at once: one of them finds a slot. */
static void enter(void *other)
{
	pools_enter(other ? &former : &pool);
}

static void judge_two(void)
{
	CHECK(pool_in(nap__pools[0]) == &pool || pool_in(nap__pools[0]) == &former);
	CHECK(!(nap__pools[0] & POOL_LOOKERS) && nap__pools_process == nap__fork_gen);
}

CHECK_SCENARIO(pools_enter_a_child,
	.about = "pools: two pools come into the table of a child",
	.setup = begin_child, .finally = judge_two,
	.threads = { { enter, NULL, "one" }, { enter, &former, "other" } });

/* The lock that the table has (src/sync/process_lock.h): no race for what it guards. [A2] */
static uint32_t lock;
static int guarded;

static void add_one(void *arg)
{
	(void)arg;
	process_lock_take(&lock);
	guarded++;
	process_lock_give(&lock);
}

/* The word is what a thread of the parent left, which held the lock. */
static void begin_held(void)
{
	lock = process_lock_held() - 2;
}

static void both_added(void)
{
	CHECK(guarded == 2 && !lock);
}

CHECK_SCENARIO(pools_lock, .about = "pools: two threads want the lock",
	.finally = both_added, .threads = { { add_one, NULL, "A" }, { add_one, NULL, "B" } });

CHECK_SCENARIO(pools_lock_of_a_child, .about = "pools: and a child's copy of it was held",
	.setup = begin_held, .finally = both_added,
	.threads = { { add_one, NULL, "A" }, { add_one, NULL, "B" } });

/* SPDX-License-Identifier: MIT */
/* The calls that only the driver makes. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "watchdog_print.h"

/*
 * ThreadSanitizer uses the first 700 KiB of a stack. The stack has to be much larger than that,
 * because a wait runs no tasks when half of the stack is used.
 */
#define STACK_SIZE	(2 << 20)

uint32_t door_closed;

void fuzz_print(void)
{
	print_watched();
}

void open_door(void)
{
	nap_store_release(&door_closed, 0);
}

/* ---- the end of tasks ---- */

/* Checks what must hold when all tasks that the driver has scheduled on pool @p have ended. */
static void check_at_rest(uint32_t p)
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *slot = &slots[i];

		if (slot->home != p)
			continue;
		if (slot->kind != OTHER)
			CHECK(!nap_load_acquire(&slot->pending), i);
		CHECK(!nap_load_acquire(&slot->root.in_flight), i);
	}
}

/* Checks that the pool's counters are the model's. To be called when no thread uses the pool. */
static void check_counters(uint32_t p)
{
	struct fuzz_pool *pool = &pools[p];
	struct nap_pool_stats stats;

	nap_pool_get_stats(pool->pool, &stats);
	CHECK(stats.workers.run == nap_load_acquire(&pool->by_workers), stats.workers.run);
	CHECK(stats.helped == nap_load_acquire(&pool->by_others), stats.helped);
	CHECK(stats.spawn_failures == nap_load_acquire(&pool->failures), stats.spawn_failures);
	/* A message that was already answered may wake its worker once more, for nothing. */
	while (stats.idle != stats.spawned) {
		sched_yield();
		nap_pool_get_stats(pool->pool, &stats);
	}
}

void call_quiesce(uint32_t p, uint64_t timeout)
{
	struct fuzz_pool *pool = &pools[p];
	bool canceled = nap_load_acquire(&pool->stopped) && !nap_load_acquire(&pool->joined);
	int err;

	if (timeout == NAP_FOREVER) {
		open_door();
		err = nap_pool_quiesce(pool->pool);
	} else {
		err = nap_pool_quiesce_for(pool->pool, timeout);
	}
	if (err) {
		CHECK(err == -ECANCELED || (err == -ETIMEDOUT && timeout != NAP_FOREVER), err);
		CHECK(err != -ECANCELED || nap_load_acquire(&pool->stopping), err);
		return;
	}
	CHECK(!canceled, p);
	if (nap_load_acquire(&pool->joined))
		return;
	check_at_rest(p);
	if (is_alone(p)) {
		CHECK(!nap_load_acquire(&pool->heap), pool->heap);
		check_counters(p);
		nap_store_relaxed(&pool->order_lost, 0);
	}
}

void call_join(uint32_t p, bool take)
{
	struct fuzz_pool *pool = &pools[p];
	bool joined = nap_load_acquire(&pool->joined);
	struct nap_batch left = NAP_BATCH_INIT;
	int err;

	open_door();
	nap_store_release(&pool->joining, 1);
	nap_fetch_add_acq_rel(&pool->closing, 1);
	err = nap_pool_join(pool->pool, take ? &left : NULL);
	CHECK(err == (joined ? -EALREADY : 0), err);
	nap_store_release(&pool->closed, 1);
	nap_store_release(&pool->joined, 1);
	CHECK(nap_load_acquire(&pool->started) == nap_load_acquire(&pool->left), pool->started);
	check_counters(p);
	if (!nap_load_acquire(&pool->stopping)) {
		CHECK(left.count == 0, left.count);
		check_at_rest(p);
	}
	if (take) {
		take_back(p, &left);
		check_at_rest(p);
	}
}

/* ---- beginnings ---- */

static void on_start(struct nap_worker *worker, void *arg)
{
	struct fuzz_pool *pool = arg;

	CHECK(nap_worker_self() == worker && nap_worker_pool(worker) == pool->pool, 0);
	nap_fetch_add_relaxed(&pool->started, 1);
}

static void on_stop(struct nap_worker *worker, void *arg)
{
	struct fuzz_pool *pool = arg;

	CHECK(nap_worker_self() == worker, 0);
	nap_fetch_add_release(&pool->left, 1);
}

static void on_failure(struct nap_pool *which, int err, void *arg)
{
	struct fuzz_pool *pool = arg;

	CHECK(which == pool->pool && (err == EAGAIN || err == ENOMEM), err);
	nap_fetch_add_relaxed(&pool->failures, 1);
}

#define CONFIG(p) { .max_workers = 1, .name = "fuzz", .worker_start = on_start,	\
		    .worker_stop = on_stop, .spawn_failed = on_failure, .arg = &pools[p] }

static struct nap_pool static_pool = { .config = CONFIG(0) };

/*
 * Begins the model of the pool in @memory: its first memory, or new memory. No thread may touch old
 * memory again.
 */
static void begin(uint32_t p, struct nap_pool *memory, uint32_t limit)
{
	pools[p] = (struct fuzz_pool){ .pool = memory, .limit = limit };
}

static void init(uint32_t p, uint32_t config_byte, struct nap_pool *memory)
{
	struct nap_config config = CONFIG(p);

	config.max_workers = 1 + config_byte % 3;
	config.stack_size = config_byte & 0x80 ? STACK_SIZE : 0;
	begin(p, memory, config.max_workers);
	CHECK(nap_pool_init(memory, &config) == 0, config.max_workers);
}

/*
 * Joins the pool. Returns whether the pool's memory may be used again: no task can make a call on
 * the pool any longer.
 */
static bool finish(uint32_t p)
{
	call_join(p, true);
	for (uint32_t turn = 0; turn < 2 * POOLS; turn++) {
		if (!nap_load_acquire(&pools[p].users))
			return true;
		if (turn % POOLS != p)
			call_quiesce(turn % POOLS, NAP_FOREVER);
	}
	return !nap_load_acquire(&pools[p].users);
}

void call_init(uint32_t p, uint32_t config)
{
	if (finish(p))
		init(p, config, pools[p].pool);
}

/* Initialises the pool's groups again. They are complete: each member was run or taken back. */
static void rebind_groups(uint32_t p)
{
	for (uint32_t g = 0; g < GROUPS; g++)
		if (groups[g].pool == p)
			nap_group_init(&groups[g].group, pools[p].pool);
}

void call_renew(uint32_t p)
{
	struct nap_pool *old = pools[p].pool, *memory = &static_pool;

	if (old && !finish(p))
		return;
	if (old)
		watchdog_forget(old);
	if (p == 0) {
		static const struct nap_pool fresh = { .config = CONFIG(0) };

		memcpy(&static_pool, &fresh, sizeof(fresh));
		begin(0, memory, 1);
	} else {
		free(old);
		memory = aligned_alloc(64, sizeof(*memory));
		if (!memory)
			abort();
		init(p, p, memory);
	}
	watch_pool(memory);
	rebind_groups(p);
}

void free_pools(void)
{
	for (uint32_t p = 0; p < POOLS; p++) {
		watchdog_forget(pools[p].pool);
		if (p)
			free(pools[p].pool);
		pools[p].pool = NULL;
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * Pools: which threads are inside a pool, which calls a shutdown refuses, which tasks a join hands
 * back.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"

struct fuzz_pool pools[POOLS];
uint32_t door_closed;
__thread bool is_driver;

static __thread struct frame *frames;	/* innermost first */
static __thread uint32_t helping;

void frame_begin(struct frame *frame, uint32_t p)
{
	*frame = (struct frame){ p, frames };
	frames = frame;
}

void frame_end(struct frame *frame)
{
	frames = frame->outer;
}

void helping_begin(void)
{
	helping++;
}

void helping_end(void)
{
	helping--;
}

static bool is_inside(uint32_t p)
{
	struct nap_worker *worker = nap_worker_self();

	for (struct frame *frame = frames; frame; frame = frame->outer)
		if (frame->pool == p)
			return true;
	return worker && nap_worker_pool(worker) == pools[p].pool;
}

/*
 * Notes how the pool may answer the next call. A call from outside is refused if a shutdown is
 * over, and may be refused if one has begun. A call from inside is refused only by a stopped pool.
 * When the driver helps, a call at the end of a work may count as from outside or as from inside.
 */
struct attempt attempt_begin(uint32_t p)
{
	struct attempt attempt = { .pool = p, .inside = is_inside(p) };

	attempt.unsure = !attempt.inside && helping;
	attempt.over = nap_load_acquire(attempt.inside || attempt.unsure ? &pools[p].stopped :
					&pools[p].closed);
	return attempt;
}

bool attempt_end(const struct attempt *attempt, int err)
{
	struct fuzz_pool *pool = &pools[attempt->pool];

	if (!err) {
		CHECK(!attempt->over, attempt->pool);
		return true;
	}
	CHECK(err == -ESHUTDOWN, err);
	CHECK(nap_load_acquire(attempt->inside ? &pool->stopping : &pool->closing), attempt->pool);
	return false;
}

/*
 * Waits until the door is open. Only the driver opens the door, so the driver itself does not wait.
 */
void stand_at_door(void)
{
	while (nap_load_acquire(&door_closed) && !is_driver)
		sched_yield();
}

/* ---- calls */

static bool all_rest(void)
{
	bool rest = true;

	helping_begin();
	for (uint32_t p = 0; p < POOLS; p++)
		rest &= !nap_pool_quiesce_for(pools[p].pool, 0);
	helping_end();
	return rest;
}

void call_quiesce(uint32_t p, uint64_t timeout)
{
	struct fuzz_pool *pool = &pools[p];
	int err;

	if (timeout == NAP_FOREVER)
		nap_store_release(&door_closed, 0);
	helping_begin();
	err = nap_pool_quiesce_for(pool->pool, timeout);
	helping_end();
	if (err == -ETIMEDOUT)
		CHECK(timeout != NAP_FOREVER, err);
	else if (err)
		CHECK(err == -ECANCELED && pool->stopping, err);
	else
		check_submits(p);
	if (!err && all_rest())
		check_queues();
}

void call_shutdown(uint32_t p, uint32_t mode)
{
	struct fuzz_pool *pool = &pools[p];
	int err;

	if (mode == NAP_STOP)
		nap_store_release(&pool->stopping, 1);
	nap_store_release(&pool->closing, 1);
	err = nap_pool_shutdown(pool->pool, (enum nap_shutdown)mode);
	CHECK(!err || err == -EALREADY, err);
	nap_store_release(&pool->closed, 1);
	if (mode == NAP_STOP)
		nap_store_release(&pool->stopped, 1);
}

/* Ends the tasks and works that a join has handed back. */
static void take_back(uint32_t p, struct nap_batch *left)
{
	struct nap_task *task;

	submits_left(p, left);
	CHECK(nap_work_end_left(left) + left->count >= left->count, 0);
	while ((task = nap_batch_pop(left)))
		CHECK(serial_left(task), p);
}

void call_join(uint32_t p)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct fuzz_pool *pool = &pools[p];
	int err;

	nap_store_release(&door_closed, 0);
	nap_store_release(&pool->closing, 1);
	helping_begin();
	err = nap_pool_join(pool->pool, &left);
	helping_end();
	CHECK(err == (pool->joined ? -EALREADY : 0), err);
	nap_store_release(&pool->closed, 1);
	CHECK(!left.count || pool->stopping, left.count);
	take_back(p, &left);
	if (!pool->joined)
		serials_end(p);
	pool->joined = true;
	check_submits(p);
}

static void check_workers(struct fuzz_pool *pool)
{
	struct nap_pool_stats stats;

	CHECK(nap_pool_get_stats(pool->pool, &stats) == 0, 0);
	CHECK(stats.spawned <= pool->most + pool->most_blocked, stats.spawned);
	CHECK(stats.max_workers >= pool->limit || pool->joined, stats.max_workers);
	CHECK(stats.max_workers <= pool->limit + pool->most_blocked || pool->joined,
	      stats.max_workers);
}

void call_limit(uint32_t p, uint32_t limit)
{
	struct fuzz_pool *pool = &pools[p];
	int err = nap_pool_set_limit(pool->pool, limit);

	if (pool->joined) {
		CHECK(err == -ESHUTDOWN, err);
	} else if (limit > pool->most) {
		CHECK(err == -EINVAL, err);
	} else {
		pool->limit = limit ? limit : pool->configured;
		CHECK(err == (int)pool->limit, err);
	}
	check_workers(pool);
}

/*
 * Whether a worker may have @index. If workers have retired, two indices behind those of the guests
 * are in use.
 */
static bool is_index(const struct fuzz_pool *pool, uint32_t index)
{
	uint32_t guests = pool->most + pool->most_blocked;

	return index < guests || (index >= guests + NAP_GUESTS && index < guests + NAP_GUESTS + 2);
}

static void count_stuck(uint32_t worker, uint64_t ns, void *pool)
{
	struct fuzz_pool *of = pool;

	CHECK(is_index(of, worker) && ns >= 1000, worker);
	of->stuck++;
}

void call_look(uint32_t p, bool compensate)
{
	struct fuzz_pool *pool = &pools[p];
	struct nap_stuck look = { .stuck_ns = 1000, .stuck = count_stuck, .arg = pool,
				 .compensate = compensate };
	int n;

	pool->stuck = 0;
	n = nap_pool_check_stuck(pool->pool, &look);
	if (pool->joined)
		CHECK(n == -ESHUTDOWN, n);
	else
		CHECK(n >= (int)pool->stuck && n <= (int)(pool->most + pool->most_blocked), n);
	check_workers(pool);
}

void free_pool(uint32_t p)
{
	if (!pools[p].pool)
		return;
	call_join(p);
	submits_end(p);
	if (pools[p].classes)
		for (uint32_t c = 0; c < NAP_CLASSES; c++)
			CHECK(!nap_load_relaxed(&pools[p].classes->of[c].inside), c);
	free(pools[p].classes);
	free(pools[p].pool);
	pools[p].pool = NULL;
}

/* Returns random classes, some with a limit. */
static struct nap_classes *new_classes(uint32_t config_byte)
{
	struct nap_classes *classes = aligned_alloc(64, sizeof(*classes));

	if (!classes)
		abort();
	memset(classes, 0, sizeof(*classes));
	for (uint32_t c = 0; c < NAP_CLASSES; c++) {
		classes->of[c].weight = (config_byte + c) % 9;
		classes->of[c].limit = (config_byte >> c) % 3;
	}
	return classes;
}

/* Initialises the pool in new memory. From now on no thread may touch the old memory. */
void call_init(uint32_t p, uint32_t config_byte)
{
	struct nap_config config = { .max_workers = 1 + config_byte % 3, .name = "fuzz",
				     .most_workers = 1 + config_byte % 3 + config_byte / 4 % 3,
				     .most_blocked = config_byte / 8 % 3,
				     .min_workers = config_byte / 16 % 2,
				     .idle_timeout_ns = config_byte / 32 % 2 * 50000 };
	struct nap_pool *memory = aligned_alloc(64, sizeof(*memory));

	if (!memory)
		abort();
	/* Works that wait for other works have the old pool's address, so this pool is kept. */
	if (pools[p].pool && nap_load_acquire(&graphs) != nap_load_acquire(&graph_ends)) {
		free(memory);
		return;
	}
	free_pool(p);
	if (config_byte & 0x40)
		config.classes = new_classes(config_byte);
	pools[p] = (struct fuzz_pool){
		.pool = memory, .classes = config.classes, .limit = config.max_workers,
		.configured = config.max_workers, .most = config.most_workers,
		.most_blocked = config.most_blocked, .nr = pools[p].nr + 1
	};
	CHECK(nap_pool_init(memory, &config) == 0, p);
	submits_begin(p, config_byte >> 2);
	serials_begin(p);
}

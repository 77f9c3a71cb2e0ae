// SPDX-License-Identifier: MIT
/* Pools: who is inside, what a shutdown refuses, what a join leaves. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

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
 * From outside a shutdown that is over refuses, and one that has begun may. From inside only one in
 * STOP mode does. Where a work ends while the driver helps, either may be.
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

/* Only the driver opens it: it does not wait there itself. */
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

/* Tasks of every kind, and works, which end now. */
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

void free_pool(uint32_t p)
{
	if (!pools[p].pool)
		return;
	call_join(p);
	submits_end(p);
	free(pools[p].pool);
	pools[p].pool = NULL;
}

/* In new memory: the old one must not be touched again. */
void call_init(uint32_t p, uint32_t config_byte)
{
	struct nap_config config = { .max_workers = 1 + config_byte % 3, .name = "fuzz" };
	struct nap_pool *memory = aligned_alloc(64, sizeof(*memory));

	if (!memory)
		abort();
	/* Works that wait for others have the old one's address. */
	if (pools[p].pool && nap_load_acquire(&graphs) != nap_load_acquire(&graph_ends)) {
		free(memory);
		return;
	}
	free_pool(p);
	pools[p] = (struct fuzz_pool){
		.pool = memory, .limit = config.max_workers, .nr = pools[p].nr + 1
	};
	CHECK(nap_pool_init(memory, &config) == 0, p);
	submits_begin(p, config_byte >> 2);
	serials_begin(p);
}

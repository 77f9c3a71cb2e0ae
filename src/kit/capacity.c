/* SPDX-License-Identifier: MIT */
/*
 * The limit in force, from the two words that it is made of: src/worker/capacity.h.
 *
 *	changes base or blocked			finds a worker or a task too few
 *	-----------------------			--------------------------------
 *	change it; full fence			publish a task; or retire
 *	limit is their sum: done		full fence
 *	or make it so: CAS; begin anew		look at the limit
 *	look at the queues: notify
 *
 * Of two threads that change them at once the later one to look sees both: each looks after its
 * last write and a fence. In between the limit may be what the sum was a moment ago; it never is
 * over pool_capacity(), and never 0. [R4]
 */
#include "worker/capacity.h"

#include "arch/atomic.h"
#include "idle/idle.h"
#include "worker/ask.h"
#include "worker/queued.h"

/* As long as it is not the sum; whether that has raised it. */
static bool make_sum(struct nap_pool *pool)
{
	uint32_t limit, sum;
	bool rose = false;

	for (;;) {
		nap_fence_seq_cst();	/* changed before looking, at the sum and at the queues [R4] */
		limit = nap_load_relaxed(&pool->limit);
		sum = nap_load_relaxed(&pool->base) + nap_load_relaxed(&pool->blocked);
		if (sum == limit)
			return rose;
		if (sum < limit)
			nap_store_relaxed(&pool->lowered, true);
		if (nap_cmpxchg_relaxed(&pool->limit, limit, sum) == limit)
			rose |= sum > limit;
	}
}

void nap__limit_changed(struct nap_pool *pool)
{
	/* By this or by another change, which then finds that it has been made. */
	if (make_sum(pool) && (nap__work_queued(pool) || nap__jobs_wait(pool)))
		nap__idle_notify(pool);
}

/* False: there are as many as may be. */
static bool count_blocked(struct nap_pool *pool)
{
	uint32_t most = most_blocked(pool);
	uint32_t blocked = nap_load_relaxed(&pool->blocked);

	while (blocked < most) {
		if (nap_try_cmpxchg_relaxed(&pool->blocked, &blocked, blocked + 1))
			return true;
	}
	return false;
}

static void count_off(struct nap_pool *pool)
{
	nap_fetch_sub_relaxed(&pool->blocked, 1);
	nap__limit_changed(pool);
}

/* Relaxed: what is counted goes with the word. */
static uint32_t move(struct nap_worker *worker, enum nap__replaced from, enum nap__replaced to)
{
	return nap_cmpxchg_relaxed(&worker->replaced, from, to);
}

/*
 * Counted before it says so: a section takes over what a look has counted, for the next look would
 * count it off, and the section may end before that.
 */
void nap__replace(struct nap_worker *worker, enum nap__replaced why)
{
	struct nap_pool *pool = worker->pool;

	while (move(worker, REPLACED_AS_STUCK, why) == REPLACED_NOT && count_blocked(pool)) {
		if (move(worker, REPLACED_NOT, why) == REPLACED_NOT) {
			nap__limit_changed(pool);
			return;
		}
		/* The other one has counted it by then. */
		count_off(pool);
	}
}

void nap__replace_no_more(struct nap_worker *worker, enum nap__replaced why)
{
	if (move(worker, why, REPLACED_NOT) == (uint32_t)why)
		count_off(worker->pool);
}

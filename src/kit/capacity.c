/* SPDX-License-Identifier: MIT */
/*
 * The limit in force, which is the sum of @base and @blocked: src/worker/capacity.h.
 *
 *	changes base or blocked			depends on the limit
 *	-----------------------			--------------------
 *	change it; full fence			publish a task; or retire
 *	is limit the sum? then done		full fence
 *	else CAS it to the sum; again		read the limit
 *	check the queues: notify
 *
 * If two threads change the words at once, the thread that reads the words last sees both changes,
 * because each thread reads after its last write and a fence. Until then the limit may be an
 * earlier sum, but it is never above pool_capacity(), and never 0. [R4]
 */
#include "worker/capacity.h"

#include "arch/atomic.h"
#include "fork/ask.h"
#include "idle/idle.h"
#include "worker/queued.h"

/* Sets the limit to the sum. Returns whether the limit has risen. */
static bool make_sum(struct nap_pool *pool)
{
	uint32_t limit, sum;
	bool rose = false;

	for (;;) {
		nap_fence_seq_cst();	/* orders the change before the checks below [R4] */
		limit = nap_load_relaxed(&pool->limit);
		sum = nap_load_relaxed(&pool->base) + nap_load_relaxed(&pool->blocked);
		if (sum == limit)
			return rose;
		if (sum < limit)
			nap_store_relaxed(&pool->lowered, true);
		if (nap_cmpxchg_relaxed(&pool->limit, limit, sum) == limit)
			/* Not noticed in tests when >= for >: the two differ here. */
			rose |= sum > limit;
	}
}

void nap__limit_changed(struct nap_pool *pool)
{
	/* If another thread has raised the limit, that thread checks the queues. */
	if (make_sum(pool) && (nap__work_queued(pool) || nap__jobs_wait(pool)))
		nap__idle_notify(pool);
}

/* Counts a blocked worker. False: most_blocked workers are counted already. */
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

/*
 * Changes worker->replaced. Relaxed, because the thread that changes the word counts the worker
 * itself, and no thread relies on the word for other data.
 */
static uint32_t move(struct nap_worker *worker, enum nap__replaced from, enum nap__replaced to)
{
	return nap_cmpxchg_relaxed(&worker->replaced, from, to);
}

/*
 * First counts the worker, then sets worker->replaced: in the other order the section could end
 * before the worker is counted. If a check of stuck workers has counted the worker already, the
 * section takes that count over; otherwise the next check could end the replacement too early.
 */
void nap__replace(struct nap_worker *worker, enum nap__replaced why)
{
	struct nap_pool *pool = worker->pool;

	while (move(worker, REPLACED_AS_STUCK, why) == REPLACED_NOT && count_blocked(pool)) {
		if (move(worker, REPLACED_NOT, why) == REPLACED_NOT) {
			nap__limit_changed(pool);
			return;
		}
		/* Another thread has counted this worker in the meantime. */
		count_off(pool);
	}
}

void nap__replace_no_more(struct nap_worker *worker, enum nap__replaced why)
{
	if (move(worker, why, REPLACED_NOT) == (uint32_t)why)
		count_off(worker->pool);
}

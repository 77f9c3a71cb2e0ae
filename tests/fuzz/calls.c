/* SPDX-License-Identifier: MIT */
/* The calls that driver and tasks make. Each call checks its result. */
#include <errno.h>

#include "fuzz.h"

bool may_be_canceled(uint32_t p, struct nap_worker *worker)
{
	if (p != NONE && nap_load_acquire(&pools[p].stopping))
		return true;
	for (uint32_t other = 0; worker && other < POOLS; other++)
		if (nap_worker_pool(worker) == pools[other].pool)
			return nap_load_acquire(&pools[other].stopping);
	return false;
}

/*
 * Whether a shutdown in @mode is over. A pool stays shut down until it is joined and initialised
 * again.
 */
static bool is_over(struct fuzz_pool *pool, uint32_t mode)
{
	if (nap_load_acquire(&pool->joined))
		return true;
	return nap_load_acquire(mode == NAP_STOP ? &pool->stopped : &pool->closed);
}

void call_shutdown(uint32_t p, uint32_t mode)
{
	struct fuzz_pool *pool = &pools[p];
	uint32_t *begun = mode == NAP_STOP ? &pool->stopping : &pool->closing;
	bool over = is_over(pool, mode), joined = nap_load_acquire(&pool->joined);
	int err;

	if (mode != NAP_DRAIN && mode != NAP_STOP) {
		CHECK(nap_pool_shutdown(pool->pool, (enum nap_shutdown)mode) == -EINVAL, mode);
		return;
	}
	if (mode == NAP_STOP && !joined)
		nap_fetch_add_acq_rel(&pool->stopping, 1);
	nap_fetch_add_acq_rel(&pool->closing, 1);
	err = nap_pool_shutdown(pool->pool, (enum nap_shutdown)mode);
	if (!err) {
		CHECK(!over, mode);
		CHECK(nap_fetch_add_relaxed(&pool->ended[mode], 1) == 0, mode);
	} else {
		CHECK(err == -EALREADY, err);
		/* Another caller has already shut the pool down, or a join has begun. */
		CHECK(nap_load_acquire(begun) > 1 || nap_load_acquire(&pool->joining), mode);
	}
	nap_store_release(&pool->closed, 1);
	if (mode == NAP_STOP && !joined)
		nap_store_release(&pool->stopped, 1);
}

void call_help(uint32_t p, unsigned long max)
{
	bool joined = nap_load_acquire(&pools[p].joined);
	struct help_scope scope;
	long n;

	begin_help(&scope, p);
	n = nap_pool_help(pools[p].pool, max);
	end_help(&scope);
	if (n == -ESHUTDOWN) {
		CHECK(nap_load_acquire(&pools[p].joining), n);
		CHECK(scope.ran == 0, scope.ran);
		return;
	}
	CHECK(!joined, n);
	/*
	 * nap_pool_help() counts a part of a loop that it has run, as it counts a job. The model
	 * does not count parts, because it does not see where a part begins.
	 */
	CHECK(n == scope.ran || nap_load_relaxed(&loops_begun), n - scope.ran);
	CHECK(max == 0 || n <= (long)max, n);
}

void call_wait(uint32_t g, uint64_t timeout)
{
	struct fuzz_group *group = &groups[g];
	bool complete = !nap_load_acquire(&group->members);
	struct nap_worker *worker = nap_worker_self();
	int err;

	/*
	 * In a wait for a group without a pool this thread does not help. Perhaps no other thread
	 * runs the members, so the wait gets a time limit.
	 */
	if (timeout == NAP_FOREVER && group->pool == NONE)
		timeout = 200000;
	if (timeout == NAP_FOREVER && is_driver())
		open_door();
	err = nap_group_wait_for(&group->group, timeout);
	if (err == -ETIMEDOUT) {
		CHECK(timeout != NAP_FOREVER, err);
	} else if (err) {
		CHECK(err == -ECANCELED, err);
		CHECK(may_be_canceled(group->pool, worker), g);
	} else {
		CHECK(!nap_load_acquire(&group->todo), group->todo);
	}
	CHECK(!complete || !err, err);
}

void group_done(uint32_t g)
{
	nap_fetch_sub_release(&groups[g].todo, 1);
	CHECK(nap_group_done(&groups[g].group) == 0, g);
	nap_fetch_sub_release(&groups[g].members, 1);
}

void call_prewarm(uint32_t p, uint32_t n)
{
	bool closed = nap_load_acquire(&pools[p].closed);
	struct nap_pool_stats stats;
	int err = nap_pool_prewarm(pools[p].pool, n);

	if (err == -ESHUTDOWN) {
		CHECK(nap_load_acquire(&pools[p].closing), err);
	} else if (err) {
		CHECK(err == -EAGAIN || err == -ENOMEM, err);
		CHECK(nap_load_relaxed(&failed), err);
	} else {
		CHECK(!closed, p);
		nap_pool_get_stats(pools[p].pool, &stats);
		if (!nap_load_relaxed(&failed) && !nap_load_relaxed(&pools[p].joining))
			CHECK(stats.spawned >= (n < pools[p].limit ? n : pools[p].limit),
			      stats.spawned);
	}
}

void call_stats(uint32_t p)
{
	struct nap_worker_stats worker;
	struct nap_pool_stats stats;
	int err;

	CHECK(nap_pool_get_stats(pools[p].pool, &stats) == 0, p);
	CHECK(stats.spawned <= pools[p].limit, stats.spawned);
	CHECK(stats.max_workers == 0 || stats.max_workers == pools[p].limit, stats.max_workers);
	for (uint32_t i = 0; i < pools[p].limit; i++) {
		err = nap_worker_get_stats(pools[p].pool, i, &worker);
		CHECK(err == 0 || err == -ENOENT || err == -ESHUTDOWN, err);
	}
	err = nap_worker_get_stats(pools[p].pool, pools[p].limit + NAP_GUESTS, &worker);
	CHECK(err == -ENOENT || (err == -ESHUTDOWN && nap_load_acquire(&pools[p].joining)), err);
}

/* SPDX-License-Identifier: MIT */
/*
 * Reading the counters: each has one writer, and no thread is stopped for a read. Typically the
 * pool is in use, and the records are visited one by one; a joined pool keeps their totals.
 */
#include "life/pool.h"

#include <errno.h>
#include <string.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "os/happens.h"
#include "sync/gate.h"
#include "worker/enter.h"
#include "worker/phase.h"
#include "worker/registry.h"
#include "worker/worker.h"

/* Adds all counters except @run. */
static void add_rest(struct nap_worker_stats *sum, struct nap_worker_stats *part)
{
	sum->stolen += nap_load_relaxed(&part->stolen);
	sum->overflowed += nap_load_relaxed(&part->overflowed);
	sum->parked += nap_load_relaxed(&part->parked);
	sum->woken_idle += nap_load_relaxed(&part->woken_idle);
	sum->jobs_stolen += nap_load_relaxed(&part->jobs_stolen);
	sum->dozed += nap_load_relaxed(&part->dozed);
	sum->spun += nap_load_relaxed(&part->spun);
	sum->yielded += nap_load_relaxed(&part->yielded);
	sum->searched += nap_load_relaxed(&part->searched);
	sum->asked += nap_load_relaxed(&part->asked);
	sum->canceled += nap_load_relaxed(&part->canceled);
	sum->timed_out += nap_load_relaxed(&part->timed_out);
	sum->fibers_spawned += nap_load_relaxed(&part->fibers_spawned);
	sum->fibers_ended += nap_load_relaxed(&part->fibers_ended);
	/* Not noticed in tests when <= for <: an equal number is stored again. */
	if (sum->most_queued < nap_load_relaxed(&part->most_queued))
		sum->most_queued = nap_load_relaxed(&part->most_queued);
}

static void add(struct nap_worker_stats *sum, struct nap_worker_stats *part)
{
	sum->run += nap_load_relaxed(&part->run);
	add_rest(sum, part);
}

void nap__stats_sum(struct nap_pool *pool, struct nap_worker_stats *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (struct nap_worker *worker = registry_first(pool); worker; worker = worker->next)
		/* The tasks that guests have run are in pool->helped. */
		(worker->guest ? add_rest : add)(sum, &worker->stats);
}

/* Whether the pool was never used. Reading statistics does not count as a use. */
static bool is_unused(struct nap_pool *pool)
{
	return !nap_load_relaxed(&pool->limit) && !pool_forked(pool);
}

static void add_left(struct nap_pool *pool, struct nap_pool_stats *out)
{
	struct nap__remaining left;

	nap__remaining_count(pool, &left);
	out->running = left.workers;
	out->helping = left.guests;
	out->queued_calls = left.calls;
	out->queued_injected = left.injected;
	out->queued_classes = left.classes;
	out->queued_rings = left.rings;
	out->queued_overflow = left.overflow;
	out->queued_serial = left.serial;
}

void nap__pool_stats(struct nap_pool *pool, struct nap_pool_stats *out)
{
	memset(out, 0, sizeof(*out));
	if (!is_unused(pool) && visits_enter(pool)) {
		nap__stats_sum(pool, &out->workers);
		out->spawned = nap__idle_spawned(pool);
		out->idle = nap__idle_count(pool);
		add_left(pool, out);
		gate_leave(&pool->visits);
	} else {
		add(&out->workers, &pool->totals);
	}
	out->helped = nap_load_relaxed(&pool->helped);
	/* For a pool that sizes itself the limit is found out only at its first use. */
	if (!is_unused(pool) || !pool->config.max_workers)
		out->max_workers = nap_load_relaxed(&pool->limit);
	else
		out->max_workers = nap__wanted_workers(&pool->config);
	out->spawn_failures = nap_load_relaxed(&pool->spawn_failures);
	out->spawn_last_errno = nap_load_relaxed(&pool->spawn_errno);
	out->refused = nap_load_relaxed(&pool->refused);
	out->tasks_refused = nap_load_relaxed(&pool->tasks_refused);
	out->most_running = nap_load_relaxed(&pool->most_running);
	out->most_queued = nap_load_relaxed(&pool->most_queued);
	/* Not noticed in tests when <= for <: an equal number is stored again. */
	if (out->most_queued < out->workers.most_queued)
		out->most_queued = out->workers.most_queued;
}

int nap_pool_get_stats(struct nap_pool *pool, struct nap_pool_stats *out)
{
	if (!pool || !out)
		return -EINVAL;
	unseen_begin();
	nap__pool_stats(pool, out);
	unseen_end();
	return 0;
}

static int get_one(struct nap_pool *pool, unsigned index, struct nap_worker_stats *out)
{
	int err = -ENOENT;

	if (is_unused(pool)) {
		memset(out, 0, sizeof(*out));
		return -ENOENT;
	}
	if (!visits_enter(pool))
		return -ESHUTDOWN;
	memset(out, 0, sizeof(*out));
	for (struct nap_worker *worker = registry_first(pool); worker; worker = worker->next)
		if (worker->index == index) {
			add(out, &worker->stats);
			err = 0;
		}
	gate_leave(&pool->visits);
	return err;
}

int nap_worker_get_stats(struct nap_pool *pool, unsigned index, struct nap_worker_stats *out)
{
	int err;

	if (!pool || !out)
		return -EINVAL;
	unseen_begin();
	err = get_one(pool, index, out);
	unseen_end();
	return err;
}

int nap_pool_remaining(struct nap_pool *pool, struct nap_remaining *out)
{
	struct nap__remaining left;

	if (!pool || !out)
		return -EINVAL;
	memset(out, 0, sizeof(*out));
	unseen_begin();
	/* Reading statistics does not count as a use. */
	if (nap_load_relaxed(&pool->limit) && visits_enter(pool)) {
		nap__remaining_count(pool, &left);
		gate_leave(&pool->visits);
		out->queued = left_queued(&left);
		out->workers = left.workers;
		out->guests = left.guests;
	}
	unseen_end();
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * A pool's beginning, and the beginning of its end. Typically neither starts a thread: the first
 * schedule does, and join waits for them.
 */
#include "pool.h"

#include <errno.h>
#include <string.h>

#include <nap/nap.h>

#include "atomic.h"
#include "call_list.h"
#include "debug.h"
#include "enter.h"
#include "event.h"
#include "gate.h"
#include "happens.h"
#include "idle/idle.h"
#include "os.h"
#include "phase.h"
#include "queue/kind.h"
#include "self.h"
#include "waitlist.h"
#include "worker.h"

/* linux/sched.h */
#define SCHED_FIFO	1
#define SCHED_RR	2
#define SCHED_DEADLINE	6
#define SCHED_RESET_ON_FORK 0x40000000
#define PRIORITY_MAX	99

static bool affinity_is_valid(const unsigned long *mask, size_t size)
{
	size_t i = 0;

	if (!mask)
		return true;
	while (i < size / sizeof(*mask) && !mask[i])
		i++;
	return i < size / sizeof(*mask) && size % sizeof(*mask) == 0;
}

static bool sched_is_valid(const struct nap_sched *sched)
{
	bool realtime;
	int policy;

	if (!sched)
		return true;
	policy = sched->policy & ~SCHED_RESET_ON_FORK;
	realtime = policy == SCHED_FIFO || policy == SCHED_RR;
	return policy >= 0 && policy != SCHED_DEADLINE &&
	       sched->priority >= realtime &&
	       sched->priority <= (realtime ? PRIORITY_MAX : 0) &&
	       sched->nice >= -20 && sched->nice <= 19;
}

static bool memory_is_valid(const struct nap_memory *memory)
{
	return !memory || (memory->mode >= 0 && memory->nodes_size % sizeof(*memory->nodes) == 0 &&
			   (memory->nodes || !memory->nodes_size));
}

static bool config_is_valid(const struct nap_config *config)
{
	return config->max_workers <= NAP_MAX_WORKERS && config->idle < NAP__IDLE_PROTOCOLS &&
	       (!config->stack_size || config->stack_size >= STACK_MIN) &&
	       affinity_is_valid(config->affinity, config->affinity_size) &&
	       sched_is_valid(config->sched) && memory_is_valid(config->memory) &&
	       !(config->flags & ~(NAP_NAME_EXACT | NAP_START_ANYWHERE | NAP_ONE_CPU_EACH));
}

int nap_pool_init(struct nap_pool *pool, const struct nap_config *config)
{
	struct nap_config kept = { 0 };

	if (!pool || (uintptr_t)pool % NAP__CACHE_LINE)
		return -EINVAL;
	if (config && !config_is_valid(config))
		return -EINVAL;
	/* @config may be the pool's own of its last life. */
	if (config)
		kept = *config;
	memset(pool, 0, sizeof(*pool));
	pool->config = kept;
	return 0;
}

/*
 * A start that failed and left no worker took the notification along (sync_unspawn()), so a worker
 * that is started without one would not look at what is queued.
 */
static void notify_of_queued(struct nap_pool *pool)
{
	nap_fence_seq_cst();	/* start before looking; pairs with nap__idle_notify() [S1] */
	if (!inject_empty(&pool->inject))
		nap__idle_notify(pool);
}

static int prewarm(struct nap_pool *pool, uint32_t n)
{
	uint32_t limit;
	int err;

	if (!intake_enter(pool))
		return -ESHUTDOWN;
	limit = nap_load_relaxed(&pool->limit);
	do {
		err = nap__idle_spawn(pool, n < limit ? n : limit);
	} while (!err);
	notify_of_queued(pool);
	gate_leave(&pool->intake);
	return err == -EALREADY ? 0 : err;
}

int nap_pool_prewarm(struct nap_pool *pool, uint32_t n)
{
	int err;

	if (!pool)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	unseen_begin();
	err = prewarm(pool, n);
	unseen_end();
	return err;
}

/* Everybody out: workers, and those who wait for the pool from outside. */
static void stop(struct nap_pool *pool)
{
	/* A pool that has been joined meanwhile has nobody left to tell. */
	if (gate_enter(&pool->visits)) {
		nap__idle_shutdown(pool);
		gate_leave(&pool->visits);
	}
	nap_fence_seq_cst();	/* phase before lists; pairs with those who enlist [Q1] */
	waitlist_wake(&pool->waiters, EVENT_POOL);
	calls_look_again(pool);
}

int nap__shutdown(struct nap_pool *pool, enum nap_shutdown mode)
{
	if (pool_forked(pool))
		return -ESHUTDOWN;
	pool_start(pool);
	/* Closed before the phase says so: what was accepted is seen by whoever reads the phase. */
	gate_close(&pool->intake);
	/*
	 * Before the phase, too: who has seen the stop, by whichever way, schedules no more. An
	 * exchange, because helgrind takes it for a read. Pairs with pool_phase(). [P1]
	 */
	if (mode == NAP_STOP)
		nap_xchg_relaxed(&pool->plain, PLAIN_NO_MORE);
	if (!phase_raise(pool, (enum nap__phase)mode))
		return -EALREADY;
	if (mode == NAP_STOP)
		stop(pool);
	return 0;
}

int nap_pool_shutdown(struct nap_pool *pool, enum nap_shutdown mode)
{
	int err;

	if (!pool || (mode != NAP_DRAIN && mode != NAP_STOP))
		return -EINVAL;
	unseen_begin();
	err = nap__shutdown(pool, mode);
	unseen_end();
	return err;
}

struct nap_worker *nap_worker_self(void)
{
	return nap__self()->worker;
}

struct nap_pool *nap_worker_pool(const struct nap_worker *worker)
{
	return worker ? worker->pool : NULL;
}

uint32_t nap_worker_index(const struct nap_worker *worker)
{
	return worker ? worker->index : UINT32_MAX;
}

uint32_t nap_cpu_count(void)
{
	/* Not noticed in tests when 1 for 0: without a mask nobody reads its size. */
	return nap__os_cpu_count(NULL, 0);
}

/* SPDX-License-Identifier: MIT */
/*
 * The beginning of a pool, and the beginning of its end. Typically neither starts nor waits for a
 * thread: the first schedule starts one, and the join waits.
 */
#include "life/pool.h"

#include <errno.h>
#include <string.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "os/happens.h"
#include "os/os.h"
#include "queue/kind.h"
#include "sync/debug.h"
#include "sync/event.h"
#include "sync/gate.h"
#include "sync/waitlist.h"
#include "worker/async.h"
#include "worker/enter.h"
#include "worker/measure.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/source.h"
#include "worker/worker.h"

/* as in linux/sched.h */
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

static bool limits_are_valid(const struct nap_config *config)
{
	uint32_t most = config->most_workers ? config->most_workers : config->max_workers;

	return config->max_workers <= NAP_MAX_WORKERS && most <= NAP_MAX_WORKERS &&
	       config->max_workers <= most && config->most_blocked <= NAP_MAX_WORKERS - most;
}

static bool classes_are_valid(const struct nap_classes *classes)
{
	if (!classes)
		return true;
	if ((uintptr_t)classes % NAP__CACHE_LINE)
		return false;
	for (uint32_t i = 0; i < NAP_CLASSES; i++)
		if (classes->of[i].weight > NAP_CLASS_WEIGHT_MAX)
			return false;
	return classes->count <= NAP_CLASSES;
}

/* Sets the classes to zero, except what the program has set. */
static void classes_init(struct nap_classes *classes)
{
	for (uint32_t i = 0; classes && i < NAP_CLASSES; i++)
		classes->of[i] = (struct nap_class){ .weight = classes->of[i].weight,
						     .limit = classes->of[i].limit };
}

/*
 * A configuration with a field that this library does not know is refused, because the program
 * relies on the field.
 */
static bool reserved_is_zero(const struct nap_config *config)
{
	uint32_t any = 0;

	for (size_t i = 0; i < sizeof(config->reserved) / sizeof(*config->reserved); i++)
		any |= config->reserved[i];
	return !any;
}

static bool config_is_valid(const struct nap_config *config)
{
	return limits_are_valid(config) && config->idle < NAP__IDLE_PROTOCOLS &&
	       (!config->stack_size || config->stack_size >= STACK_MIN) &&
	       affinity_is_valid(config->affinity, config->affinity_size) &&
	       sched_is_valid(config->sched) && memory_is_valid(config->memory) &&
	       classes_are_valid(config->classes) && config->measure <= NAP_MEASURE_MAX &&
	       reserved_is_zero(config) &&
	       !(config->flags & ~(NAP_NAME_EXACT | NAP_START_ANYWHERE | NAP_ONE_CPU_EACH |
				     NAP_NO_WORKERS));
}

int nap_pool_init(struct nap_pool *pool, const struct nap_config *config)
{
	struct nap_config kept = { 0 };

	if (!pool || (uintptr_t)pool % NAP__CACHE_LINE)
		return -EINVAL;
	if (config && !config_is_valid(config))
		return -EINVAL;
	if (config && (!idle_is_linked(config->idle) || (config->measure && !CAN_MEASURE)))
		return -ENOSYS;
	/* @config may be this pool's own configuration, from before its join. */
	if (config)
		kept = *config;
	memset(pool, 0, sizeof(*pool));
	pool->config = kept;
	classes_init(kept.classes);
	return 0;
}

/*
 * Notifies of tasks that are queued already. A failed start that left no worker has cleared their
 * notification (sync_unspawn() in src/idle/sync.c), and a worker that is started without a
 * notification does not check the queues.
 */
static void notify_of_queued(struct nap_pool *pool)
{
	nap_fence_seq_cst();	/* start before checking; pairs with nap__idle_notify() [S1] */
	if (!inject_empty(&pool->inject) || nap__sources_queued(pool, true))
		nap__idle_notify(pool);
}

static int start_workers(struct nap_pool *pool, uint32_t n)
{
	uint32_t limit;
	int err;

	if (!intake_enter(pool))
		return -ESHUTDOWN;
	limit = nap_load_relaxed(&pool->limit);
	do {
		/* Not noticed in tests when <= for <: both are the same number then. */
		err = nap__idle_spawn(pool, n < limit ? n : limit);
	} while (!err);
	notify_of_queued(pool);
	gate_leave(&pool->intake);
	return err == -EALREADY ? 0 : err;
}

/*
 * Stays inside the visits until the waiters for the pool's end are notified, because they may have
 * waited for a start that has failed.
 */
static int prewarm(struct nap_pool *pool, uint32_t n)
{
	int err;

	if (!visits_enter(pool))
		return -ESHUTDOWN;
	err = start_workers(pool, n);
	nap_fence_seq_cst();	/* fail before checking; pairs with look_for_end() [N1] */
	nap__sources_hear(pool, NEWS_RESTED, NULL);
	gate_leave(&pool->visits);
	return err;
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

/* If the pool is joined already, there is no thread to notify. */
static void stop_inside(struct nap_pool *pool)
{
	if (!gate_enter(&pool->visits))
		return;
	nap__idle_shutdown(pool);
	/* raise the phase before reading the list; pairs with list_and_check() [Q1] */
	nap_fence_seq_cst();
	async_ending(pool);
	gate_leave(&pool->visits);
}

/* Ends the workers, and the waits of threads from outside. */
static void stop(struct nap_pool *pool)
{
	stop_inside(pool);
	/* raise the phase first; pairs with wait_visit(), call_enlist() [Q1] */
	nap_fence_seq_cst();
	waitlist_wake(&pool->waiters, EVENT_POOL);
	nap__sources_hear(pool, NEWS_STOPPED, NULL);
}

int nap__shutdown(struct nap_pool *pool, enum nap_shutdown mode)
{
	if (pool_forked(pool))
		return -ESHUTDOWN;
	pool_start(pool);
	/*
	 * The gate is closed before the phase is raised: a thread that sees the phase also sees all
	 * accepted tasks.
	 */
	gate_close(&pool->intake);
	/*
	 * pool->plain is set before the phase, too, so that a thread that has seen the stop in any
	 * way schedules nothing. The store is an exchange, because helgrind treats an exchange as a
	 * read. Pairs with pool_phase(). [P1]
	 */
	if (mode == NAP_STOP)
		nap_xchg_relaxed(&pool->plain, PLAIN_NO_MORE);
	if (!phase_raise(pool, (enum nap__phase)mode))
		return -EALREADY;
	if (mode == NAP_STOP)
		stop(pool);
	return 0;
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

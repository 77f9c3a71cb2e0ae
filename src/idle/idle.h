/* SPDX-License-Identifier: MIT */
/*
 * The room idle/ (this header is its door).
 *
 * Which worker is woken, and which one sleeps. Three protocols implement one table of functions:
 * sync.c, go.c, jec.c. The room also has the set of parked workers (set.h), the spin before a sleep
 * (spin.h), the delay of a wake (doze.h), the wake of many workers (wave.h), and the check for a
 * pool with nothing to do (at_rest.c).
 *
 * Typically a producer that has published a task calls idle_is_notified() (protocols.h): a full
 * fence, then a read of the protocol's word, which says that a worker is searching or that none is
 * idle. If the word says neither, the producer calls nap__idle_notify(), which begins with a fence
 * of its own. A worker that has found nothing calls nap__idle_prepare(), whose fence pairs with the
 * producer's, and then sleeps on its event.
 *
 * Which parked worker is woken, in every protocol: set_pop() in set.h. Where a worker that has
 * found a task has the next one woken: stop_search() of each protocol. Where a failed start is
 * reported, and tried again: nap__idle_start() and nap__retry_start() in idle.c.
 *
 * From outside: the functions of idle.h, protocols.h, spin.h and wave.h. The protocol's words
 * (pool->sync, pool->counters, pool->idle_set, worker->protocol) are touched in this room only.
 *
 * Open: protocols.h set.h spin.h wave.h
 */
/*
 * The interface of an idle protocol is a table of functions; pool->config.idle chooses the table.
 * Documentation/idle.rst compares the three protocols.
 */
#ifndef NAP_IDLE_IDLE_H
#define NAP_IDLE_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/pool.h>

#include "worker/async.h"
#include "worker/worker.h"

/*
 * The functions are described below, except started(): it sets the state of a worker that starts,
 * or was called back.
 */
struct nap__idle_ops {
	void (*notify)(struct nap_pool *pool, size_t tasks, bool was_empty, bool lone);
	void (*stop_search)(struct nap_worker *worker, bool more);
	enum nap__verdict (*prepare)(struct nap_worker *worker);
	void (*started)(struct nap_worker *worker);
	void (*woken)(struct nap_worker *worker);
	void (*abort_park)(struct nap_worker *worker);
	void (*shutdown)(struct nap_pool *pool);
	int (*spawn)(struct nap_pool *pool, uint32_t want);
	void (*spawn_failed)(struct nap_pool *pool);
	int (*retire)(struct nap_pool *pool, uint32_t keep);
	bool (*quiet)(struct nap_pool *pool);
	uint32_t (*spawned)(struct nap_pool *pool);
	uint32_t (*idle)(struct nap_pool *pool);
	uint32_t watched;	/* the bit of pool->sync that nap__idle_watch() sets */
	bool spins;		/* a thread may check its event before it sleeps: spin.h */
	bool others_first;	/* a search tries other workers before the injected tasks */
	bool random;	/* a search begins at a random worker, not where the last search stopped */
};

/*
 * The tables, in the order of enum nap_idle. NULL: the protocol is not linked, because no part of
 * the program has asked for it (protocols.c).
 */
extern const struct nap__idle_ops *const nap__idle_protocols[]
	__attribute__((visibility("hidden")));

/*
 * The protocol of a pool that asks for NAP_IDLE_SYNC; test builds choose another one, to run the
 * same tests under each.
 */
#ifndef NAP_IDLE_FIRST
#define NAP_IDLE_FIRST NAP_IDLE_SYNC
#endif

/* Whether the protocol number @idle, below NAP__IDLE_PROTOCOLS, is linked. */
static inline bool idle_is_linked(uint32_t idle)
{
#ifdef NAP_ON_DEMAND
	return nap__idle_protocols[idle];
#else
	(void)idle;
	return true;
#endif
}

static inline enum nap_idle idle_protocol(struct nap_pool *pool)
{
	uint32_t idle = pool->config.idle;

	/* A static initialiser may have a wrong number, or a protocol that is not linked. */
	return idle == NAP_IDLE_SYNC || idle >= NAP__IDLE_PROTOCOLS || !idle_is_linked(idle) ?
		       NAP_IDLE_FIRST : idle;
}

static inline const struct nap__idle_ops *idle_ops(struct nap_pool *pool)
{
	return nap__idle_protocols[idle_protocol(pool)];
}

/*
 * Called by any thread that has published tasks, or released a consumer lock with tasks left.
 * @tasks: the number of tasks; @was_empty: no earlier task was in the queue.
 *
 * Fences. This call and the next two begin with a full fence of their own, in each protocol's
 * notify(); so do nap__idle_at_rest() and nap__idle_retired(). nap__idle_watch() has none: its
 * caller fences after the call, and then checks. nap__idle_wake_watchers() has none: its caller
 * fences before the call, or has just changed the word in which the watch is a bit.
 */
static inline void nap__idle_notify_many(struct nap_pool *pool, size_t tasks, bool was_empty)
{
	idle_ops(pool)->notify(pool, tasks, was_empty, false);
}

/*
 * Called by a worker that has put one task into its own empty ring, and takes this task next,
 * unless its present task goes on for long: src/idle/doze.h.
 */
static inline void nap__idle_notify_lone(struct nap_pool *pool)
{
	idle_ops(pool)->notify(pool, 1, true, true);
}

static inline void nap__idle_notify(struct nap_pool *pool)
{
	nap__idle_notify_many(pool, 1, true);
}

/* Called by any thread inside the pool: from now on every nap__idle_prepare() returns NAP_EXIT. */
void nap__idle_shutdown(struct nap_pool *pool);

/*
 * Starts a worker that the protocol has counted. If the start fails: notifies the protocol, then
 * the threads that wait, then the program's callback. Returns 0 or the errno.
 */
int nap__idle_start(struct nap_pool *pool);

/* Called by the starter of a worker that could not be started. */
void nap__idle_spawn_failed(struct nap_pool *pool);

/*
 * Stops counting as spawned a worker that is neither idle nor searching. Returns 0: no thread
 * relies on the worker once it has called nap__idle_retired(); -EALREADY: there are no more than
 * @keep workers; or -ESHUTDOWN.
 */
static inline int nap__idle_retire(struct nap_pool *pool, uint32_t keep)
{
	return idle_ops(pool)->retire(pool, keep);
}

/*
 * The last step of a retired worker: notifies another worker of tasks for which producers relied on
 * the retired one.
 */
void nap__idle_retired(struct nap_pool *pool);

/*
 * Called by the joiner when all workers have left: sets the protocol's words to those of a new pool
 * that has ended.
 */
void nap__idle_reset(struct nap_pool *pool);

/* Called by any thread that is in pool->waiters: asks for EVENT_POOL when the pool falls quiet. */
void nap__idle_watch(struct nap_pool *pool);

/* Called by any thread: wakes the threads that watch, if there are any. */
void nap__idle_wake_watchers(struct nap_pool *pool);

/*
 * Called by a worker that is counted as idle and has nothing more to check: wakes the threads that
 * watch if the pool is quiet. Returns NAP_PARK.
 */
enum nap__verdict nap__idle_at_rest(struct nap_worker *worker);

/*
 * Called by a worker that took a task, or stops searching for another reason: notifies another
 * worker if producers relied on its search. @more: tasks were left or moved, so other workers may
 * be needed.
 */
static inline void nap__idle_stop_search(struct nap_worker *worker, bool more)
{
	async_end_polling(worker);
	idle_ops(worker->pool)->stop_search(worker, more);
}

/*
 * Called by a worker that found no task, also after every wake: returns what to do. Does not block.
 */
static inline enum nap__verdict nap__idle_prepare(struct nap_worker *worker)
{
	return idle_ops(worker->pool)->prepare(worker);
}

/* Called by a worker that got NAP_PARK, and then EVENT_WORK. */
static inline void nap__idle_woken(struct nap_worker *worker)
{
	idle_ops(worker->pool)->woken(worker);
}

/* Called by a worker that got NAP_PARK and stops sleeping for another reason than EVENT_WORK. */
static inline void nap__idle_abort_park(struct nap_worker *worker)
{
	idle_ops(worker->pool)->abort_park(worker);
}

/*
 * Called by any thread: counts and starts one more worker. Returns 0; -EALREADY if there are @want
 * workers; or the errno.
 */
static inline int nap__idle_spawn(struct nap_pool *pool, uint32_t want)
{
	return idle_ops(pool)->spawn(pool, want);
}

/*
 * Called by any thread: whether every worker is idle and no wake is on its way, at the time of the
 * load.
 */
static inline bool nap__idle_quiet(struct nap_pool *pool)
{
	return idle_ops(pool)->quiet(pool);
}

/*
 * Called by any thread: nap__idle_spawned() returns how many workers exist or are being started;
 * nap__idle_count() how many are idle, guests included.
 */
static inline uint32_t nap__idle_spawned(struct nap_pool *pool)
{
	return idle_ops(pool)->spawned(pool);
}

static inline uint32_t nap__idle_count(struct nap_pool *pool)
{
	return idle_ops(pool)->idle(pool);
}

/*
 * Called by any thread: whether a start has failed while other workers existed, and no start has
 * succeeded since. Queued work may wait for the next try.
 */
bool nap__start_owed(struct nap_pool *pool);

/*
 * Called by any thread inside: returns nap__start_owed(); if that is true and there is work, tries
 * to start a worker again.
 */
bool nap__retry_start(struct nap_pool *pool);

/*
 * Called by any thread inside: whether at some time during the call nothing was queued and no
 * thread was inside a task. If true, the caller sees what the tasks did. src/idle/at_rest.c
 */
bool nap__pool_at_rest(struct nap_pool *pool);

#endif /* NAP_IDLE_IDLE_H */

/* SPDX-License-Identifier: MIT */
/*
 * The room idle/ (this header is its door).
 *
 * Which worker is woken, and which one sleeps. Three protocols stand behind one table of functions:
 * sync.c, go.c, jec.c. The room has the set of parked workers (set.h), the spin before a sleep
 * (spin.h), the delay of a wake (doze.h), and the question whether a pool has nothing to do
 * (at_rest.c).
 *
 * Typically a producer that has published a task calls nap__idle_notify() after a full fence: it
 * reads the protocol's word, finds that a worker is searching or that none is idle, and returns. A
 * worker that has found nothing calls nap__idle_prepare(), and then sleeps on its event.
 *
 * From outside: the functions of idle.h, protocols.h and spin.h. The protocol's words (pool->sync,
 * pool->counters, pool->idle_set, worker->protocol) are touched in this room only.
 *
 * Open: protocols.h set.h spin.h
 */
/*
 * What the rest of the pool sees of an idle protocol: which workers are notified of new work, which
 * search for it, which sleep. Protocols are interchangeable behind this, a table of functions each:
 * sync.c, go.c and jec.c; pool->config.idle chooses. Documentation/idle.rst has the three side by
 * side.
 */
#ifndef NAP_IDLE_IDLE_H
#define NAP_IDLE_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/pool.h>

#include "worker/async.h"
#include "worker/worker.h"

/* The calls are described below. */
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
	uint32_t watched;	/* a bit of pool->sync that is nap__idle_watch()'s alone */
	bool spins;		/* a thread may poll its event before it sleeps: spin.h */
	bool others_first;	/* a search looks at the other workers before what was injected */
	bool random;	/* others are searched from a random one on, else from where it stopped */
};

/*
 * In the enum's order. One that no part of the program has asked for may be NULL: protocols.c.
 * Hidden in tests, too: protocols.h.
 */
extern const struct nap__idle_ops *const nap__idle_protocols[]
	__attribute__((visibility("hidden")));

/* Which one a pool gets that asks for NAP_IDLE_SYNC, for the tests to run under all of them. */
#ifndef NAP_IDLE_FIRST
#define NAP_IDLE_FIRST NAP_IDLE_SYNC
#endif

/* Of a number below NAP__IDLE_PROTOCOLS. */
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

	/* A static initialiser cannot refuse another number, nor one that is not linked. */
	return idle == NAP_IDLE_SYNC || idle >= NAP__IDLE_PROTOCOLS || !idle_is_linked(idle) ?
		       NAP_IDLE_FIRST : idle;
}

static inline const struct nap__idle_ops *idle_ops(struct nap_pool *pool)
{
	return nap__idle_protocols[idle_protocol(pool)];
}

/*
 * Any thread, after it published tasks (or released a consumer lock that left some behind). A full
 * fence comes first.
 * @tasks: how many; @was_empty: the queue was, so that nobody can be late with what was there.
 */
static inline void nap__idle_notify_many(struct nap_pool *pool, size_t tasks, bool was_empty)
{
	idle_ops(pool)->notify(pool, tasks, was_empty, false);
}

/*
 * Worker that has put one task into its own ring, which was empty: it takes that task next, unless
 * it goes on for long with the one that it is in. src/idle/doze.h
 */
static inline void nap__idle_notify_lone(struct nap_pool *pool)
{
	idle_ops(pool)->notify(pool, 1, true, true);
}

static inline void nap__idle_notify(struct nap_pool *pool)
{
	nap__idle_notify_many(pool, 1, true);
}

/* Any thread inside the pool: from now on every nap__idle_prepare() says NAP_EXIT. */
void nap__idle_shutdown(struct nap_pool *pool);

/*
 * A protocol that has counted one more worker: start it. If that fails the protocol is notified,
 * then those who wait, then the program's callback. 0 or the errno.
 */
int nap__idle_start(struct nap_pool *pool);

/* The starter of a worker that did not come to be. */
void nap__idle_spawn_failed(struct nap_pool *pool);

/*
 * Worker that is neither idle nor searching: it counts no more as spawned. 0: then nobody relies on
 * it, once it has called nap__idle_retired(). -EALREADY: there are no more than @keep; -ESHUTDOWN.
 */
static inline int nap__idle_retire(struct nap_pool *pool, uint32_t keep)
{
	return idle_ops(pool)->retire(pool, keep);
}

/* Worker that has retired, as its last step: others are notified of what it was relied on for. */
void nap__idle_retired(struct nap_pool *pool);

/* The joiner, when all have left: the protocol's words as a new pool's, but ended. */
void nap__idle_reset(struct nap_pool *pool);

/* Any thread that is in pool->waiters: wants EVENT_POOL when the pool falls quiet. */
void nap__idle_watch(struct nap_pool *pool);

/* Any thread: those who watch are to look, if there are any. */
void nap__idle_wake_watchers(struct nap_pool *pool);

/*
 * Worker that is counted as idle and has nothing more to look at: if the pool is quiet those who
 * watch are notified. Always NAP_PARK.
 */
enum nap__verdict nap__idle_at_rest(struct nap_worker *worker);

/*
 * Worker: it took a task, or does not search on for another reason; it passes on what it owes to
 * others. @more: they may want to know of what is left or was moved.
 */
static inline void nap__idle_stop_search(struct nap_worker *worker, bool more)
{
	async_end_polling(worker);
	idle_ops(worker->pool)->stop_search(worker, more);
}

/* Worker that found no task, also after every wake: what to do now. Does not block. */
static inline enum nap__verdict nap__idle_prepare(struct nap_worker *worker)
{
	return idle_ops(worker->pool)->prepare(worker);
}

/* Worker that was told NAP_PARK and got EVENT_WORK. */
static inline void nap__idle_woken(struct nap_worker *worker)
{
	idle_ops(worker->pool)->woken(worker);
}

/* Worker that was told NAP_PARK and does not sleep on, without EVENT_WORK or besides it. */
static inline void nap__idle_abort_park(struct nap_worker *worker)
{
	idle_ops(worker->pool)->abort_park(worker);
}

/* Any thread: count and start one worker more. 0, -EALREADY at @want workers, or the errno. */
static inline int nap__idle_spawn(struct nap_pool *pool, uint32_t want)
{
	return idle_ops(pool)->spawn(pool, want);
}

/* Any thread: every worker is idle and no wake is on its way, as of the load. */
static inline bool nap__idle_quiet(struct nap_pool *pool)
{
	return idle_ops(pool)->quiet(pool);
}

/* Any thread: workers that exist or are being started; how many are idle, guests included. */
static inline uint32_t nap__idle_spawned(struct nap_pool *pool)
{
	return idle_ops(pool)->spawned(pool);
}

static inline uint32_t nap__idle_count(struct nap_pool *pool)
{
	return idle_ops(pool)->idle(pool);
}

/*
 * Any thread: whether a start has failed, beside workers that are there, and none has succeeded
 * since. Work that is left, or comes before the next try is allowed, may wait for that try.
 */
bool nap__start_owed(struct nap_pool *pool);

/* Any thread inside: as above; then it tries again, if there is work. */
bool nap__retry_start(struct nap_pool *pool);

/*
 * Any thread inside the pool: nothing was queued and nobody inside a task, as of some moment in
 * the call. What the tasks did is visible. src/idle/at_rest.c
 */
bool nap__pool_at_rest(struct nap_pool *pool);

#endif /* NAP_IDLE_IDLE_H */

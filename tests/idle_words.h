/* SPDX-License-Identifier: MIT */
/*
 * The words of a pool's idle protocol, for tests that begin in the middle of a protocol or read its
 * state:
 *
 *	idle_words(&pool)->set(&pool, 3, 1);	three workers are counted, one of them as idle
 *	idle_words(&pool)->name			"sync", "go" or "jec"
 *
 * Only words that every protocol has are here. unit/{sync,go,jec}.c test what one protocol alone
 * has.
 */
#ifndef NAP_TESTS_IDLE_WORDS_H
#define NAP_TESTS_IDLE_WORDS_H

#include <stdio.h>

#include <nap/nap.h>

#include "idle/protocols.h"

struct idle_words {
	const char *name;
	/* Sets the words as after @spawned starts of workers, of which @idle are asleep. */
	void (*set)(struct nap_pool *pool, uint32_t spawned, uint32_t idle);
	/* Undoes the starts of @n busy workers. May be called by any thread. */
	void (*uncount)(struct nap_pool *pool, uint32_t n);
	/* Whether the protocol has been told that the pool ends. */
	bool (*ended)(struct nap_pool *pool);
	/*
	 * Whether, at the time of this load, no worker had been asked to check the queues once
	 * more, and none was making such a check. (A worker that yields before it sleeps may still
	 * be checking.)
	 */
	bool (*nobody_called)(struct nap_pool *pool);
	/*
	 * Whether each count of the protocol, except those of workers and idle workers, is at most
	 * @most.
	 */
	bool (*within)(struct nap_pool *pool, uint32_t most);
	/* Returns what the worker is in the protocol, such as "waking", or "". */
	const char *(*state)(struct nap_worker *worker);
	/* Whether producers rely on @worker to check the queues. */
	bool (*searching)(struct nap_worker *worker);
	/* Writes the protocol's words as text. */
	void (*print)(struct nap_pool *pool, char *to, size_t size);
	/* if no worker searches, each worker that counts as idle is in the idle set */
	bool all_listed;
	/*
	 * Sets what @worker itself remembers while it sleeps. Its count and its place in the set
	 * are not changed.
	 */
	void (*asleep)(struct nap_worker *worker);
};

/* ---- sync */

static inline void sync_words_set(struct nap_pool *pool, uint32_t spawned, uint32_t idle)
{
	nap_store_relaxed(&pool->sync, spawned * SYNC_SPAWNED_ONE + idle * SYNC_IDLE_ONE);
}

static inline void sync_words_uncount(struct nap_pool *pool, uint32_t n)
{
	nap_fetch_sub_relaxed(&pool->sync, n * SYNC_SPAWNED_ONE);
}

static inline bool sync_words_ended(struct nap_pool *pool)
{
	return sync_state(nap_load_relaxed(&pool->sync)) == SYNC_SHUTDOWN;
}

static inline bool sync_words_nobody_called(struct nap_pool *pool)
{
	uint32_t sync = nap_load_relaxed(&pool->sync);

	return sync_state(sync) == SYNC_PENDING && !(sync & SYNC_NOTIFIED);
}

static inline bool sync_words_within(struct nap_pool *pool, uint32_t most)
{
	(void)pool;
	(void)most;
	return true;
}

static inline bool sync_words_searching(struct nap_worker *worker)
{
	return sync_of(worker)->waking;
}

static inline const char *sync_words_state(struct nap_worker *worker)
{
	return sync_of(worker)->waking ? ", waking" : "";
}

static inline void sync_words_asleep(struct nap_worker *worker)
{
	(void)worker;
}

static inline void sync_words_print(struct nap_pool *pool, char *to, size_t size)
{
	static const char *const state[] = { "pending", "signaled", "waking", "shutdown" };
	uint32_t sync = pool->sync;

	snprintf(to, size, "%s%s%s", state[sync_state(sync)],
		 sync & SYNC_NOTIFIED ? " NOTIFIED" : "", sync & SYNC_WATCHED ? " WATCHED" : "");
}

/* ---- go */

static inline void go_words_set(struct nap_pool *pool, uint32_t spawned, uint32_t idle)
{
	nap_store_relaxed(&pool->counters, spawned * GO_SPAWNED_ONE + idle * GO_IDLE_ONE);
}

static inline void go_words_uncount(struct nap_pool *pool, uint32_t n)
{
	nap_fetch_sub_relaxed(&pool->counters, n * GO_SPAWNED_ONE);
}

static inline bool go_words_ended(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->counters) & GO_SHUTDOWN;
}

static inline bool go_words_nobody_called(struct nap_pool *pool)
{
	return go_searching(nap_load_relaxed(&pool->counters)) == 0;
}

static inline bool go_words_within(struct nap_pool *pool, uint32_t most)
{
	return go_searching(nap_load_relaxed(&pool->counters)) <= most;
}

static inline bool go_words_searching(struct nap_worker *worker)
{
	return go_of(worker)->searching;
}

static inline const char *go_words_state(struct nap_worker *worker)
{
	return go_of(worker)->searching ? ", searching" : "";
}

static inline void go_words_asleep(struct nap_worker *worker)
{
	(void)worker;
}

static inline void go_words_print(struct nap_pool *pool, char *to, size_t size)
{
	snprintf(to, size, "searching %u%s%s", go_searching(pool->counters),
		 pool->counters & GO_SHUTDOWN ? " SHUTDOWN" : "",
		 pool->sync & GO_WATCHED ? " WATCHED" : "");
}

/* ---- jec */

static inline void jec_words_set(struct nap_pool *pool, uint32_t spawned, uint32_t idle)
{
	nap_store_relaxed(&pool->sync, spawned * JEC_SPAWNED_ONE);
	nap_store_relaxed(&pool->counters, idle * (JEC_SLEEPING_ONE + JEC_INACTIVE_ONE));
}

static inline void jec_words_uncount(struct nap_pool *pool, uint32_t n)
{
	nap_fetch_sub_relaxed(&pool->sync, n * JEC_SPAWNED_ONE);
}

static inline bool jec_words_ended(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->sync) & JEC_SHUTDOWN;
}

static inline bool jec_words_nobody_called(struct nap_pool *pool)
{
	return jec_awake(nap_load_relaxed(&pool->counters)) == 0;
}

static inline bool jec_words_within(struct nap_pool *pool, uint32_t most)
{
	return jec_inactive(nap_load_relaxed(&pool->counters)) <= most;
}

static inline bool jec_words_searching(struct nap_worker *worker)
{
	return jec_of(worker)->searching;
}

static inline const char *jec_words_state(struct nap_worker *worker)
{
	return jec_of(worker)->sleepy ? ", sleepy" : jec_of(worker)->searching ? ", searching" : "";
}

static inline void jec_words_asleep(struct nap_worker *worker)
{
	jec_of(worker)->searching = true;
}

static inline void jec_words_print(struct nap_pool *pool, char *to, size_t size)
{
	snprintf(to, size, "events %u, inactive %u%s%s", jec_events(pool->counters),
		 jec_inactive(pool->counters), pool->sync & JEC_SHUTDOWN ? " SHUTDOWN" : "",
		 pool->sync & JEC_WATCHED ? " WATCHED" : "");
}

/* ---- the protocol of a pool */

enum { sync_words_all_listed = false };
enum { go_words_all_listed = true };
enum { jec_words_all_listed = false };

static inline const struct idle_words *idle_words(struct nap_pool *pool)
{
#define WORDS(NAME, name) \
	[NAP_IDLE_##NAME] = { \
		#name, name##_words_set, name##_words_uncount, name##_words_ended, \
		name##_words_nobody_called, name##_words_within, name##_words_state, \
		name##_words_searching, name##_words_print, name##_words_all_listed, \
		name##_words_asleep \
	},
	static const struct idle_words words[] = { IDLE_PROTOCOLS(WORDS, WORDS) };
#undef WORDS

	return &words[idle_protocol(pool)];
}

/* Whether producers rely on @worker to check the queues, or to notify others. */
static inline bool idle_words_searching(struct nap_worker *worker)
{
	return worker->relied_on || idle_words(worker->pool)->searching(worker);
}

/* Marks @worker as asleep, in the set and counted, as set_enter() does. */
static inline void idle_words_asleep(struct nap_worker *worker)
{
	worker->counted_idle = worker->in_idle_set = true;
	idle_words(worker->pool)->asleep(worker);
}

#endif /* NAP_TESTS_IDLE_WORDS_H */

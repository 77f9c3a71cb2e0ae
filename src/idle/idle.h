/* SPDX-License-Identifier: MIT */
/*
 * What the rest of the pool sees of an idle protocol: who is told of new work, who looks for it,
 * who sleeps. Protocols are interchangeable behind this; sync.c is the first.
 */
#ifndef NAP_IDLE_IDLE_H
#define NAP_IDLE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

enum nap__verdict {
	NAP_SEARCH,	/* look at the queues (again) */
	NAP_PARK,	/* registered as idle: sleep on the own word */
	NAP_EXIT,	/* the pool has ended */
	NAP_LEFT,	/* the wait that the worker was in has ended */
};

/* Any thread, after it published a task (or released a consumer lock that left some behind). */
void nap__idle_notify(struct nap_pool *pool);

/* Worker: it took a task; @more: others may want to know of what is left or was moved. */
void nap__idle_found(struct nap_worker *worker, bool more);

/* Worker: it stops searching for another reason than a task; passes on what it owes others. */
void nap__idle_cancel(struct nap_worker *worker);

/* Worker that found no task, also after every wake: what to do now. Does not block. */
enum nap__verdict nap__idle_prepare(struct nap_worker *worker);

/* Worker that was told NAP_PARK and got EVENT_WORK. */
void nap__idle_woken(struct nap_worker *worker);

/* Worker that was told NAP_PARK and leaves for another reason than work. */
void nap__idle_leave(struct nap_worker *worker);

/* Any thread inside the pool: from now on every nap__idle_prepare() says NAP_EXIT. */
void nap__idle_shutdown(struct nap_pool *pool);

/* Any thread: count and start one worker more. 0, -EALREADY at @want workers, or the errno. */
int nap__idle_spawn(struct nap_pool *pool, uint32_t want);

/* The starter of a worker that did not come to be. */
void nap__idle_spawn_failed(struct nap_pool *pool);

/* The joiner, when all have left: the protocol's word as a new pool's, but ended. */
void nap__idle_reset(struct nap_pool *pool);

/* Any thread: every worker is idle and no wake is on its way, as of the load. */
bool nap__idle_quiet(struct nap_pool *pool);

/* Any thread that is in pool->waiters: wants EVENT_POOL when that becomes so. */
void nap__idle_watch(struct nap_pool *pool);

/* Any thread: those who watch are to look, if there are any. */
void nap__idle_wake_watchers(struct nap_pool *pool);

/* Any thread: workers that exist or are being started; those of them that are idle. */
uint32_t nap__idle_spawned(struct nap_pool *pool);
uint32_t nap__idle_count(struct nap_pool *pool);

#endif /* NAP_IDLE_IDLE_H */

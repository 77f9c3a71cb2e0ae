/* SPDX-License-Identifier: MIT */
/*
 * Prints the state of a hanging test's pools.
 *
 * 	watch_pool(&pool);		before the pool is used; up to WATCHDOG_POOLS pools
 * 	watchdog_forget(&pool);		before the pool's memory is freed
 * 	print_watched();		any thread, or a signal handler
 *
 * The state is read without any order while other threads write it: only people read the result,
 * and the test is over.
 */
#ifndef NAP_TESTS_WATCHDOG_PRINT_H
#define NAP_TESTS_WATCHDOG_PRINT_H

#include <stdio.h>
#include <stdlib.h>

#include <nap/nap.h>

#include "idle/set.h"
#include "os/os.h"
#include "queue/kind.h"
#include "sched/guest.h"
#include "sync/event.h"
#include "sync/gate.h"
#include "worker/registry.h"
#include "idle_words.h"

#define WATCHDOG_POOLS	8

static struct nap_pool *watched[WATCHDOG_POOLS];

static inline void print_worker(struct nap_worker *w)
{
	static const char *const record[] = {
		"free", "claimed", "started", "standby", "leaving", "gone", "joining", "joined"
	};
	static const char *const idle[] = { "out", "listed", "stale" };
	uint32_t event = w->event;

	dprintf(2, "#   %s %u: %s, event%s%s%s%s%s%s%s%s, idle set: %s, rest %lu (%s)%s%s%s\n",
		w->guest ? "guest" : "worker", w->index, record[w->record & 7],
		event & EVENT_PARKED ? " PARKED" : "", event & EVENT_WORK ? " WORK" : "",
		event & EVENT_LATCH ? " LATCH" : "", event & EVENT_POOL ? " POOL" : "",
		event & EVENT_EXIT ? " EXIT" : "", event & EVENT_MESSAGE ? " MESSAGE" : "",
		event & EVENT_RECALL ? " RECALL" : "", event & EVENT_TIMER ? " TIMER" : "",
		idle[w->idle_state % 3], (unsigned long)w->rest,
		w->rest & 1 ? "at rest" : "inside a task or searching",
		idle_words(w->pool)->state(w), w->relied_on ? ", relied on" : "",
		w->counted_idle ? ", counted idle" : "");
	dprintf(2, "#     ring %u (head %u, tail %u), "
		"overflow %s; run %lu, stolen %lu, parked %lu\n",
		ring_count(&w->ring), w->ring.head, w->ring.tail,
		overflow_empty(&w->overflow) ? "empty" : "NOT empty", (unsigned long)w->stats.run,
		(unsigned long)w->stats.stolen, (unsigned long)w->stats.parked);
}

static inline void print_idle_words(struct nap_pool *pool)
{
	char words[80];

	idle_words(pool)->print(pool, words, sizeof(words));
	dprintf(2, "#   idle %u of %u, of them %u guests; idle set head %#lx; %s %s\n",
		nap__idle_count(pool), nap__idle_spawned(pool), guests_inside(pool),
		(unsigned long)pool->idle_set, idle_words(pool)->name, words);
}

static inline void print_pool(struct nap_pool *pool)
{
	dprintf(2, "# pool %s (%p): phase %u, limit %u, fork_gen %u of %u, join %u\n",
		pool->config.name ? pool->config.name : "nap", (void *)pool, pool->phase,
		pool->limit, pool->fork_gen, nap__fork_gen, pool->join);
	print_idle_words(pool);
	dprintf(2, "#   intake %u%s, visits %u%s, waiters %s, injected %s\n",
		pool->intake / GATE_ONE, pool->intake & GATE_CLOSED ? " closed" : "",
		pool->visits / GATE_ONE, pool->visits & GATE_CLOSED ? " closed" : "",
		pool->waiters ? "some" : "none",
		inject_empty(&pool->inject) ? "empty" : "NOT empty");
	dprintf(2, "#   helped %lu, spawn failures %u, last errno %d\n",
		(unsigned long)pool->helped,
		pool->spawn_failures, pool->spawn_errno);
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		print_worker(w);
}

static inline void print_watched(void)
{
	for (int i = 0; i < WATCHDOG_POOLS; i++)
		if (watched[i])
			print_pool(watched[i]);
}

static inline void watch_pool(struct nap_pool *pool)
{
	int i = 0;

	while (watched[i] && watched[i] != pool)
		if (++i == WATCHDOG_POOLS)
			abort();
	watched[i] = pool;
}

static inline void watchdog_forget(struct nap_pool *pool)
{
	for (int i = 0; i < WATCHDOG_POOLS; i++)
		if (watched[i] == pool)
			watched[i] = NULL;
}

#endif /* NAP_TESTS_WATCHDOG_PRINT_H */

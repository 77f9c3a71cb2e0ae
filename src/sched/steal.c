/* SPDX-License-Identifier: MIT */
/*
 * Taking from others: first jobs of guests, then a call that waits for a guest record, then jobs
 * and tasks of the other workers. From a victim a thief takes jobs first, because a joiner waits
 * for them; then from the overflow; and from the ring last. The owner takes from the ring before
 * the overflow, so thief and owner meet as seldom as possible.
 */
#include "sched/steal.h"

#include "idle/idle.h"
#include "sched/guest.h"
#include "worker/probe.h"
#include "worker/registry.h"
#include "worker/source.h"
#include "worker/trace.h"

DEFINE_REFILL(nap__refill_overflow, overflow)

void nap__note_stolen(struct nap_worker *worker, struct nap_worker *victim, struct nap_task *task,
		      uint32_t n, bool overflow)
{
	stat_add(&worker->stats.stolen, n);
	probe4(steal, worker->pool, worker->index, victim->index, n);
	trace(worker->pool, TRACE_FLAGS(NAP_TRACE_STEAL, overflow), victim->index, n,
	      (uintptr_t)task);
}

/* Steals from @victim, in the order that disturbs the victim least. */
static struct nap_task *steal_from(struct nap_worker *worker, struct nap_worker *victim,
				   struct nap__find *find)
{
	struct nap_task *task = steal_job(worker, victim, &find->more);
	bool overflow;

	if (task)
		return task;
	task = nap__refill_overflow(worker, &victim->overflow, find);
	overflow = task;
	if (!task && worker->patient && ring_moves(&victim->ring))
		return NULL;
	if (!task)
		task = worker->guest ? ring_steal_one(&victim->ring) :
				       ring_steal(&victim->ring, &worker->ring, &find->moved);
	if (task)
		nap__note_stolen(worker, victim, task, 1 + find->moved, overflow);
	return task;
}

/* Vigna's xorshift64*, "An experimental exploration of Marsaglia's xorshift generators" (2016). */
static uint32_t draw(struct nap_worker *worker, uint32_t below)
{
	uint64_t x = worker->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	worker->random = x;
	/* Not noticed in tests when 31 for 32 or 31 for 32 (2): the walk goes round twice. */
	return (uint32_t)(((x * 0x2545f4914f6cdd1du) >> 32) * below >> 32);
}

/* Returns the worker with which a search of the others begins. */
static struct nap_worker *first_victim(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	struct nap_worker *victim = worker->target;

	if (idle_ops(pool)->random) {
		victim = registry_first(pool);
		for (uint32_t n = draw(worker, nap_load_relaxed(&pool->nr_records)); n; n--)
			victim = victim->next ? victim->next : registry_first(pool);
	}
	return victim ? victim : registry_first(pool);
}

/* Takes a job of a guest. Guests come first, because they begin with the largest jobs. */
static struct nap_task *steal_from_guests(struct nap_worker *worker, struct nap__find *find)
{
	struct nap_task *task = NULL;

	if (guests_inside(worker->pool))
		for (struct nap_worker *w = registry_first(worker->pool); w && !task; w = w->next)
			if (w->guest && w != worker)
				task = steal_job(worker, w, &find->more);
	return task;
}

struct nap_task *nap__steal(struct nap_worker *worker, struct nap__find *find)
{
	struct nap_worker *start = first_victim(worker);
	struct nap_worker *victim = start;
	struct nap_task *first = steal_from_guests(worker, find);

	if (!first)
		first = nap__sources_take(worker);
	/* Without @start the registry is empty, and the caller is an unregistered guest. */
	if (first || !start)
		return first;
	do {
		struct nap_task *task = victim == worker ? NULL : steal_from(worker, victim, find);

		victim = victim->next ? victim->next : registry_first(worker->pool);
		if (task) {
			worker->target = victim;
			return task;
		}
	} while (victim != start && !has_joined(worker));
	/* The search has ended early: the next one begins at the first worker that was left out. */
	if (victim != start)
		worker->target = victim;
	return NULL;
}

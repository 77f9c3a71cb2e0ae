/* SPDX-License-Identifier: MIT */
/*
 * The slow path of scheduling (src/sched/schedule.c): the ring is full, there are several tasks,
 * the pool is used for the first time or about to end, or the caller is inside already.
 */
#include <errno.h>

#include <nap/nap.h>

#include "idle/idle.h"
#include "queue/kind.h"
#include "sched/inject.h"
#include "sched/schedule.h"
#include "sync/gate.h"
#include "worker/enter.h"
#include "worker/phase.h"
#include "worker/probe.h"
#include "worker/measure.h"
#include "worker/worker.h"

/* Notes the largest number of queued tasks that was seen at an overflow. */
static void note_backlog(struct nap_worker *worker)
{
	uint64_t n = overflow_count(worker) + ring_count(&worker->ring);

	if (n > worker->stats.most_queued)
		nap_store_relaxed(&worker->stats.most_queued, n);
}

static void overflow(struct nap_worker *worker, struct nap_task *head, struct nap_task *tail,
		     size_t count)
{
	stat_add(&worker->stats.overflowed, count);
	trace(worker->pool, NAP_TRACE_OVERFLOW, NAP_TRACE_NOBODY, count, 0);
	overflow_push(&worker->overflow, head, tail);
	note_backlog(worker);
}

/*
 * Pushes into the worker's ring. If the ring is full, its older half and the rest of the list
 * overflow as one list. While the ring holds tasks that were moved there in bulk, only the rest of
 * the list overflows: otherwise younger tasks could overtake the moved ones again and again
 * (src/sched/fair.c).
 */
static void push_own(struct nap_worker *worker, struct nap_task *head, struct nap_task *tail,
		     size_t count)
{
	count -= ring_push(&worker->ring, &head, tail);
	while (head) {
		struct nap_task *first, *last;
		uint32_t n;

		if (bulk_remains(worker)) {
			overflow(worker, head, tail, count);
			return;
		}
		n = ring_migrate(&worker->ring, &first, &last);
		if (n) {
			last->next = head;
			overflow(worker, first, tail, n + count);
			return;
		}
		/* Thieves have made room in the meantime. */
		count -= ring_push(&worker->ring, &head, tail);
	}
}

void nap__notify_own(struct nap_pool *pool, size_t count, bool was_empty)
{
	if (count == 1 && was_empty)
		nap__idle_notify_lone(pool);
	else
		nap__idle_notify_many(pool, count, was_empty);
}

static int schedule_own(struct nap_worker *worker, struct nap_task *head, struct nap_task *tail,
			size_t count)
{
	bool was_empty;

	if (pool_stopped(worker->pool))
		return -ESHUTDOWN;
	watch_list(worker->pool, 0, NAP_TRACE_NOBODY, head, tail);
	probe_list(worker->pool, head, tail);
	was_empty = ring_count(&worker->ring) == 0;
	push_own(worker, head, tail, count);
	nap__notify_own(worker->pool, count, was_empty);
	wave(worker->pool, count);
	return 0;
}

/* Schedules from outside. A guest, which is @inside already, is refused by a stop only. */
static int schedule_from_outside(struct nap_pool *pool, bool inside, struct nap_task *head,
				 struct nap_task *tail, size_t count)
{
	bool was_empty;

	if (inside ? pool_stopped_or_forked(pool) : !intake_enter(pool))
		return -ESHUTDOWN;
	watch_list(pool, NAP_TRACE_INJECTED, NAP_TRACE_NOBODY, head, tail);
	probe_list(pool, head, tail);
	if (!inject(pool, head, tail, count, &was_empty))
		nap__idle_notify_many(pool, count, was_empty);
	count_injected(pool, count);
	if (!inside)
		gate_leave(&pool->intake);
	return 0;
}

int nap__schedule_as(struct nap_pool *pool, struct nap_worker *worker, bool inside,
		     struct nap_task *head, struct nap_task *tail, size_t count)
{
	/* A guest keeps no tasks in its ring, because it may leave at any time. */
	if (worker && !worker->guest && !worker->ended)
		return schedule_own(worker, head, tail, count);
	/* A worker in worker_stop uses the gate, which is closed when the pool ends. */
	return schedule_from_outside(pool, inside && !(worker && worker->ended), head, tail, count);
}

int nap__schedule_behind(struct nap_pool *pool, struct nap_worker *worker, struct nap_task *task)
{
	bool was_empty, lone;

	if (pool_stopped_or_forked(pool))
		return -ESHUTDOWN;
	was_empty = inject_empty(&pool->inject);
	/*
	 * The task is lone, as in a ring that was empty: the caller takes it next. (A guest may
	 * leave instead.)
	 */
	lone = was_empty && worker && !worker->guest && !ring_count(&worker->ring);
	watch_list(pool, NAP_TRACE_INJECTED, NAP_TRACE_NOBODY, task, task);
	probe_list(pool, task, task);
	inject_push(&pool->inject, task, task);
	if (!idle_is_notified(pool, was_empty, lone))
		nap__notify_own(pool, 1, lone);
	count_injected(pool, 1);
	return 0;
}

void nap__schedule_left(struct nap_pool *pool, struct nap_task *task)
{
	if (!pool_stopped(pool) || pool_forked(pool))
		return;
	watch_list(pool, NAP_TRACE_INJECTED, NAP_TRACE_NOBODY, task, task);
	probe_list(pool, task, task);
	inject_push(&pool->inject, task, task);
	count_injected(pool, 1);
}

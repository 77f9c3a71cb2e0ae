/* SPDX-License-Identifier: MIT */
/*
 * Scheduling: publish in a queue, then tell the idle protocol.
 *
 * Typically a worker pushes the task into its own ring, and finds that nobody needs to be told:
 * that is all in nap_schedule(). A thread from outside takes its seat, or enters the intake, pushes
 * the task into the injection queue, notifies, and leaves.
 */
#include <errno.h>

#include <nap/nap.h>

#include "debug.h"
#include "enter.h"
#include "gate.h"
#include "happens.h"
#include "idle/idle.h"
#include "idle/told.h"
#include "left.h"
#include "os.h"
#include "phase.h"
#include "queue/kind.h"
#include "schedule.h"
#include "seat.h"
#include "self.h"
#include "worker.h"

/* The most that it has had, as of its overflows. */
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
	overflow_push(&worker->overflow, head, tail);
	note_backlog(worker);
}

/*
 * From a worker: into its ring; if that is full, its older half and the rest overflow as one list.
 * The rest only, while the ring holds what was moved there in bulk. That would go back behind
 * younger tasks, perhaps over and over, and starve: src/fair.c.
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
		/* Thieves have made room meanwhile. */
		count -= ring_push(&worker->ring, &head, tail);
	}
}

/* What was put into the own ring, which @was_empty, is not told of yet. */
static __attribute__((noinline)) void tell(struct nap_pool *pool, size_t count, bool was_empty)
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
	was_empty = ring_count(&worker->ring) == 0;
	push_own(worker, head, tail, count);
	tell(worker->pool, count, was_empty);
	return 0;
}

/* Each caller has a copy: one that knows of a single task, and keeps all in registers. */
#define IN_LINE inline __attribute__((always_inline))

/* Who is inside: publish for all workers. False: they are to be told, and if it @was_empty. */
static IN_LINE bool inject(struct nap_pool *pool, struct nap_task *head, struct nap_task *tail,
			 size_t count, bool *was_empty)
{
	/* Unasked it would cost a line that the consumers write. */
	*was_empty = idle_counts(pool) && inject_empty(&pool->inject);
	inject_push(&pool->inject, head, tail);
	return count == 1 && idle_is_told(pool, *was_empty, false);
}

/*
 * What was pushed, for src/left.c; perhaps after it was taken. Who has a seat has a line for it, and
 * a plain store. Who has none comes seldom.
 */
static inline void count_injected(struct nap_pool *pool, size_t count)
{
	nap_fetch_add_relaxed(&pool->inject.pushed, count);
}

/* From outside. A guest, who is @inside already, is refused by a stop only. */
static int schedule_from_outside(struct nap_pool *pool, bool inside, struct nap_task *head,
				 struct nap_task *tail, size_t count)
{
	bool was_empty;

	if (inside ? pool_stopped_or_forked(pool) : !intake_enter(pool))
		return -ESHUTDOWN;
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
	/* A guest keeps nothing in its ring: it may leave at any time. */
	if (worker && !worker->guest && !worker->ended)
		return schedule_own(worker, head, tail, count);
	/* Nor does a worker in worker_stop, for which the gate is closed when the pool ends. */
	return schedule_from_outside(pool, inside && !(worker && worker->ended), head, tail, count);
}

void nap__schedule_left(struct nap_pool *pool, struct nap_task *task)
{
	if (!pool_stopped(pool) || pool_forked(pool))
		return;
	inject_push(&pool->inject, task, task);
	count_injected(pool, 1);
}

static __attribute__((noinline)) int schedule_unseen(struct nap_pool *pool, struct nap_task *head,
						     struct nap_task *tail, size_t count)
{
	struct nap_worker *worker = own_worker(pool);

	return nap__schedule_as(pool, worker, worker, head, tail, count);
}

/* Each task by itself: whoever runs it comes after us, wherever others of the batch run. */
static __attribute__((noinline)) int schedule_watched(struct nap_pool *pool, struct nap_task *head,
						      struct nap_task *tail, size_t count)
{
	struct nap_task *task = head;
	int err;

	unseen_begin();
	for (; task != tail; task = task->next)
		happens_before(task);
	happens_before(task);
	err = schedule_unseen(pool, head, tail, count);
	unseen_end();
	return err;
}

static inline int schedule(struct nap_pool *pool, struct nap_task *head, struct nap_task *tail,
			   size_t count)
{
	if (is_detected())
		return schedule_watched(pool, head, tail, count);
	return schedule_unseen(pool, head, tail, count);
}

/* Who came in by its seat, or by the gate: then it may have one the next time. */
static inline void leave(struct nap_pool *pool, struct nap__seat *seat, size_t count)
{
	if (seat) {
		stat_add(&seat->pushed, count);
		seat_leave(seat);
	} else {
		count_injected(pool, count);
		nap__seat_take(pool);
		gate_leave(&pool->intake);
	}
}

static __attribute__((noinline)) void tell_and_leave(struct nap_pool *pool, size_t count,
						     bool was_empty, struct nap__seat *seat)
{
	nap__idle_notify_many(pool, count, was_empty);
	leave(pool, seat, count);
}

/* From outside, with nothing to look at but the gate; false: there is more, or it is closed. */
static IN_LINE bool schedule_plainly(struct nap_pool *pool, struct nap_task *head,
				   struct nap_task *tail, size_t count)
{
	struct nap__seat *seat = seat_enter(pool);
	bool was_empty;

	if (!seat && (!is_plain_outside(pool) || !gate_enter(&pool->intake)))
		return false;
	if (inject(pool, head, tail, count, &was_empty))
		leave(pool, seat, count);
	else
		tell_and_leave(pool, count, was_empty, seat);
	return true;
}

/* Mostly from outside. Apart, so that a worker keeps its registers. */
static __attribute__((noinline)) int schedule_one(struct nap_pool *pool, struct nap_task *task)
{
	int err;

	if (schedule_plainly(pool, task, task, 1))
		return 0;
	err = schedule(pool, task, task, 1);
	if (err) {
		nap_fetch_add_relaxed(&pool->tasks_refused, 1);
		debug_unmark(task);
	}
	return err;
}

/* Into the own ring, with nothing else to look at; false: there is more, or no room. */
static IN_LINE bool push_plainly(struct nap_pool *pool, struct nap_worker *worker,
				 struct nap_task *task)
{
	bool was_empty;

	if (!worker || !ring_push_one(&worker->ring, task, &was_empty))
		return false;
	if (!idle_is_told(pool, was_empty, was_empty))
		tell(pool, 1, was_empty);
	return true;
}

int nap_schedule(struct nap_pool *pool, struct nap_task *task)
{
	debug_pool(pool, __func__, __builtin_return_address(0));
	debug_mark_list(task, task, __func__, __builtin_return_address(0));
	if (push_plainly(pool, plain_worker(pool), task))
		return 0;
	return schedule_one(pool, task);
}

bool nap__schedule_plainly(struct nap_pool *pool, struct nap_task *task)
{
	return push_plainly(pool, plain_worker(pool), task);
}

int nap_schedule_batch(struct nap_pool *pool, struct nap_batch *batch)
{
	int err = 0;

	debug_pool(pool, __func__, __builtin_return_address(0));
	debug_null(batch, "batch", __func__, __builtin_return_address(0));
	if (!batch->head)
		return 0;
	debug_mark_list(batch->head, batch->tail, __func__, __builtin_return_address(0));
	if (!schedule_plainly(pool, batch->head, batch->tail, batch->count))
		err = schedule(pool, batch->head, batch->tail, batch->count);
	if (!err) {
		*batch = (struct nap_batch)NAP_BATCH_INIT;
	} else {
		nap_fetch_add_relaxed(&pool->tasks_refused, batch->count);
		debug_unmark_list(batch->head, batch->tail);
	}
	return err;
}

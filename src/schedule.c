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
#include "os.h"
#include "phase.h"
#include "queue/kind.h"
#include "schedule.h"
#include "seat.h"
#include "self.h"
#include "worker.h"

static void overflow(struct nap_worker *worker, struct nap_task *head, struct nap_task *tail,
		     size_t count)
{
	stat_add(&worker->stats.overflowed, count);
	overflow_push(&worker->overflow, head, tail);
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

	/* A worker that has ended (in worker_stop) would not run it any more. */
	if (worker->ended || pool_stopped(worker->pool))
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

/* From outside. A guest, who is @inside already, is refused by a stop only. */
static int schedule_from_outside(struct nap_pool *pool, bool inside, struct nap_task *head,
				 struct nap_task *tail, size_t count)
{
	bool was_empty;

	if (inside ? pool_stopped_or_forked(pool) : !intake_enter(pool))
		return -ESHUTDOWN;
	if (!inject(pool, head, tail, count, &was_empty))
		nap__idle_notify_many(pool, count, was_empty);
	if (!inside)
		gate_leave(&pool->intake);
	return 0;
}

int nap__schedule_as(struct nap_pool *pool, struct nap_worker *worker, bool inside,
		     struct nap_task *head, struct nap_task *tail, size_t count)
{
	/* A guest keeps nothing in its ring: it may leave at any time. */
	if (worker && !worker->guest)
		return schedule_own(worker, head, tail, count);
	return schedule_from_outside(pool, inside, head, tail, count);
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
static inline void leave(struct nap_pool *pool, struct nap__seat *seat)
{
	if (seat) {
		seat_leave(seat);
	} else {
		nap__seat_take(pool);
		gate_leave(&pool->intake);
	}
}

static __attribute__((noinline)) void tell_and_leave(struct nap_pool *pool, size_t count,
						     bool was_empty, struct nap__seat *seat)
{
	nap__idle_notify_many(pool, count, was_empty);
	leave(pool, seat);
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
		leave(pool, seat);
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
	if (err)
		debug_unmark(task);
	return err;
}

int nap_schedule(struct nap_pool *pool, struct nap_task *task)
{
	struct nap_worker *worker;
	bool was_empty;

	debug_pool(pool, __func__, __builtin_return_address(0));
	debug_mark_list(task, task, __func__, __builtin_return_address(0));
	worker = plain_worker(pool);
	if (worker && ring_push_one(&worker->ring, task, &was_empty)) {
		if (!idle_is_told(pool, was_empty, was_empty))
			tell(pool, 1, was_empty);
		return 0;
	}
	return schedule_one(pool, task);
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
	if (!err)
		*batch = (struct nap_batch)NAP_BATCH_INIT;
	else
		debug_unmark_list(batch->head, batch->tail);
	return err;
}

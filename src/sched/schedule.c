/* SPDX-License-Identifier: MIT */
/*
 * Scheduling: publish in a queue, then notify the idle protocol.
 *
 * Typically a worker pushes the task into its own ring, finds that no worker has to be notified,
 * and is done. A thread from outside enters its producer slot or the intake, pushes the task into
 * the injection queue, notifies, and leaves. src/sched/schedule_as.c has all other cases.
 */
#include <nap/nap.h>

#include "idle/idle.h"
#include "idle/protocols.h"
#include "os/happens.h"
#include "sched/inject.h"
#include "sched/schedule.h"
#include "sync/debug.h"
#include "sync/gate.h"
#include "worker/phase.h"
#include "worker/probe.h"
#include "worker/producer.h"
#include "worker/self.h"
#include "worker/worker.h"

static __attribute__((noinline)) int schedule_unseen(struct nap_pool *pool, struct nap_task *head,
						     struct nap_task *tail, size_t count)
{
	struct nap_worker *worker = own_worker(pool);

	return nap__schedule_as(pool, worker, worker, head, tail, count);
}

/*
 * Tells the detector of each task separately, because the tasks of a batch may run on several
 * threads.
 */
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

/*
 * Leaves the producer slot, or the gate. A thread that leaves the gate may get a slot for its next
 * call.
 */
static inline void leave(struct nap_pool *pool, struct nap__producer *producer, size_t count)
{
	if (producer) {
		stat_add(&producer->pushed, count);
		producer_leave(producer);
	} else {
		count_injected(pool, count);
		nap__producer_take(pool);
		gate_leave(&pool->intake);
	}
}

static __attribute__((noinline)) void tell_and_leave(struct nap_pool *pool, size_t count,
						     bool was_empty, struct nap__producer *producer)
{
	nap__idle_notify_many(pool, count, was_empty);
	leave(pool, producer, count);
}

/*
 * Schedules from outside, on the fast path. False: nothing was scheduled; the gate may be closed.
 */
IN_LINE bool schedule_plainly(struct nap_pool *pool, struct nap_task *head,
			    struct nap_task *tail, size_t count)
{
	struct nap__producer *producer = producer_enter(pool);
	bool was_empty;

	if (!producer && (!is_plain_outside(pool) || !gate_enter(&pool->intake)))
		return false;
	if (__builtin_constant_p(count))	/* a single task */
		probe3(schedule, pool, head, head->run);
	else
		probe_list(pool, head, tail);
	if (inject(pool, head, tail, count, &was_empty))
		leave(pool, producer, count);
	else
		tell_and_leave(pool, count, was_empty, producer);
	return true;
}

/*
 * Schedules one task; called mostly from outside. Not inlined, so that a worker's path saves no
 * registers.
 */
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

/*
 * Schedules into the calling worker's ring, on the fast path. False: nothing was scheduled; the
 * ring may be full.
 */
IN_LINE bool push_plainly(struct nap_pool *pool, struct nap_worker *worker,
			  struct nap_task *task)
{
	bool was_empty;

	if (!worker)
		return false;
	probe3(schedule, pool, task, task->run);
	if (!ring_push_one(&worker->ring, task, &was_empty))
		return false;
	if (!idle_is_notified(pool, was_empty, was_empty))
		nap__notify_own(pool, 1, was_empty);
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

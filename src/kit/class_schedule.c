/* SPDX-License-Identifier: MIT */
/*
 * Scheduling in a class: which threads may schedule. src/kit/class_take.c publishes and notifies.
 */
#include <nap/class.h>

#include <errno.h>
#include <stddef.h>

#include "os/happens.h"
#include "kit/class_take.h"
#include "sync/debug.h"
#include "sync/gate.h"
#include "kit/class.h"
#include "worker/enter.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

/*
 * As in src/sched/schedule_as.c, a stop refuses all threads, and a drain refuses only threads
 * outside the pool.
 */
static int class_schedule(struct nap_pool *pool, struct nap_class *class, struct nap_batch *batch)
{
	struct nap_worker *worker = own_inside(pool);

	if (worker ? pool_stopped_or_forked(pool) : !intake_enter(pool))
		return -ESHUTDOWN;
	nap__class_publish(pool, class, batch);
	if (!worker)
		gate_leave(&pool->intake);
	return 0;
}

static int class_schedule_seen(struct nap_pool *pool, uint32_t which, struct nap_batch *batch)
{
	int err;

	unseen_begin();
	for (struct nap_task *task = batch->head; is_detected() && task != batch->tail;
	     task = task->next)
		happens_before(task);
	happens_before(batch->tail);
	err = class_schedule(pool, &pool->config.classes->of[which], batch);
	unseen_end();
	return err;
}

int nap_class_schedule(struct nap_pool *pool, uint32_t which, struct nap_task *task)
{
	struct nap_batch batch = { task, task, 1 };
	int err;

	if (!pool || !task || which >= class_count(pool))
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	debug_mark_list(task, task, __func__, __builtin_return_address(0));
	err = class_schedule_seen(pool, which, &batch);
	if (err) {
		nap_fetch_add_relaxed(&pool->tasks_refused, 1);
		debug_unmark(task);
	}
	return err;
}

int nap_class_schedule_batch(struct nap_pool *pool, uint32_t which, struct nap_batch *batch)
{
	int err;

	if (!pool || !batch || which >= class_count(pool))
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	if (!batch->head)
		return 0;
	debug_mark_list(batch->head, batch->tail, __func__, __builtin_return_address(0));
	err = class_schedule_seen(pool, which, batch);
	if (!err) {
		*batch = (struct nap_batch)NAP_BATCH_INIT;
	} else {
		nap_fetch_add_relaxed(&pool->tasks_refused, batch->count);
		debug_unmark_list(batch->head, batch->tail);
	}
	return err;
}

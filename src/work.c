/* SPDX-License-Identifier: MIT */
/*
 * Works: nap/work.h. A work is a task with a state; who changes that first decides.
 *
 *	IDLE --schedule--> QUEUED --begin--> RUNNING --> ENDED --> IDLE
 *	                     |                 | cancel
 *	                     | cancel          v
 *	                     v               ASKED ----> ENDED
 *	                  CANCELED --begin-------------> ENDED
 *
 * Its task's way: through the pool with begin() as its function, and then, if there is a loop,
 * through the loop's queue with deliver(). Who delivers makes it idle before it calls @done, and
 * does not touch it behind that.
 */
#include <nap/work.h>

#include <errno.h>

#include <nap/class.h>
#include <nap/group.h>
#include <nap/pool.h>

#include "atomic.h"
#include "class.h"
#include "deadline.h"
#include "debug.h"
#include "ending.h"
#include "happens.h"
#include "os.h"
#include "self.h"
#include "work.h"
#include "worker.h"

enum work_state { WORK_IDLE, WORK_QUEUED, WORK_CANCELED, WORK_RUNNING, WORK_ASKED, WORK_ENDED };

/* ---- the end */

/* The last touch. */
static void idle(struct nap_work *work)
{
	unseen_begin();
	happens_before(work);
	/* Pairs with nap_work_is_idle(), and with nap__work_queue(). [X3] */
	nap_store_release(&work->state, WORK_IDLE);
	unseen_end();
}

static void deliver(struct nap_task *task)
{
	struct nap_work *work = nap_container_of(task, struct nap_work, task);
	nap_done_fn done = work->done;
	int result = work->result;

	idle(work);
	if (done)
		done(work, result);
}

/* False: it has no loop that takes its end. The caller is to deliver it. */
static bool is_handed_over(struct nap_work *work, int result)
{
	unseen_begin();
	work->result = result;
	nap_store_relaxed(&work->state, WORK_ENDED);
	work->task.run = deliver;
	unseen_end();
	return work->done && work->cq && !nap_cq_push(work->cq, &work->task);
}

/* In @ending, and what its @done has others end. */
static void deliver_all(struct nap__ending *ending, struct nap_task *task)
{
	do {
		deliver(task);
		task = nap_batch_pop(&ending->listed);
	} while (task);
}

/* By who was refused, perhaps in an @done. */
static void end_here(struct nap_work *work, int result)
{
	struct nap_batch *list = ending_list();
	struct nap__ending ending;

	nothing_leaves();
	if (is_handed_over(work, result))
		return;
	if (list) {
		nap_batch_push(list, &work->task);
		return;
	}
	ending_begin(&ending);
	deliver_all(&ending, &work->task);
	ending_end(&ending);
}

/* ---- its turn */

/* Whether it was canceled before; behind that nobody cancels it. */
static bool was_canceled(struct nap_work *work, enum work_state to)
{
	uint32_t was;

	unseen_begin();
	/* Pairs with nap_cancel(): what its caller wrote is there for @done. [X2] */
	was = nap_xchg_acquire(&work->state, to);
	happens_after(&work->result);
	unseen_end();
	return was == WORK_CANCELED;
}

/* One more, of those counters of the worker that the calling thread is. */
static void count(size_t offset)
{
	struct nap_worker *worker = nap__self()->worker;

	if (worker)
		stat_add((uint64_t *)(void *)((char *)&worker->stats + offset), 1);
}

static int run(struct nap_work *work)
{
	bool late = work->deadline && nap__os_now() > work->deadline;

	if (was_canceled(work, WORK_RUNNING)) {
		count(offsetof(struct nap_worker_stats, canceled));
		return -ECANCELED;
	}
	if (late) {
		count(offsetof(struct nap_worker_stats, timed_out));
		return -ETIMEDOUT;
	}
	return work->fn(work);
}

static void begin(struct nap_task *task)
{
	struct nap_work *work = nap_container_of(task, struct nap_work, task);
	uint32_t process = nap_load_relaxed(&nap__fork_gen);
	int result = run(work);

	/* Its function has forked, and this is the child: the work is the parent's. */
	if (nap_load_relaxed(&nap__fork_gen) == process && !is_handed_over(work, result))
		deliver(task);
}

/* ---- the caller */

uint64_t nap_deadline(uint64_t timeout_ns)
{
	return deadline_of(timeout_ns);
}

int nap__work_queue(struct nap_work *work)
{
	uint32_t was;

	if (!work || !work->fn)
		return -EINVAL;
	unseen_begin();
	/* Pairs with idle(): what it did the last time. [X3] */
	was = nap_cmpxchg_acquire(&work->state, WORK_IDLE, WORK_QUEUED);
	if (was == WORK_IDLE) {
		happens_after(work);
		nap_task_init(&work->task, begin);
	}
	unseen_end();
	return was == WORK_IDLE ? 0 : -EBUSY;
}

int nap__work_refused(struct nap_work *work, int err)
{
	if (!was_canceled(work, WORK_ENDED)) {
		idle(work);
		return err;
	}
	/* Whoever has canceled it meanwhile was told that it would end. */
	end_here(work, -ECANCELED);
	return 0;
}

void nap__work_give_up(struct nap_work *work)
{
	was_canceled(work, WORK_ENDED);
	end_here(work, -ECANCELED);
}

int nap_work_schedule(struct nap_pool *pool, struct nap_work *work)
{
	int err = pool ? nap__work_queue(work) : -EINVAL;

	if (err)
		return err;
	err = nap_schedule(pool, &work->task);
	return err ? nap__work_refused(work, err) : 0;
}

int nap_class_work(struct nap_pool *pool, uint32_t which, struct nap_work *work)
{
	/* Asked before the work is queued, whose end might be on another thread. */
	int err = pool && which < class_count(pool) ? nap__work_queue(work) : -EINVAL;

	if (err)
		return err;
	err = nap_class_schedule(pool, which, &work->task);
	return err ? nap__work_refused(work, err) : 0;
}

int nap_work_batch(struct nap_batch *batch, struct nap_work *work)
{
	int err = batch ? nap__work_queue(work) : -EINVAL;

	if (!err)
		nap_batch_push(batch, &work->task);
	return err;
}

bool nap_cancel(struct nap_work *work)
{
	uint32_t was;

	if (!work)
		return false;
	unseen_begin();
	happens_before(&work->result);
	/* Pairs with was_canceled(). [X2] */
	was = nap_cmpxchg_release(&work->state, WORK_QUEUED, WORK_CANCELED);
	if (was == WORK_RUNNING)
		/* Pairs with nap_work_is_canceled(). [X2] */
		nap_cmpxchg_release(&work->state, WORK_RUNNING, WORK_ASKED);
	unseen_end();
	return was == WORK_QUEUED;
}

bool nap_work_is_canceled(const struct nap_work *work)
{
	bool is_asked;

	unseen_begin();
	/* Pairs with nap_cancel(): why. [X2] */
	is_asked = nap_load_acquire((uint32_t *)&work->state) == WORK_ASKED;
	if (is_asked)
		happens_after(&work->result);
	unseen_end();
	return is_asked;
}

bool nap_work_is_idle(const struct nap_work *work)
{
	bool is_idle;

	unseen_begin();
	/* Pairs with idle(). [X3] */
	is_idle = nap_load_acquire((uint32_t *)&work->state) == WORK_IDLE;
	if (is_idle)
		happens_after(work);
	unseen_end();
	return is_idle;
}

/* ---- what a pool has left */

struct nap_work *nap_work_of(struct nap_task *task)
{
	return task && (task->run == begin || task->run == deliver) ?
		       nap_container_of(task, struct nap_work, task) : NULL;
}

/* Its loop may have left it: then it has ended, but for @done. */
static bool is_to_be_delivered(struct nap_work *work)
{
	if (work->task.run == deliver)
		return true;
	was_canceled(work, WORK_ENDED);
	return !is_handed_over(work, -ECANCELED);
}

size_t nap_work_end_left(struct nap_batch *left)
{
	struct nap_batch others = NAP_BATCH_INIT;
	struct nap__ending ending;
	size_t n = 0;

	if (!left)
		return 0;
	nothing_leaves();
	ending_begin(&ending);
	for (struct nap_task *task; (task = nap_batch_pop(left)); ) {
		struct nap_work *work = nap_work_of(task);

		if (!work) {
			nap_batch_push(&others, task);
			continue;
		}
		n++;
		if (is_to_be_delivered(work))
			deliver_all(&ending, task);
	}
	ending_end(&ending);
	*left = others;
	return n;
}

/* SPDX-License-Identifier: MIT */
/*
 * nap/work.h. A work that was accepted ends once: its function has run, or it was canceled, or it
 * was late. Then its done is called, by the thread that ended it, or by the loop of its completion
 * queue. nap/after.h: a work that is scheduled by the last of a number of calls.
 */
#include "spec.h"

enum { IDLE, WAITS, RUNNING, WILL_NOT_RUN, IS_TOLD };	/* a work's state; canceled: the last two */

static void call_done(struct nap_work *work, int result)
{
	nap_done_fn done = work->done;

	store_release(&work->state, IDLE);
	if (done)
		done(work, result);
}

static void done_on_loop(struct nap_task *task)
{
	struct nap_work *work = nap_container_of(task, struct nap_work, task);

	call_done(work, work->result);
}

static void end(struct nap_work *work, int result)
{
	work->result = result;
	if (work->cq && work->done) {
		nap_task_init(&work->task, done_on_loop);
		if (!nap_cq_push(work->cq, &work->task))
			return;
	}
	call_done(work, result);
}

/* A deadline may have passed whenever there is one. */
static bool is_late(const struct nap_work *work)
{
	return work->deadline && is_timed(work->deadline) && check_choose(2);
}

static void run_work(struct nap_task *task)
{
	struct nap_work *work = nap_container_of(task, struct nap_work, task);
	bool late = is_late(work);

	if (!cas_acquire(&work->state, WAITS, RUNNING))
		end(work, -ECANCELED);
	else
		end(work, late ? -ETIMEDOUT : work->fn(work));
}

/* Takes an idle work: acquires what the last user has done in it. */
int spec_work_take(struct nap_work *work)
{
	if (!work || !work->fn)
		return -EINVAL;
	if (work->gone)
		check_fail("the specification has no work with a gone");
	if (!cas_acquire(&work->state, IDLE, WAITS))
		return -EBUSY;
	nap_task_init(&work->task, run_work);
	return 0;
}

/* A refused work is idle; if it was canceled in the meantime, it ends here. */
int spec_work_give_back(struct nap_work *work)
{
	if (!cas_acquire(&work->state, WAITS, IDLE))
		end(work, -ECANCELED);
	return -ESHUTDOWN;
}

int nap_work_schedule(struct nap_pool *pool, struct nap_work *work)
{
	int err = pool ? spec_work_take(work) : -EINVAL;

	return err ? err : nap_schedule(pool, &work->task) ? spec_work_give_back(work) : 0;
}

int nap_serial_work(struct nap_serial *serial, struct nap_work *work)
{
	int err = serial ? spec_work_take(work) : -EINVAL;

	return err ? err : nap_serial_schedule(serial, &work->task) ? spec_work_give_back(work) : 0;
}

int nap_work_batch(struct nap_batch *batch, struct nap_work *work)
{
	int err = batch ? spec_work_take(work) : -EINVAL;

	if (!err)
		nap_batch_push(batch, &work->task);
	return err;
}

bool nap_cancel(struct nap_work *work)
{
	uint32_t state = WAITS;

	if (!work)
		return false;
	while (!__atomic_compare_exchange_n(&work->state, &state,
					    state == WAITS ? WILL_NOT_RUN : IS_TOLD, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		if (state != WAITS && state != RUNNING)
			return false;
	return state == WAITS;
}

bool nap_work_is_canceled(const struct nap_work *work)
{
	return acquire(&work->state) == IS_TOLD;
}

bool nap_work_is_idle(const struct nap_work *work)
{
	return acquire(&work->state) == IDLE;
}

struct nap_work *nap_work_of(struct nap_task *task)
{
	return task->run == run_work || task->run == done_on_loop ?
		       nap_container_of(task, struct nap_work, task) : NULL;
}

size_t nap_work_end_left(struct nap_batch *left)
{
	struct nap_batch others = NAP_BATCH_INIT;
	struct nap_task *task;
	size_t nr = 0;

	while ((task = nap_batch_pop(left))) {
		struct nap_work *work = nap_work_of(task);

		if (!work) {
			nap_batch_push(&others, task);
			continue;
		}
		nr++;
		if (task->run == done_on_loop)
			call_done(work, work->result);
		else
			end(work, -ECANCELED);
	}
	nap_batch_concat(left, &others);
	return nr;
}

/* ---- nap/after.h */

int nap_work_after(struct nap_after *after, struct nap_pool *pool, struct nap_work *work,
		   uint32_t count)
{
	int err = after && pool ? spec_work_take(work) : -EINVAL;

	if (err)
		return err;
	after->pool = pool;
	after->work = work;
	store_relaxed(&after->left, count);
	return count || !nap_schedule(pool, &work->task) ? 0 : spec_work_give_back(work);
}

/* The work sees what was done before each call. */
int nap_after_done(struct nap_after *after)
{
	struct nap_work *work;

	if (!after)
		return -EINVAL;
	if (__atomic_fetch_sub(&after->left, 1, __ATOMIC_ACQ_REL) != 1)
		return 0;
	work = after->work;
	if (nap_schedule(after->pool, &work->task))
		end(work, -ECANCELED);
	return 1;
}

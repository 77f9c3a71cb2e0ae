/* SPDX-License-Identifier: MIT */
/*
 * Works: nap/work.h. A work is a task with a state; the thread that changes the state first decides
 * what happens.
 *
 *	IDLE --schedule--> QUEUED --begin--> RUNNING --> ENDED --> IDLE
 *	                     |                 | cancel
 *	                     | cancel          v
 *	                     |               ASKED ----> ENDED
 *	                     |--> CANCELED --begin-----> ENDED
 *	                     |
 *	                     `--> TELLING --told--> TOLD --begin--> ENDED --> IDLE
 *	                             `--begin--> RUNNING --told--------------> IDLE
 *
 * The last two lines are for a work that has a @gone and a loop. When such a work is canceled, its
 * @told task goes to the loop at once, and calls @done; its @task stays in its queue. The two tasks
 * meet in @state: the first leaves the work to the second, by an exchange that is its last touch,
 * and the second calls @gone.
 *
 * The @task goes through the pool with nap__work_begin() as its function; and then, if there is a
 * loop, through the loop's queue with nap__work_deliver(). That function makes the work idle before
 * its last call (@gone if there is one, else @done), and does not touch the work after that.
 */
#include <nap/work.h>

#include <errno.h>

#include <nap/class.h>
#include <nap/group.h>
#include <nap/pool.h>

#include "arch/atomic.h"
#include "kit/work.h"
#include "os/happens.h"
#include "os/os.h"
#include "sync/deadline.h"
#include "sync/debug.h"
#include "kit/class.h"
#include "worker/self.h"
#include "worker/trace.h"
#include "worker/worker.h"

/* ---- running */

/*
 * Returns the earlier state. Afterwards no thread can cancel the work. If the state was TELLING,
 * the work is not the caller's.
 */
enum work_state nap__work_take(struct nap_work *work, enum work_state to)
{
	uint32_t was;

	unseen_begin();
	happens_before(&work->told);
	/*
	 * Sees what the canceler wrote, for @done: pairs with nap_cancel(). [X2] The exchange in
	 * nap__work_told() may race with this one: the thread that is first gives up the work, and
	 * the second thread owns it. [X7]
	 */
	was = nap_xchg_acq_rel(&work->state, to);
	happens_after(&work->result);
	unseen_end();
	return (enum work_state)was;
}

/* Adds one to the counter at @offset in the calling worker's statistics. */
static void work_count(size_t offset)
{
	struct nap_worker *worker = nap__self()->worker;

	if (worker) {
		unseen_begin();
		stat_add((uint64_t *)(void *)((char *)&worker->stats + offset), 1);
		unseen_end();
	}
}

/* Writes a trace event, hidden from a race detector, which watches the accesses inside a task. */
static void work_event(uint32_t kind, struct nap_work *work, uintptr_t fn)
{
	unseen_begin();
	trace_here(kind, &work->task, fn);
	unseen_end();
}

static int work_call(struct nap_work *work)
{
	uintptr_t fn = (uintptr_t)work->fn;
	int result;

	runs_here(fn);
	work_event(TRACE_FLAGS(NAP_TRACE_BEGIN, NAP_TRACE_INNER), work, fn);
	result = work->fn(work);
	work_event(TRACE_FLAGS(NAP_TRACE_END, NAP_TRACE_INNER), work, fn);
	return result;
}

/* Runs the work. Returns the function that ends it; NULL: its loop ends it. */
static nap_task_fn work_run(struct nap_work *work)
{
	bool late = work->deadline && nap__os_now() > work->deadline;
	enum work_state was = nap__work_take(work, WORK_RUNNING);

	if (was != WORK_QUEUED) {
		work_count(offsetof(struct nap_worker_stats, canceled));
		work_event(NAP_TRACE_CANCEL, work, 0);
		return nap__work_end_of(work, was);
	}
	if (late) {
		work_count(offsetof(struct nap_worker_stats, timed_out));
		work_event(TRACE_FLAGS(NAP_TRACE_CANCEL, 1), work, 0);
	}
	work_set_result(work, late ? -ETIMEDOUT : work_call(work));
	return nap__work_deliver;
}

void nap__work_begin(struct nap_task *task)
{
	struct nap_work *work = nap_container_of(task, struct nap_work, task);
	uint32_t process = nap_load_relaxed(&nap__fork_gen);
	nap_task_fn then = work_run(work);

	/* The function may have forked; in the child the work belongs to the parent. */
	if (then && nap_load_relaxed(&nap__fork_gen) == process &&
	    !nap__work_is_handed_over(work, then))
		then(task);
}

/* ---- called by the program */

int nap__work_queue(struct nap_work *work)
{
	uint32_t was;

	if (!work || !work->fn)
		return -EINVAL;
	unseen_begin();
	/* Sees what the work's last run did: pairs with nap__work_idle(). [X3] */
	was = nap_cmpxchg_acquire(&work->state, WORK_IDLE, WORK_QUEUED);
	if (was == WORK_IDLE) {
		happens_after(work);
		nap_task_init(&work->task, nap__work_begin);
	}
	unseen_end();
	return was == WORK_IDLE ? 0 : -EBUSY;
}

static void end_unrun(struct nap_work *work, enum work_state was)
{
	nap_task_fn then = nap__work_end_of(work, was);

	if (then)
		nap__work_end_here(work, then);
}

int nap__work_refused(struct nap_work *work, int err)
{
	enum work_state was = nap__work_take(work, WORK_ENDED);

	if (was == WORK_QUEUED) {
		nap__work_idle(work);
		return err;
	}
	/* A thread has canceled the work in the meantime, and relies on its end. */
	end_unrun(work, was);
	return 0;
}

void nap__work_give_up(struct nap_work *work)
{
	end_unrun(work, nap__work_take(work, WORK_ENDED));
}

/* The function of @told, on the loop. The work's @task may still be in a queue of the pool. */
void nap__work_told(struct nap_task *task)
{
	struct nap_work *work = nap_container_of(task, struct nap_work, told);
	uint32_t was;

	work->done(work, -ECANCELED);
	unseen_begin();
	happens_before(&work->result);
	/* Races with nap__work_take(): the thread of the later exchange owns the work. [X7] */
	was = nap_xchg_acq_rel(&work->state, WORK_TOLD);
	happens_after(&work->told);
	unseen_end();
	if (was != WORK_TELLING)
		nap__work_let_go(&work->task);
}

/*
 * Called by the canceler: notifies the loop. If the loop's queue is closed, the work ends when its
 * @task begins.
 */
static void work_notify(struct nap_work *work)
{
	work_set_result(work, -ECANCELED);
	nap_task_init(&work->told, nap__work_told);
	/* Races with nap__work_take(): the thread of the later exchange owns the work. [X7] */
	if (nap_cq_push(work->cq, &work->told) &&
	    nap_xchg_acq_rel(&work->state, WORK_CANCELED) != WORK_TELLING)
		nap__work_end_here(work, nap__work_deliver);
}

/* Returns the state for a work that is canceled while it is queued. */
static enum work_state canceled_state(struct nap_work *work)
{
	return work->gone && work->done && work->cq ? WORK_TELLING : WORK_CANCELED;
}

bool nap_cancel(struct nap_work *work)
{
	enum work_state to;
	uint32_t was;

	if (!work)
		return false;
	to = canceled_state(work);
	unseen_begin();
	happens_before(&work->result);
	/* Publishes what the canceler wrote before: pairs with nap__work_take(). [X2] */
	was = nap_cmpxchg_release(&work->state, WORK_QUEUED, to);
	if (was == WORK_RUNNING)
		/*
		 * Publishes what the canceler wrote before: pairs with nap_work_is_canceled(). [X2]
		 */
		nap_cmpxchg_release(&work->state, WORK_RUNNING, WORK_ASKED);
	unseen_end();
	if (was == WORK_QUEUED && to == WORK_TELLING)
		work_notify(work);
	return was == WORK_QUEUED;
}

bool nap_work_is_canceled(const struct nap_work *work)
{
	bool is_asked;

	unseen_begin();
	/* Sees what the canceler wrote: pairs with nap_cancel(). [X2] */
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
	/* Sees what the work's run did: pairs with nap__work_idle(). [X3] */
	is_idle = nap_load_acquire((uint32_t *)&work->state) == WORK_IDLE;
	if (is_idle)
		is_received(work, sizeof(*work));
	unseen_end();
	return is_idle;
}

/* SPDX-License-Identifier: MIT */
/*
 * A work's end: which thread calls @done, and @gone. The loop; or where there is none, or no longer
 * one, the thread that ends the work. What it was before: src/work.c.
 */
#include "work.h"

#include <errno.h>

#include "atomic.h"
#include "ending.h"
#include "happens.h"
#include "leaving.h"

void nap__work_idle(struct nap_work *work)
{
	unseen_begin();
	happens_before(work);
	/* Pairs with nap_work_is_idle(), and with nap__work_queue(). [X3] */
	nap_store_release(&work->state, WORK_IDLE);
	unseen_end();
}

/* It has been told of. */
void nap__work_let_go(struct nap_task *task)
{
	struct nap_work *work = nap_container_of(task, struct nap_work, task);
	nap_gone_fn gone = work->gone;

	nap__work_idle(work);
	gone(work);
}

void nap__work_deliver(struct nap_task *task)
{
	struct nap_work *work = nap_container_of(task, struct nap_work, task);
	nap_done_fn done = work->done;
	int result = work->result;
	bool is_kept = work->gone;

	if (!is_kept)
		nap__work_idle(work);
	if (done)
		done(work, result);
	if (is_kept)
		nap__work_let_go(task);
}

bool nap__work_is_handed_over(struct nap_work *work, nap_task_fn then)
{
	unseen_begin();
	nap_store_relaxed(&work->state, WORK_ENDED);
	work->task.run = then;
	unseen_end();
	return (work->done || work->gone) && work->cq && !nap_cq_push(work->cq, &work->task);
}

void nap__work_deliver_all(struct nap__ending *ending, struct nap_task *task)
{
	do {
		task->run(task);
		task = nap_batch_pop(&ending->listed);
	} while (task);
}

void nap__work_end_here(struct nap_work *work, nap_task_fn then)
{
	struct nap_batch *list = ending_list();
	struct nap__ending ending;

	nothing_leaves();
	if (nap__work_is_handed_over(work, then))
		return;
	if (list) {
		nap_batch_push(list, &work->task);
		return;
	}
	ending_begin(&ending);
	nap__work_deliver_all(&ending, &work->task);
	ending_end(&ending);
}

nap_task_fn nap__work_end_of(struct nap_work *work, enum work_state was)
{
	if (was == WORK_TELLING)
		return NULL;
	if (was == WORK_TOLD)
		return nap__work_let_go;
	work_set_result(work, -ECANCELED);
	return nap__work_deliver;
}

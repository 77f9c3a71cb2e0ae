/* SPDX-License-Identifier: MIT */
/*
 * A work's end: which thread calls @done and @gone. The loop calls them; or, if there is no loop or
 * its queue is closed, the thread that ends the work. src/kit/work.c has the states before the end.
 */
#include "kit/work.h"

#include <errno.h>

#include "arch/atomic.h"
#include "kit/ending.h"
#include "os/happens.h"
#include "os/os.h"
#include "worker/exclusive.h"
#include "worker/leaving.h"

void nap__work_idle(struct nap_work *work)
{
	unseen_begin();
	happens_before(work);
	/*
	 * Publishes what the work's run did: pairs with nap_work_is_idle() and nap__work_queue().
	 * [X3]
	 */
	nap_store_release(&work->state, WORK_IDLE);
	unseen_end();
}

/* Calls @gone, after @done has returned. */
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
	uint32_t process = nap_load_relaxed(&nap__fork_gen);
	bool was_exclusive = exclusive_begin();

	do {
		task->run(task);
		/* The task may have forked; in the child the listed tasks belong to the parent. */
		if (nap_load_relaxed(&nap__fork_gen) != process)
			break;
		task = nap_batch_pop(&ending->listed);
	} while (task);
	exclusive_end(was_exclusive);
}

void nap__work_deliver_here(struct nap_task *task)
{
	struct nap_batch *list = ending_list();
	struct nap__ending ending;

	nothing_leaves();
	if (list) {
		nap_batch_push(list, task);
		return;
	}
	ending_begin(&ending);
	nap__work_deliver_all(&ending, task);
	ending_end(&ending);
}

void nap__work_end_here(struct nap_work *work, nap_task_fn then)
{
	if (!nap__work_is_handed_over(work, then))
		nap__work_deliver_here(&work->task);
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

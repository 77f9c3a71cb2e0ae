/* SPDX-License-Identifier: MIT */
/*
 * The inline functions of nap's headers as symbols with the same names, for languages that do not
 * read the headers: nap/foreign.h. A program of C never calls them. The linker takes this file out
 * of libnap.a only if a program uses one of these symbols. tests/system/exports.sh shows that none
 * is missing.
 */
#include "kit/outline.h"

void nap_task_init(struct nap_task *task, nap_task_fn run)
{
	nap__inline_task_init(task, run);
}

void nap_batch_push(struct nap_batch *batch, struct nap_task *task)
{
	nap__inline_batch_push(batch, task);
}

void nap_batch_concat(struct nap_batch *to, struct nap_batch *from)
{
	nap__inline_batch_concat(to, from);
}

struct nap_task *nap_batch_pop(struct nap_batch *batch)
{
	return nap__inline_batch_pop(batch);
}

void nap_work_init(struct nap_work *work, nap_work_fn fn, nap_done_fn done, struct nap_cq *cq)
{
	nap__inline_work_init(work, fn, done, cq);
}

void nap_end_init(struct nap_end *ending, nap_task_fn run, struct nap_cq *cq)
{
	nap__inline_end_init(ending, run, cq);
}

struct nap_frame *nap_top(struct nap_worker *worker)
{
	return nap__inline_top(worker);
}

struct nap_frame *nap_fork(struct nap_worker *worker, struct nap_frame *top, nap_job_fn run)
{
	return nap__inline_fork(worker, top, run);
}

bool nap_join(struct nap_worker *worker, struct nap_frame *top)
{
	return nap__inline_join(worker, top);
}

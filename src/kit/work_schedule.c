/* SPDX-License-Identifier: MIT */
/* Scheduling works: nap/work.h. src/kit/work.c has their states. */
#include <nap/work.h>

#include <errno.h>

#include <nap/class.h>
#include <nap/pool.h>

#include "kit/work.h"
#include "os/os.h"
#include "sync/deadline.h"
#include "kit/class.h"
#include "sync/debug.h"

uint64_t nap_deadline(uint64_t timeout_ns)
{
	return deadline_of(timeout_ns);
}

int nap_work_schedule(struct nap_pool *pool, struct nap_work *work)
{
	int err;

	debug_aligned(pool, __func__, __builtin_return_address(0));
	err = pool ? nap__work_queue(work) : -EINVAL;
	if (err)
		return err;
	err = nap_schedule(pool, &work->task);
	return err ? nap__work_refused(work, err) : 0;
}

int nap_class_work(struct nap_pool *pool, uint32_t which, struct nap_work *work)
{
	int err;

	debug_aligned(pool, __func__, __builtin_return_address(0));
	/*
	 * The arguments are checked before the work is queued, because a queued work may be
	 * canceled, and end.
	 */
	err = pool && which < class_count(pool) ? nap__work_queue(work) : -EINVAL;
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

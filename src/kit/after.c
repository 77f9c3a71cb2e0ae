/* SPDX-License-Identifier: MIT */
/*
 * Works that depend on others: nap/after.h. The thread that decrements the count to zero schedules
 * the work.
 */
#include <nap/after.h>

#include <errno.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "kit/work.h"
#include "os/happens.h"

int nap_work_after(struct nap_after *after, struct nap_pool *pool, struct nap_work *work,
		   uint32_t count)
{
	int err;

	if (!after || !pool)
		return -EINVAL;
	if (!count)
		return nap_work_schedule(pool, work);
	err = nap__work_queue(work);
	if (err)
		return err;
	after->pool = pool;
	after->work = work;
	nap_store_relaxed(&after->left, count);
	return 0;
}

int nap_after_done(struct nap_after *after)
{
	struct nap_work *work;
	bool is_last;

	if (!after)
		return -EINVAL;
	unseen_begin();
	work = after->work;
	happens_before(work);
	/* Publishes what this caller did: pairs with the load below, by the last caller. [X5] */
	is_last = nap_fetch_sub_release(&after->left, 1) == 1;
	if (is_last) {
		/*
		 * Sees what all callers did: pairs with their decrements, whose release sequences
		 * this decrement continues. [X5]
		 */
		nap_load_acquire(&after->left);
		happens_after(work);
		is_given(after, sizeof(*after));
	}
	unseen_end();
	if (is_last && nap_schedule(after->pool, &work->task))
		nap__work_give_up(work);
	return is_last;
}

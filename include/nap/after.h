/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_work_after - a work that is scheduled when a counted number of things have been done
 *
 * struct nap_after holds a work back until a counted number of things have been done.
 *
 *	nap_work_after(&after, &pool, &link.work, 3);
 *	...
 *	nap_after_done(&after);			in @done of the three works that it waits for
 *
 * The program calls nap_after_done() in a work's @done, which is called whatever becomes of the
 * work. A call in the work's function would be missed when the work is canceled. The last
 * nap_after_done() schedules the work that waits, and no thread sleeps for it. A graph of works has
 * one struct nap_after for each work that has more than one predecessor; a work with one
 * predecessor needs none: the predecessor's @done schedules that work.
 *
 * If the pool refuses one of the three works, this work's @done is not called: the thread that
 * tried to schedule the work calls nap_after_done() instead. A @done whose work has failed may
 * cancel the work that waits, and then call nap_after_done(). The work that waits ends as canceled
 * when the other works are done. So a failure spreads through a graph.
 *
 * While a pool is drained (NAP_DRAIN, nap/end.h) a task or a work may schedule more work, and so
 * may a @done on a worker. A @done on a loop may not, because a loop is outside the pool: a work
 * whose last nap_after_done() is called there ends as canceled.
 */
#ifndef NAP_AFTER_H
#define NAP_AFTER_H

#include <stdint.h>

#include "config.h"
#include "work.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** struct nap_after - what a work waits for; public, to be embedded; A: atomic access */
struct nap_after {
	struct nap_pool *pool;
	struct nap_work *work;
	uint32_t left nap__zero;	/* A */
};

/**
 * nap_work_after() - schedule @work on @pool when nap_after_done() was called @count times
 * @after: new memory, or a struct whose last nap_after_done() has returned. The caller keeps the
 *         memory until this last call
 *
 * Any thread. From this call on @work is queued, and may be canceled. A canceled work ends at the
 * last nap_after_done(), which would have scheduled it; one with a @gone ends at once (nap/work.h),
 * and its @gone comes with that last call. With a @count of 0 @work is scheduled at
 * once.
 *
 * Returns 0; -EBUSY when @work is not idle, and nothing changes; -EINVAL when a pointer, or
 * work->fn, is NULL; with a @count of 0, what nap_work_schedule() returns.
 */
int nap_work_after(struct nap_after *after, struct nap_pool *pool, struct nap_work *work,
		   uint32_t count);

/**
 * nap_after_done() - one of the counted things is done
 *
 * Any thread. What the callers wrote before their calls is visible to the work. The last call
 * schedules the work, and does not touch @after afterwards: the work may free itself and @after.
 * More calls than were counted are undefined behaviour.
 *
 * If the pool refuses the work, the work ends as canceled: its @done is called by its loop, or,
 * without a loop, on this thread before nap_after_done() returns. Such a @done may call
 * nap_after_done() for the next work of a chain. The @done of the next work is then called when the
 * first @done has returned. So a chain of works that a stop ends takes the stack of two works at
 * most, and no @done of the chain waits for the next. (If a @done calls fork(2), then in the child
 * its nap_after_done() calls the next @done before it returns.)
 *
 * Returns 1 when this was the last call, else 0; -EINVAL when @after is NULL.
 */
int nap_after_done(struct nap_after *after);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_AFTER_H */

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
 * The call is in @done, which comes whatever becomes of a work, and not in its function, which may
 * be canceled. The last of these calls schedules the work, and no thread waits. A graph of works
 * has one struct nap_after for each work that has more than one predecessor; a single predecessor
 * schedules the next work by itself.
 *
 * A caller that is refused when it schedules one of the three makes the call instead. A @done whose
 * work has failed may cancel the work that waits, and then make the call: the work that waits ends
 * as canceled when the others are done, and so a failure goes on through a graph.
 *
 * In a drain a task or a work may schedule others, and so may a @done on a worker. A @done on a
 * loop may not, because a loop is outside the pool: the work that it would start ends as canceled
 * (nap/end.h).
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

/** struct nap_after - what a work waits for; public so that it can be embedded; A: atomic */
struct nap_after {
	struct nap_pool *pool;
	struct nap_work *work;
	uint32_t left nap__zero;	/* A */
};

/**
 * nap_work_after() - schedule @work on @pool when nap_after_done() was called @count times
 * @after: new memory, or one whose last nap_after_done() has returned; until then the memory stays
 *
 * Any thread. From here on @work is queued, and may be canceled; a canceled work ends when it would
 * have been scheduled. With a @count of 0 @work is scheduled at once.
 *
 * Returns 0; -EBUSY when @work is not idle, and nothing changes; -EINVAL when a pointer, or
 * work->fn, is NULL; with a @count of 0, what nap_work_schedule() returns.
 */
int nap_work_after(struct nap_after *after, struct nap_pool *pool, struct nap_work *work,
		   uint32_t count);

/**
 * nap_after_done() - one of the counted things is done
 *
 * Any thread. What the callers wrote before is visible to the work. The last call does not touch
 * @after after it has scheduled the work, which may free both. If the pool refuses the work, the
 * work ends as canceled: to its loop, or else on this thread before the call returns. Where the
 * caller is a @done that was itself called in this way, the work ends after that @done has
 * returned (but before the call returns in the child of a fork that the @done has made): so a chain
 * that a stop ends takes no more stack than two works, and no such @done waits for the next one's.
 * More calls than were counted are undefined.
 *
 * Returns 1 when this was the last call, else 0; -EINVAL when @after is NULL.
 */
int nap_after_done(struct nap_after *after);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_AFTER_H */

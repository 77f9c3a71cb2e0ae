/* SPDX-License-Identifier: MIT */
/* The depth of a completion queue, for any thread: nap/complete.h. */
#include "kit/complete.h"
#include "os/happens.h"
#include "queue/inbox.h"

size_t nap_cq_depth(const struct nap_cq *cq)
{
	uint64_t in, out;

	if (!cq || !inbox_is_open(&cq->pushed) || cq_is_parents(cq))
		return 0;
	unseen_begin();
	out = nap_load_relaxed((uint64_t *)&cq->nr_out);
	in = nap_load_relaxed((uint64_t *)&cq->nr_pushed);
	unseen_end();
	/*
	 * The difference can be negative if the memory held an earlier queue: a push may have been
	 * counted in the earlier queue and accepted by this one, or refused by the earlier queue
	 * and counted out in this one.
	 */
	return (int64_t)(in - out) > 0 ? in - out : 0;
}

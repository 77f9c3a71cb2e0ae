/* SPDX-License-Identifier: MIT */
/*
 * The total order S of seq_cst operations, as the standards of C have it. A model says what has to
 * precede what in S. There is such an order if these demands have no cycle.
 */
#ifndef NAP_CHECK_SC_ORDER_H
#define NAP_CHECK_SC_ORDER_H

#include "graph/graph.h"

struct sc_order {
	/* Whether @a precedes @b in S by what happens before what. Both are SC. */
	bool (*precedes)(struct graph *g, const struct event *a, const struct event *b);
	/*
	 * Whether a fence counts for an access: @a is the fence and @b the access after it, or
	 * @a is the access and @b the fence after it.
	 */
	bool (*covers)(const struct event *a, const struct event *b);
	/*
	 * In the order of a location, an SC operation precedes later writes. True: it precedes the
	 * reads of these writes, too.
	 */
	bool of_reads;
};

/*
 * Whether there is an order S for @g, if there was one without the events @changed and @also (or
 * 0). Each of the two is the last event of its thread.
 */
bool sc_order_exists(const struct sc_order *rules, struct graph *g, unsigned changed,
		     unsigned also);

#endif /* NAP_CHECK_SC_ORDER_H */

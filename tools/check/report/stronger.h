/* SPDX-License-Identifier: MIT */
/*
 * What stronger orders would have made of an execution: it is built again with them, event by
 * event.
 */
#ifndef NAP_CHECK_STRONGER_H
#define NAP_CHECK_STRONGER_H

#include <stdbool.h>

#include "graph/graph.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

#define MOST_CHANGES 32

/* Orders are added to events, and seq_cst fences are put before events. */
struct change {
	unsigned nr, nr_fences;
	struct { unsigned event, order; } more[MOST_CHANGES];
	unsigned fence[MOST_CHANGES];
};

/*
 * Builds the execution that has just run. Returns false if the model forbids it with these orders.
 * Else *@knows says whether the last event of @thread would happen after the event @index of the
 * thread @of.
 */
bool stronger_allows(const struct change *change, unsigned thread, unsigned of, unsigned index,
		     bool *knows);

#pragma GCC visibility pop

#endif /* NAP_CHECK_STRONGER_H */

/* SPDX-License-Identifier: MIT */
/* Tasks that were scheduled and have not begun, by their address: where and when that was. */
#ifndef TRACE_PENDING_H
#define TRACE_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scheduled {
	uint64_t task;		/* 0: an empty place */
	int64_t ns;
	uint32_t lane, name;
	bool free;		/* any worker may take it: not of a class, not in order */
	bool in_order;		/* of a serial queue or an order */
};

struct pending {
	struct scheduled *slot;
	size_t nr_slots, nr;
	uint32_t free;		/* how many any worker may take */
};

/* A task that was there already, and whose begin is not in the trace, is replaced. */
void pending_add(struct pending *pending, const struct scheduled *scheduled);

/* Takes @task out. False: it is not there. */
bool pending_take(struct pending *pending, uint64_t task, struct scheduled *scheduled);

/* Of those that any worker may take, the one that has waited longest; NULL: none. */
const struct scheduled *pending_oldest(const struct pending *pending);
void pending_free(struct pending *pending);

#endif /* TRACE_PENDING_H */

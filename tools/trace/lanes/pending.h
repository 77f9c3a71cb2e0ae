/* SPDX-License-Identifier: MIT */
/*
 * Tasks that were scheduled and have not begun, by their address: where and when each was
 * scheduled.
 */
#ifndef TRACE_PENDING_H
#define TRACE_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scheduled {
	uint64_t task;		/* 0: an empty place */
	int64_t ns, late;
	uint32_t lane, name;
	/* any worker may take the task: it is in a queue, and has no class and no order */
	bool free;
	bool in_order;		/* of a serial queue or an order */
	bool at_once;		/* it is in no queue */
};

struct pending {
	struct scheduled *slot;
	size_t nr_slots, nr;
	uint32_t free;		/* how many of them any worker may take */
};

/* Adds a task. A task with this address, whose begin is not in the trace, is replaced. */
void pending_add(struct pending *pending, const struct scheduled *scheduled);

/* Takes @task out. False if it is not there. */
bool pending_take(struct pending *pending, uint64_t task, struct scheduled *scheduled);

/*
 * Returns the task that has waited longest, of those that any worker may take; NULL if there is
 * none.
 */
const struct scheduled *pending_oldest(const struct pending *pending);
void pending_free(struct pending *pending);

#endif /* TRACE_PENDING_H */

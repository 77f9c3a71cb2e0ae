/* SPDX-License-Identifier: MIT */
/* The calls of the table of waits: tests/fault/waits.h. */
#ifndef NAP_TESTS_FAULT_WAITS_CALLS_H
#define NAP_TESTS_FAULT_WAITS_CALLS_H

#include "fault/waits.h"

extern const struct call waits_group, waits_group_other, waits_group_none, waits_await,
	waits_await_other;
extern const struct call waits_mutex, waits_sem, waits_event_wait, waits_cond;
extern const struct call waits_send, waits_recv, waits_select;
extern const struct call waits_sleep, waits_io, waits_scope, waits_timer;
extern const struct call waits_quiesce, waits_quiesce_other, waits_join, waits_join_other,
	waits_finish, waits_broadcast;
extern const struct call waits_called, waits_slot, waits_job, waits_loop;

/* Each of the three forms; the last argument of the others is a timeout, or a time. */
#define WAITS_CALL(cell, name, ...) \
	((cell)->event == PAST ? name##_until(__VA_ARGS__, 1) : \
	 (cell)->timeout == NAP_FOREVER ? name(__VA_ARGS__) : \
					  name##_for(__VA_ARGS__, (cell)->timeout))

/* Where a timeout is told as a time only. */
static inline uint64_t waits_deadline(const struct cell *cell)
{
	return cell->event == PAST ? 1 : nap_deadline(cell->timeout);
}

/*
 * waits_calls_busy.c: a task runs in @pool from here on, until the test ends it; on a thread of
 * its own if there are no workers, which the last of these waits for.
 */
void waits_be_busy(struct cell *cell, struct nap_pool *pool);
void waits_let_go(struct cell *cell);
void waits_end_busy(struct cell *cell);

/* The same for the thread that calls it, and what it has others run. */
void waits_stay(struct cell *cell);
void waits_have_helper(struct cell *cell, struct nap_pool *pool);

#endif /* NAP_TESTS_FAULT_WAITS_CALLS_H */

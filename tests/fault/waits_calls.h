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

/*
 * Makes the call in the form that the cell needs: without limit, with a timeout, or with a
 * deadline.
 */
#define WAITS_CALL(cell, name, ...) \
	((cell)->event == PAST ? name##_until(__VA_ARGS__, 1) : \
	 (cell)->timeout == NAP_FOREVER ? name(__VA_ARGS__) : \
					  name##_for(__VA_ARGS__, (cell)->timeout))

/* Returns the deadline, for calls that have no form with a timeout. */
static inline uint64_t waits_deadline(const struct cell *cell)
{
	return cell->event == PAST ? 1 : nap_deadline(cell->timeout);
}

/*
 * waits_calls_busy.c: waits_be_busy() begins a task that keeps @pool busy, waits_let_go() tells
 * this task to end, and waits_end_busy() waits for its end. Without workers a helper's thread runs
 * the task, and waits_end_busy() joins this thread.
 */
void waits_be_busy(struct cell *cell, struct nap_pool *pool);
void waits_let_go(struct cell *cell);
void waits_end_busy(struct cell *cell);

/*
 * waits_stay() keeps the calling thread busy. waits_have_helper() starts a thread that helps @pool:
 * the caller needs other threads to run something, and the pool may have no worker.
 */
void waits_stay(struct cell *cell);
void waits_have_helper(struct cell *cell, struct nap_pool *pool);

#endif /* NAP_TESTS_FAULT_WAITS_CALLS_H */

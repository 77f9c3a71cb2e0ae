/* SPDX-License-Identifier: MIT */
/*
 * The room kit/ (this header is its door).
 *
 * What a daemon wants on top of a pool: works that may be taken back and say when they have ended,
 * submitters with a bound, serial and ordered queues, completion queues for an event loop, classes
 * as callers see them, the number of workers and blocked ones, metrics. Each is a client of the
 * rooms above, and each is linked only when the program names it.
 *
 * Typically a call is one or two atomic operations on an object of the program's, and a schedule.
 *
 * From outside: the public headers only. No other room uses this one; bare/without.c stands in for
 * parts that a program without a libc does not name.
 */
/* Works, as the queues of them see them: src/kit/work.c. */
#ifndef NAP_WORK_INTERNAL_H
#define NAP_WORK_INTERNAL_H

#include <stdbool.h>

#include <nap/work.h>

#include "os/happens.h"

struct nap__ending;

enum work_state {
	WORK_IDLE, WORK_QUEUED, WORK_CANCELED, WORK_RUNNING, WORK_ASKED, WORK_ENDED, WORK_TELLING, WORK_TOLD,
};

/* It is to be queued now: its task is prepared. 0, -EBUSY or -EINVAL. */
int nap__work_queue(struct nap_work *work);

/*
 * It was refused, by @err. Returns that, and the work is idle; or 0 when it was canceled in
 * between, and so has been accepted, and ended.
 */
int nap__work_refused(struct nap_work *work, int err);

/* It was accepted, and will never have its turn: it ends as canceled. */
void nap__work_give_up(struct nap_work *work);

/*
 * What it was. After that nobody cancels it; and in TELLING it is no longer the caller's.
 */
enum work_state nap__work_take(struct nap_work *work, enum work_state to);

/* Its task's functions in the pool's queues, and in its loop's: of nap_cancel(), and at the end. */
void nap__work_begin(struct nap_task *task);
void nap__work_told(struct nap_task *task);
void nap__work_deliver(struct nap_task *task);
void nap__work_let_go(struct nap_task *task);

static inline void work_set_result(struct nap_work *work, int result)
{
	unseen_begin();
	work->result = result;
	unseen_end();
}

/* The last touch. */
void nap__work_idle(struct nap_work *work);

/* One that does not run, and was that: what is to be done. NULL: nothing, its loop sees to it. */
nap_task_fn nap__work_end_of(struct nap_work *work, enum work_state was);

/* False: it has no loop that takes it, for @then. The caller is to call that. */
bool nap__work_is_handed_over(struct nap_work *work, nap_task_fn then);

/* By the refused caller, perhaps in a @done: @then, there or here. */
void nap__work_end_here(struct nap_work *work, nap_task_fn then);

/* Run @task on this thread: now, or after the @done that the caller is in. */
void nap__work_deliver_here(struct nap_task *task);

/* Run @task in @ending, and what its @done has others end. */
void nap__work_deliver_all(struct nap__ending *ending, struct nap_task *task);

#endif /* NAP_WORK_INTERNAL_H */

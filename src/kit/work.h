/* SPDX-License-Identifier: MIT */
/*
 * The room kit/ (this header is its door).
 *
 * What a daemon needs besides a pool: works that can be canceled and report their end, submitters
 * with a bound, serial and ordered queues, completion queues for an event loop, the calls for
 * classes, the limit of workers and blocking sections, metrics. Each of these uses the rooms that
 * stand above kit/ in the table of Documentation/design.rst, and is linked only when the program
 * uses it.
 *
 * Typically a call is one or two atomic operations on an object of the program's, and a schedule.
 *
 * Where a work is canceled: nap_cancel() in work.c decides, and work_run() there skips the work.
 * Where a completion queue is pushed to: nap_cq_push() in complete.c; work_end.c, work.c (a
 * cancellation), ends.c and shutdown.c call it. Where a class counts its running tasks:
 * class->inside, in class_take.c. The worker that gives a permit back searches next itself, and
 * notifies another worker only if it does not use the permit (classed.owes).
 *
 * Where a serial queue's quantum ends: goes_on() in serial.c. Which class is next: next_party() in
 * class_take.c. Where a blocked or stuck worker is replaced: nap__replace() in capacity.c. Where a
 * wait for a slot is given up: nap__slot_gives_up() in submit_stuck.c. Where the end of a pool is
 * noticed: look_for_end() in ends.c; where it waits for threads inside a schedule:
 * intake_settles() there. Which bounds Prometheus gets: put_buckets() in metrics_measured.c.
 *
 * From outside: the public headers only, and class.h. Classes, and notifications of a pool's end,
 * are kinds of work (src/worker/source.h).
 *
 * Open: class.h
 */
/* Works, for the queues that hold them: src/kit/work.c. */
#ifndef NAP_WORK_INTERNAL_H
#define NAP_WORK_INTERNAL_H

#include <stdbool.h>

#include <nap/work.h>

#include "os/happens.h"

struct nap__ending;

enum work_state {
	WORK_IDLE, WORK_QUEUED, WORK_CANCELED, WORK_RUNNING, WORK_ASKED, WORK_ENDED, WORK_TELLING,
	WORK_TOLD,
};

/* Marks the work as queued, and prepares its task. Returns 0, -EBUSY or -EINVAL. */
int nap__work_queue(struct nap_work *work);

/*
 * Takes back a work that was refused with @err. Returns @err, and the work is idle; or returns 0,
 * if the work was canceled in the meantime: then it counts as accepted, and has ended.
 */
int nap__work_refused(struct nap_work *work, int err);

/* Ends as canceled a work that was accepted, and whose task will never run. */
void nap__work_give_up(struct nap_work *work);

/*
 * Changes the state to @to; returns the earlier state. Afterwards no thread can cancel the work. If
 * the state was TELLING, the work is no longer the caller's.
 */
enum work_state nap__work_take(struct nap_work *work, enum work_state to);

/*
 * The functions of a work's tasks. The pool runs nap__work_begin(). The loop runs nap__work_told()
 * after a nap_cancel(), and nap__work_deliver() or nap__work_let_go() at the end.
 */
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

/* Makes the work idle, as the last touch of it. */
void nap__work_idle(struct nap_work *work);

/*
 * Returns the function that ends a work that is not run, and whose state was @was. NULL: its loop
 * ends it.
 */
nap_task_fn nap__work_end_of(struct nap_work *work, enum work_state was);

/*
 * Hands the work to its loop, which calls @then. False: there is no loop, and the caller calls
 * @then.
 */
bool nap__work_is_handed_over(struct nap_work *work, nap_task_fn then);

/*
 * Ends a refused work; the caller may be inside a @done. @then runs on the loop, or, if there is no
 * loop, on this thread.
 */
void nap__work_end_here(struct nap_work *work, nap_task_fn then);

/* Runs @task on this thread: at once, or, if the caller runs inside a @done, after this @done. */
void nap__work_deliver_here(struct nap_task *task);

/* Runs @task, and then the tasks that its @done has added to @ending. */
void nap__work_deliver_all(struct nap__ending *ending, struct nap_task *task);

#endif /* NAP_WORK_INTERNAL_H */

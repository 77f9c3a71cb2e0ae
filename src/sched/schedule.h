/* SPDX-License-Identifier: MIT */
/*
 * The room sched/ (this header is its door).
 *
 * The road of a task: publish it (schedule.c), find it (search.c, steal.c, fair.c; of other kinds:
 * src/worker/source.h), run it (run.c). And the life of a worker between tasks: its loop (loop.c),
 * parking (park.c), retiring (standby.c), looking whether the pool has come to its end (ends.c). A guest
 * (guest.h) is a thread from outside that does the same for a while.
 *
 * Typically a worker takes the next task of its own ring in nap__run_plain(), without a search, and
 * runs it.
 *
 * From outside: nap__schedule_plainly() and the rest of schedule.h; nap__dequeue(), nap__run(),
 * nap__park() for a wait that runs tasks; guest.h, ends.h. A task that was taken is given to
 * nap__run() before anything else is taken.
 *
 * Open: fair.h guest.h permits.h steal.h
 */
/* Scheduling by those who are inside a pool already: src/sched/schedule_as.c. */
#ifndef NAP_SCHEDULE_H
#define NAP_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/worker.h"

/*
 * @worker: which the caller is in @pool, or a guest, or NULL. @inside: it is one, or has entered the
 * intake: then only a stop refuses, with -ESHUTDOWN.
 */
int nap__schedule_as(struct nap_pool *pool, struct nap_worker *worker, bool inside,
		     struct nap_task *head, struct nap_task *tail, size_t count);

/*
 * The same for one task, from a @worker too, after what was injected: whatever is queued in its own
 * ring comes first, and so does what others have scheduled from outside.
 */
int nap__schedule_behind(struct nap_pool *pool, struct nap_worker *worker, struct nap_task *task);

/* Where the calling thread is a worker of @pool, with nothing else to look at. False: see above. */
bool nap__schedule_plainly(struct nap_pool *pool, struct nap_task *task);

/*
 * A thread that is inside and was refused by a stop: the join returns @task all the same, with what
 * is left.
 */
void nap__schedule_left(struct nap_pool *pool, struct nap_task *task);

/* Worker that has put @count tasks into its ring, which @was_empty: others are told. */
void nap__notify_own(struct nap_pool *pool, size_t count, bool was_empty);

/* Worker: the next task in the order of src/sched/search.c, or NULL when there is none to be had. */
struct nap_task *nap__dequeue(struct nap_worker *worker);

/* The same, where neither a message nor a stop is looked at, nor tasks of classes. */
struct nap_task *nap__search(struct nap_worker *worker);

/* Worker: run a task that it dequeued. */
void nap__run(struct nap_worker *worker, struct nap_task *task);

/* Worker with no task on the stack: tasks of its own ring, until there is something else to look at. */
void nap__run_plain(struct nap_worker *worker);

/*
 * Worker: sleep until there may be work (NAP_SEARCH), the pool ends (NAP_EXIT), or there is another
 * reason or the @deadline has come (NAP_WAIT_OVER). Reasons other than EVENT_WORK are added to
 * *@reasons.
 */
enum nap__verdict nap__park(struct nap_worker *worker, uint64_t deadline, uint32_t *reasons);

#endif /* NAP_SCHEDULE_H */

/* SPDX-License-Identifier: MIT */
/* Scheduling by those who are inside a pool already: src/sched/schedule_as.c. */
#ifndef NAP_SCHEDULE_H
#define NAP_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>

struct nap_pool;
struct nap_task;
struct nap_worker;

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
void nap__tell_own(struct nap_pool *pool, size_t count, bool was_empty);

#endif /* NAP_SCHEDULE_H */

/* SPDX-License-Identifier: MIT */
/* Scheduling by those who are inside a pool already: src/schedule.c. */
#ifndef NAP_SCHEDULE_H
#define NAP_SCHEDULE_H

struct nap_pool;
struct nap_task;
struct nap_worker;

/*
 * @worker: which the caller is in @pool, or a guest; or NULL, and the caller has entered the intake.
 * Returns 0, or -ESHUTDOWN when the pool was stopped; a drain refuses nothing here.
 */
int nap__schedule_inside(struct nap_pool *pool, struct nap_worker *worker, struct nap_task *task);

#endif /* NAP_SCHEDULE_H */

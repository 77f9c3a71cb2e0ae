/* SPDX-License-Identifier: MIT */
/* The pool of nap.c, for works that use what only nap has, and nap's forms of forks and loops. */
#ifndef NAP_SIM_NAP_H
#define NAP_SIM_NAP_H

#include <nap/nap.h>

#include "program/work.h"

extern struct nap_pool work_pool;

/* The classes of the pool; set before the pool starts. */
extern struct nap_classes *work_classes;

/* Starts the pool with an idle protocol. */
void work_start_with(uint32_t idle);
void work_schedule(struct nap_task *task);
void work_schedule_batch(struct nap_batch *batch);
void work_wait(void);
void work_stop(void);
uint64_t work_steals(void);

uint64_t work_fib(unsigned n);
void work_loop(uint64_t n);
uint64_t work_reduce(uint64_t n);
void work_sort(uint32_t *numbers, uint64_t n);
void work_call(work_fn body, void *arg);
void work_each(void *ctx, work_fn body, void *things, size_t size, unsigned n);

#define WORK_OPS .schedule = work_schedule, .schedule_batch = work_schedule_batch,		\
	.wait = work_wait, .fib = work_fib, .loop = work_loop, .reduce = work_reduce,		\
	.sort = work_sort, .call = work_call, .each = work_each, .stop = work_stop,		\
	.steals = work_steals, .is_nap = true

#endif /* NAP_SIM_NAP_H */

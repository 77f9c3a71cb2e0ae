/* SPDX-License-Identifier: MIT */
/* The calls between locked.c, the locked queue, and locked_forms.c, its forks and loops. */
#ifndef NAP_SIM_LOCKED_H
#define NAP_SIM_LOCKED_H

#include "program/work.h"

/* Queues @n tasks, from @head to @tail. */
void locked_push(struct nap_task *head, struct nap_task *tail, uint64_t n);

/* Waits, on a thread from outside, until every task has ended. */
void locked_wait(void);

/* Runs a queued task, whatever it is. */
void locked_help(void);

uint64_t locked_fib(unsigned n);
void locked_loop(uint64_t n);
uint64_t locked_reduce(uint64_t n);
void locked_sort(uint32_t *numbers, uint64_t n);
void locked_call(work_fn body, void *arg);
void locked_each(void *ctx, work_fn body, void *things, size_t size, unsigned n);

#endif /* NAP_SIM_LOCKED_H */

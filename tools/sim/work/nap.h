/* SPDX-License-Identifier: MIT */
/* The pool of nap.c, for works that use what only nap has, and nap's forms of forks and loops. */
#ifndef NAP_SIM_NAP_H
#define NAP_SIM_NAP_H

#include <nap/nap.h>

#include "program/work.h"

extern struct nap_pool work_pool;

/* The classes of the pool; set before the pool starts. */
extern struct nap_classes *work_classes;

uint64_t work_fib(unsigned n);
void work_loop(uint64_t n);
uint64_t work_reduce(uint64_t n);
void work_sort(uint32_t *numbers, uint64_t n);
void work_call(work_fn body, void *arg);
void work_each(void *ctx, work_fn body, void *things, size_t size, unsigned n);

#endif /* NAP_SIM_NAP_H */

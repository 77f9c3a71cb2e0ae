/* SPDX-License-Identifier: MIT */
/* The same on several threads at once, begun together: for the queues. */
#ifndef NAP_BENCH_THREADS_H
#define NAP_BENCH_THREADS_H

#include "common/row.h"

#define THREADS_MAX 64u

/* @n: what is this thread's share of the row's */
typedef void threads_fn(unsigned thread, uint64_t n);

/* One thread is main itself. */
void threads_time(const struct size *size, threads_fn *fn);

#endif /* NAP_BENCH_THREADS_H */

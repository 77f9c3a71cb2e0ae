/* SPDX-License-Identifier: MIT */
/* Runs a row on several threads that begin together, as the rows of the queues do. */
#ifndef NAP_BENCH_THREADS_H
#define NAP_BENCH_THREADS_H

#include "common/row.h"

#define THREADS_MAX 64u

/*
 * Measures @fn. One of the threads is main itself. Each of several threads is pinned to a CPU,
 * because one CPU would run the threads of a short row one after the other.
 */
void threads_time(const struct size *size, threads_fn *fn);

/* As threads_time(), but no thread is pinned. */
void threads_time_free(const struct size *size, threads_fn *fn);

/* Does @operation n times on the file's word, which begins as 0. Nothing else is in the loop. */
#define OPERATION(name, operation)					\
static void name(unsigned unused, uint64_t n)				\
{									\
	(void)unused;							\
	__atomic_store_n(&word, 0, __ATOMIC_RELAXED);			\
	for (uint64_t i = 0; i < n; i++)				\
		operation;						\
}

#endif /* NAP_BENCH_THREADS_H */

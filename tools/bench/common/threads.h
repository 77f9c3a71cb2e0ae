/* SPDX-License-Identifier: MIT */
/* The same on several threads at once, begun together: for the queues. */
#ifndef NAP_BENCH_THREADS_H
#define NAP_BENCH_THREADS_H

#include "common/row.h"

#define THREADS_MAX 64u

/* One thread is main itself. */
void threads_time(const struct size *size, threads_fn *fn);

/* @operation on the file's word, which begins as 0; nothing else is in the loop. */
#define OPERATION(name, operation)					\
static void name(unsigned unused, uint64_t n)				\
{									\
	(void)unused;							\
	__atomic_store_n(&word, 0, __ATOMIC_RELAXED);			\
	for (uint64_t i = 0; i < n; i++)				\
		operation;						\
}

#endif /* NAP_BENCH_THREADS_H */

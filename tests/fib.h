/* SPDX-License-Identifier: MIT */
/* A function that forks at every call: Fibonacci numbers, by the jobs of nap/fork.h. */
#ifndef NAP_TESTS_FIB_H
#define NAP_TESTS_FIB_H

#include <nap/nap.h>

static inline long fib(struct nap_worker *worker, struct nap_frame *top, long n);
NAP_JOB(fib, long, long)

static inline long fib(struct nap_worker *worker, struct nap_frame *top, long n)
{
	struct nap_frame *next;
	long right;

	if (n < 2)
		return n;
	next = fib_fork(worker, top, n - 1);
	right = fib(worker, next, n - 2);
	return right + fib_join(worker, top, n - 1);
}

#endif /* NAP_TESTS_FIB_H */

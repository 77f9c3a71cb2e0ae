/* SPDX-License-Identifier: MIT */
/* fib: a fork in every call. The part that does not fork is inline, as nap/fork.h advises. */
#ifndef WORKS_FIB_FORKS_H
#define WORKS_FIB_FORKS_H

#include <nap/nap.h>

static long fib(struct nap_worker *worker, struct nap_frame *top, long n);
NAP_JOB(fib, long, long)

static __attribute__((noinline)) long node(struct nap_worker *worker, struct nap_frame *top, long n)
{
	struct nap_frame *next = fib_fork(worker, top, n - 1);
	long right = fib(worker, next, n - 2);

	return right + fib_join(worker, top, n - 1);
}

static inline long fib(struct nap_worker *worker, struct nap_frame *top, long n)
{
	return n < 2 ? n : node(worker, top, n);
}

#endif /* WORKS_FIB_FORKS_H */

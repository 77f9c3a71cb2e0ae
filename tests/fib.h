/* SPDX-License-Identifier: MIT */
/* Work that forks in every call: the one of nap/fork.h. */
#ifndef NAP_TESTS_FIB_H
#define NAP_TESTS_FIB_H

#include <nap/nap.h>

struct fib {
	struct nap_job job;
	long n, result;
};

static inline void fib_run(struct nap_worker *worker, struct nap_job *job);

static inline long fib(struct nap_worker *worker, long n)
{
	struct fib left = { NAP_JOB_INIT(fib_run), n - 1, 0 };
	long right;

	if (n < 2)
		return n;
	nap_fork(worker, &left.job);
	right = fib(worker, n - 2);
	if (nap_join(worker, &left.job))
		left.result = fib(worker, n - 1);
	return left.result + right;
}

static inline void fib_run(struct nap_worker *worker, struct nap_job *job)
{
	struct fib *left = nap_container_of(job, struct fib, job);

	left->result = fib(worker, left->n);
}

#endif /* NAP_TESTS_FIB_H */

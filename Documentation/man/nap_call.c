/* SPDX-License-Identifier: MIT */
#include <nap/nap.h>
#include <stdio.h>

static struct nap_pool pool;

static long fib(struct nap_worker *worker, struct nap_frame *top, long n);
NAP_JOB(fib, long, long)

static long fib(struct nap_worker *worker, struct nap_frame *top, long n)
{
	struct nap_frame *next;
	long right;

	if (n < 2)
		return n;
	next = fib_fork(worker, top, n - 1);
	right = fib(worker, next, n - 2);
	return right + fib_join(worker, top, n - 1);
}

static void begin(struct nap_worker *worker, void *result)
{
	*(long *)result = fib(worker, nap_top(worker), 20);
}

int main(void)
{
	long result = 0;

	if (nap_call(&pool, begin, &result) == 0)
		printf("%ld\n", result);
	return nap_pool_join(&pool, NULL);
}

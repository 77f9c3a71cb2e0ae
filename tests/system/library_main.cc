/* SPDX-License-Identifier: MIT */
/*
 * nap/nap.hpp as a program uses it: forks of every kind, taken by other workers or not. Returns 0
 * if all is right.
 */
#include <nap/nap.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "cxx_check.h"

static long fib(nap_worker *worker, nap_frame *top, long n)
{
	if (n < 2)
		return n;
	nap_frame *next = nap::fork<fib>(worker, top, n - 1);
	long right = fib(worker, next, n - 2);
	return right + nap::join<fib>(worker, top, n - 1);
}

struct pair {
	int a;
	double b;
};

static std::atomic<int> begun;

static pair of_three(nap_worker *, nap_frame *, int a, double b, const char *c) noexcept
{
	++begun;
	return { a + c[0], b / 2 };
}

static void add_one(nap_worker *, nap_frame *, int *n)
{
	++*n;
	++begun;
}

static void of_none(nap_worker *, nap_frame *)
{
	++begun;
}

/*
 * Forks a job of each kind, and joins them. If @wait is set, joins only when other workers have
 * begun all jobs.
 */
static void fork_each(nap_worker *worker, bool wait)
{
	nap_frame *first = nap_top(worker);
	int n = 0;

	begun = 0;
	/* A float and an int, which are converted to the function's types. */
	nap_frame *second = nap::fork<of_three>(worker, first, 1, 3.0f, "a");
	nap_frame *third = nap::fork<add_one>(worker, second, &n);
	nap::fork<of_none>(worker, third);
	while (wait && begun < 3)
		;
	nap::join<of_none>(worker, third);
	nap::join<add_one>(worker, second, &n);
	pair p = nap::join<of_three>(worker, first, 1, 3.0f, "a");
	CHECK(p.a == 1 + 'a' && p.b == 1.5 && n == 1 && begun == 3);
}

/*
 * Forks the rest of the sum as a job. A thread that gets its job back goes on with it in the
 * loop.
 */
static long sum_below(nap_worker *worker, nap_frame *top, long n)
{
	long sum = 0;

	while (n > 0) {
		nap::fork<sum_below>(worker, top, --n);
		sum += n;
		if (!nap_join(worker, top))
			return sum + nap::result<sum_below>(top);
	}
	return sum;
}

static void work(nap_worker *worker, void *)
{
	CHECK(sum_below(worker, nap_top(worker), 100000) == 4999950000);
	CHECK(fib(worker, nap_top(worker), 20) == 6765);
	fork_each(worker, false);
	fork_each(worker, true);
}

int main()
{
	static nap_pool pool;

	CHECK(nap_pool_init(&pool, nullptr) == 0);
	CHECK(nap_call(&pool, work, nullptr) == 0);
	CHECK(nap_pool_join(&pool, nullptr) == 0);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* nap's forks and loops: nap/fork.h, nap/for.h, nap/reduce.h, nap/sort.h. */
#include "work/nap.h"

static uint64_t fib_of(struct nap_worker *worker, struct nap_frame *top, unsigned n);
NAP_JOB(fib_of, uint64_t, unsigned)

static uint64_t fib_of(struct nap_worker *worker, struct nap_frame *top, unsigned n)
{
	struct nap_frame *next;
	uint64_t right;

	if (n < 2) {
		work_leaf();
		return n;
	}
	next = fib_of_fork(worker, top, n - 1);
	right = fib_of(worker, next, n - 2);
	return right + fib_of_join(worker, top, n - 1);
}

struct fib_call {
	unsigned n;
	uint64_t result;
};

static void fib_begin(struct nap_worker *worker, void *arg)
{
	struct fib_call *call = arg;

	call->result = fib_of(worker, nap_top(worker), call->n);
}

uint64_t work_fib(unsigned n)
{
	struct fib_call call = { n, 0 };

	if (nap_call(&work_pool, fib_begin, &call))
		sim_fail("nap_call() fails");
	return call.result;
}

/* ---- forks of several things */

struct place {
	struct nap_worker *worker;
	struct nap_frame *top;
};

struct thing {
	work_fn body;
	void *arg;
};

static void run_thing(struct nap_worker *worker, struct nap_frame *top, struct thing thing)
{
	struct place place = { worker, top };

	thing.body(&place, thing.arg);
}
NAP_JOB_VOID(run_thing, struct thing)

void work_each(void *ctx, work_fn body, void *things, size_t size, unsigned n)
{
	struct place *here = ctx;
	struct nap_frame *top[EACH_MOST + 1] = { here->top };

	for (unsigned i = 1; i < n; i++)
		top[i] = run_thing_fork(here->worker, top[i - 1],
					(struct thing){ body, (char *)things + i * size });
	run_thing(here->worker, top[n - 1], (struct thing){ body, things });
	for (unsigned i = n - 1; i; i--)
		run_thing_join(here->worker, top[i - 1],
			       (struct thing){ body, (char *)things + i * size });
}

static void call_thing(struct nap_worker *worker, void *arg)
{
	run_thing(worker, nap_top(worker), *(struct thing *)arg);
}

void work_call(work_fn body, void *arg)
{
	struct thing thing = { body, arg };

	if (nap_call(&work_pool, call_thing, &thing))
		sim_fail("nap_call() fails");
}

/* ---- loops */

static int range(size_t begin, size_t end, void *arg)
{
	(void)arg;
	for (size_t i = begin; i < end; i++)
		loop_body(i);
	return 0;
}

void work_loop(uint64_t n)
{
	if (nap_for(&work_pool, 0, n, range, NULL))
		sim_fail("nap_for() fails");
}

static int add(size_t begin, size_t end, void *value, void *arg)
{
	uint64_t *sum = value;

	(void)arg;
	for (size_t i = begin; i < end; i++)
		*sum += loop_value(i);
	return 0;
}

static void merge(void *value, const void *right, void *arg)
{
	(void)arg;
	*(uint64_t *)value += *(const uint64_t *)right;
}

uint64_t work_reduce(uint64_t n)
{
	static const uint64_t nothing;
	const struct nap_reduction sums = { sizeof(nothing), add, merge, &nothing };
	uint64_t sum = 0;

	if (nap_reduce(&work_pool, NULL, 0, n, &sums, &sum, NULL))
		sim_fail("nap_reduce() fails");
	return sum;
}

void work_sort(uint32_t *numbers, uint64_t n)
{
	if (nap_sort(&work_pool, numbers, n, sizeof(*numbers), work_compare, NULL))
		sim_fail("nap_sort() fails");
}

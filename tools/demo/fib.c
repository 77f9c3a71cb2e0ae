/* SPDX-License-Identifier: MIT */
/*
 * nap-demo fib: Fibonacci numbers by their recurrence, a fork in every call. There is nothing to
 * do but to fork, so the time is the cost of forks and joins. For comparison the same function
 * runs without forks, from the same compiler with the same flags.
 */
#include "demo.h"
#include "fib_forks.h"

#include <stdio.h>

struct fib_run {
	struct run run;
	uint64_t n;
	uint64_t result;
};

static uint64_t called(uint64_t n)
{
	uint64_t other;

	if (n < 2)
		return n;
	other = called(n - 2);
	return called(n - 1) + other;
}

static int work_forked(struct run *run, struct nap_worker *worker)
{
	struct fib_run *of = nap_container_of(run, struct fib_run, run);

	of->result = (uint64_t)fib(worker, nap_top(worker), (long)of->n);
	return 0;
}

static int work_called(struct run *run, struct nap_worker *worker)
{
	struct fib_run *of = nap_container_of(run, struct fib_run, run);

	(void)worker;
	of->result = called(of->n);
	return 0;
}

/* Checks the result by additions, which compute the same number. */
static bool right(const struct run *run)
{
	const struct fib_run *of = nap_container_of(run, const struct fib_run, run);
	uint64_t a = 0, b = 1;

	for (uint64_t n = of->n; n; n--) {
		b += a;
		a = b - a;
	}
	return of->result == a;
}

/* Compares CPU times, which do not include other processes. */
static void report_serial(const struct run *one, const struct run *serial)
{
	double ratio = serial->cpu ? (double)one->cpu / (double)serial->cpu : 1;

	printf("the same without forks: %.3f s, %.3f s of CPU; "
	       "one worker takes %.2f times as much CPU\n",
	       (double)serial->wall / 1e9, (double)serial->cpu / 1e9, ratio);
}

int cmd_fib(const struct options *options, uint64_t n)
{
	struct fib_run many = { .run = { .work = work_forked, .right = right }, .n = n };
	struct fib_run one = many;
	struct fib_run serial = { .run = { .work = work_called, .right = right }, .n = n };
	char what[32], buf[32];
	int status;

	snprintf(what, sizeof(what), "fib(%u)", (unsigned)n);
	status = run_twice(&many.run, &one.run, options, what);
	if (!status) {
		snprintf(what, sizeof(what), "fib(%u) without forks", (unsigned)n);
		status = run_checked(&serial.run, options, 1, what);
	}
	if (!status) {
		printf("fib(%u) = %s; all three results are right\n", (unsigned)n,
		       digits(one.result, buf));
		report_times(&many.run, &one.run);
		report_serial(&one.run, &serial.run);
		report_runs(options, &many.run, &one.run);
	}
	run_free(&many.run);
	run_free(&one.run);
	run_free(&serial.run);
	return status;
}

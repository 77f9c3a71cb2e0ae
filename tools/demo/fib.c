// SPDX-License-Identifier: MIT
/*
 * nap-demo fib: Fibonacci numbers by their recurrence, a fork in every call. There is nothing to do
 * but to fork, so the time is what a fork and a join cost. The same function without them, by the
 * same compiler with the same flags, says how much that is.
 */
#include "forks.h"

#include <inttypes.h>
#include <stdio.h>

/* Above it a call also looks whether it is to break off: about every millisecond. */
#define LOW 25

struct fib {
	struct forks forks;
	unsigned n;
	uint64_t result;
};

static inline uint64_t forked(struct nap_worker *worker, struct nap_frame *top, uint64_t n);
NAP_JOB(forked, uint64_t, uint64_t)

static __attribute__((noinline)) uint64_t node(struct nap_worker *worker, struct nap_frame *top,
					       uint64_t n)
{
	struct nap_frame *next = forked_fork(worker, top, n - 1);
	uint64_t other = forked(worker, next, n - 2);

	return other + forked_join(worker, top, n - 1);
}

/* What does not fork is no call: nap/fork.h. */
static inline uint64_t forked(struct nap_worker *worker, struct nap_frame *top, uint64_t n)
{
	return n < 2 ? n : node(worker, top, n);
}

static uint64_t called(uint64_t n)
{
	uint64_t other;

	if (n < 2)
		return n;
	other = called(n - 2);
	return called(n - 1) + other;
}

/* Entered by a call, so that nothing of the callers is compiled into them. */
static __attribute__((noinline)) uint64_t low_forked(struct nap_worker *worker,
						     struct nap_frame *top, uint64_t n)
{
	return forked(worker, top, n);
}

static __attribute__((noinline)) uint64_t low_called(uint64_t n)
{
	return called(n);
}

struct high {
	struct fib *fib;
	uint64_t n;
};

static uint64_t high_forked(struct nap_worker *worker, struct nap_frame *top, struct high term);
NAP_JOB(high_forked, uint64_t, struct high)

static uint64_t high_forked(struct nap_worker *worker, struct nap_frame *top, struct high term)
{
	struct high one = { term.fib, term.n - 1 }, other = { term.fib, term.n - 2 };
	struct nap_frame *next;
	uint64_t sum;

	if (term.n <= LOW)
		return low_forked(worker, top, term.n);
	if (forks_stopped(&term.fib->forks))
		return 0;
	next = high_forked_fork(worker, top, one);
	sum = high_forked(worker, next, other);
	return sum + high_forked_join(worker, top, one);
}

static uint64_t high_called(struct fib *fib, uint64_t n)
{
	if (n <= LOW)
		return low_called(n);
	return forks_stopped(&fib->forks) ? 0 : high_called(fib, n - 2) + high_called(fib, n - 1);
}

static void work(struct forks *forks, struct nap_worker *worker)
{
	struct fib *fib = nap_container_of(forks, struct fib, forks);

	if (forks->serial)
		fib->result = high_called(fib, fib->n);
	else
		fib->result = high_forked(worker, nap_top(worker), (struct high){ fib, fib->n });
}

/* By addition, to compare with. */
static uint64_t sum(unsigned n)
{
	uint64_t a = 0, b = 1, next;

	while (n--) {
		next = a + b;
		a = b;
		b = next;
	}
	return a;
}

/* Returns 0, or the exit status after saying why. */
static int fib_on(struct fib *fib, const struct options *options, unsigned workers)
{
	char what[16];
	int status;

	snprintf(what, sizeof(what), "fib(%u)", fib->n);
	fib->forks.work = work;
	status = forks_run(&fib->forks, options, workers, what);
	if (status || fib->result == sum(fib->n))
		return status;
	fprintf(stderr, "nap-demo: %s: the result on %u workers is wrong: %" PRIu64 "\n", what,
		workers, fib->result);
	return EXIT_FAILED;
}

/* Of CPU times: what others do on the machine meanwhile is not in them. */
static void report_serial(const struct run *one, const struct run *serial)
{
	double ratio = serial->cpu ? (double)one->cpu / (double)serial->cpu : 1;

	printf("the same without forks: %.3f s, %.3f s of CPU; "
	       "one worker takes %.2f times as much CPU\n",
	       (double)serial->wall / 1e9, (double)serial->cpu / 1e9, ratio);
}

int cmd_fib(const struct options *options, unsigned n)
{
	struct fib many = { .n = n }, one = { .n = n }, serial = { .n = n };
	char buf[32];
	int status;

	serial.forks.serial = true;
	status = fib_on(&many, options, options->workers);
	if (!status)
		status = fib_on(&one, options, 1);
	if (!status)
		status = fib_on(&serial, options, 1);
	if (!status) {
		printf("fib(%u) = %s; all three results are right\n", n, digits(one.result, buf));
		report_times(&many.forks.run, &one.forks.run);
		report_serial(&one.forks.run, &serial.forks.run);
		report_runs(options, &many.forks.run, &one.forks.run);
	}
	run_free(&many.forks.run);
	run_free(&one.forks.run);
	run_free(&serial.forks.run);
	return status;
}

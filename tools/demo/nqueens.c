/* SPDX-License-Identifier: MIT */
/*
 * nap-demo nqueens: counts the ways in which N queens can stand on a board of N by N squares so
 * that none attacks another, by fork and join: tools/works/queens_forks.h.
 */
#include "demo.h"
#include "queens_forks.h"

#include <stdio.h>

struct queens {
	struct run run;
	unsigned n;
	uint64_t result;
};

static int work(struct run *run, struct nap_worker *worker)
{
	struct queens *queens = nap_container_of(run, struct queens, run);

	queens->result = nqueens(worker, nap_top(worker), (struct board){ 0, 0, 0 }, queens->n,
				 queens->n);
	return 0;
}

static bool right(const struct run *run)
{
	const struct queens *queens = nap_container_of(run, const struct queens, run);

	return queens->result == queens_known[queens->n];
}

int cmd_nqueens(const struct options *options, uint64_t n)
{
	struct queens many = { .run = { .work = work, .right = right }, .n = (unsigned)n };
	struct queens one = many;
	char what[32], buf[32];
	int status;

	snprintf(what, sizeof(what), "nqueens(%u)", (unsigned)n);
	status = run_twice(&many.run, &one.run, options, what);
	if (!status) {
		printf("%s = %s; both results are right\n", what, digits(one.result, buf));
		report_times(&many.run, &one.run);
		report_runs(options, &many.run, &one.run);
	}
	run_free(&many.run);
	run_free(&one.run);
	return status;
}

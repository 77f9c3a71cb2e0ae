// SPDX-License-Identifier: MIT
/*
 * nap-demo sort: the quicksort of Zap's repository (blog branch, benchmarks/zig/qsort.zig): the
 * same numbers in the same order, Lomuto's partition on the last element, insertion sort up to 32.
 * By tasks, and by fork and join.
 */
#include "sort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns 0, or the exit status after saying that @a is not sorted. */
int sort_check(const int32_t *a, uint32_t n, unsigned workers)
{
	if (sort_verify(a, n))
		return 0;
	fprintf(stderr, "nap-demo: sort: the result on %u worker%s is wrong\n", workers,
		workers == 1 ? "" : "s");
	return EXIT_FAILED;
}

/* A signal while the numbers were shuffled. Returns the exit status. */
int sort_stopped_early(void)
{
	fprintf(stderr, "nap-demo: stopped by %s before the sort began\n", signals_name());
	return signals_status();
}

void sort_report(const struct options *options, const char *how, uint32_t n,
		 const struct run *many, const struct run *one)
{
	char buf[32];

	printf("%s numbers sorted twice %s; both results are right\n", digits(n, buf), how);
	report_times(many, one);
	report_runs(options, many, one);
}

int cmd_sort(const struct options *options, uint32_t n)
{
	int32_t *a = malloc(n * sizeof(*a));
	int status;

	if (!a) {
		report_error(ENOMEM);
		return EXIT_FAILED;
	}
	status = sort_tasks(options, a, n);
	if (!status) {
		putchar('\n');
		status = sort_forks(options, a, n);
	}
	free(a);
	return status;
}

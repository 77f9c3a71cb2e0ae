/* SPDX-License-Identifier: MIT */
/* Prints what a run cost and what its workers did. */
#include "demo.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How many lines of counters are printed without -v. */
#define COUNTERS_SHOWN 16

/* Writes 1234567 as 1,234,567. */
const char *digits(uint64_t n, char buf[static 32])
{
	char *p = buf + 31;
	int i = 0;

	*p = '\0';
	do {
		if (i && i % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + n % 10);
		n /= 10;
		i++;
	} while (n);
	return p;
}

static void report_no_workers(const struct run *run)
{
	char buf[32];

	if (run->stats.spawned || !run->stats.spawn_failures)
		return;
	printf("note: no worker could be started (%s); the main thread ran all %s tasks\n",
	       strerror(run->stats.spawn_last_errno), digits(run->stats.helped, buf));
}

static void times(const struct run *run)
{
	printf("%6u worker%s %11.3f s %11.3f s\n", run->workers, run->workers == 1 ? " " : "s",
	       (double)run->wall / 1e9, (double)run->cpu / 1e9);
}

void report_times(const struct run *many, const struct run *one)
{
	double speedup = one->wall && many->wall ? (double)one->wall / (double)many->wall : 1;

	printf("\n                        wall           CPU\n");
	times(many);
	times(one);
	printf("speed-up %.2f\n", speedup);
}

static void counters(const char *name, const struct nap_worker_stats *s)
{
	printf("%8s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64
	       " %11" PRIu64 " %10" PRIu64 "\n", name, s->run, s->stolen, s->overflowed, s->parked,
	       s->woken_idle, s->jobs_stolen, s->dozed);
}

static void report_counters(const struct run *run, bool verbose)
{
	unsigned n = verbose || run->nr_each <= COUNTERS_SHOWN ? run->nr_each : COUNTERS_SHOWN;
	char name[16];

	printf("\n%u worker%s at most, %u started, %" PRIu64 " tasks run by the main thread\n",
	       run->workers, run->workers == 1 ? "" : "s", run->stats.spawned,
	       run->stats.helped);
	if (run->stats.spawn_failures)
		printf("%u attempt%s to start a worker failed, the last with: %s\n",
		       run->stats.spawn_failures, run->stats.spawn_failures == 1 ? "" : "s",
		       strerror(run->stats.spawn_last_errno));
	printf("  worker        run     stolen overflowed     parked"
	       " woken_idle jobs_stolen      dozed\n");
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%u", i);
		counters(name, &run->each[i]);
	}
	if (n < run->nr_each)
		printf("     ... %u more; -v shows them\n", run->nr_each - n);
	counters("all", &run->stats.workers);
}

void report_runs(const struct options *options, const struct run *many, const struct run *one)
{
	report_no_workers(many);
	report_counters(many, options->verbose);
	report_counters(one, options->verbose);
}

/* Prints the error. Returns the exit status. */
int report_error(int error)
{
	fprintf(stderr, "nap-demo: %s; there is no result\n", strerror(error));
	return EXIT_FAILED;
}

/* Prints the signal, and what it has interrupted. Returns the exit status. */
int report_stopped(const char *format, ...)
{
	int sig = (int)run_stop;
	va_list args;

	fprintf(stderr, "nap-demo: stopped by %s", sig == SIGTERM ? "SIGTERM" : "SIGINT");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_SIGNAL + sig;
}

static int shown;	/* atomic: length of the line of progress on the terminal */

/* Shows one line of progress on the terminal; nothing when stderr is no terminal. */
void report_progress(const char *line)
{
	int was = __atomic_exchange_n(&shown, (int)strnlen(line, 78), __ATOMIC_RELAXED);

	/* Overwrites the line before. A line is cut so that it never wraps at 80 columns. */
	if (isatty(STDERR_FILENO) && (*line || was))
		dprintf(STDERR_FILENO, "\r%-*.78s\r%.78s", was, line, line);
}

/*
 * Prints a line on stderr that stays. Called by any thread. Uses write(2), because stdio needs 8
 * KiB of stack.
 */
void report_line(const char *line, size_t len)
{
	report_progress("");
	while (len) {
		ssize_t n = write(STDERR_FILENO, line, len);

		if (n <= 0)
			return;
		line += n;
		len -= (size_t)n;
	}
}

/* Returns @status, or a failure if output could not be written. */
int report_flush(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	perror("nap-demo: standard output");
	return status ? status : EXIT_FAILED;
}

/* SPDX-License-Identifier: MIT */
/*
 * The result of the run: every task is accounted for, the memory has not grown, and no thread is
 * left.
 *
 * RSS may grow by RSS_BOUND after the first round. From then on the soak itself allocates nothing.
 * More of the workers' stacks is touched when waits are nested deeper (at most one level for each
 * waiting task, well under 64 KiB for each worker), and the libc keeps the stacks of ended threads.
 * One lost byte for each task would be 1 GB in a full run, and one lost page for each joined pool
 * hundreds of megabytes. Mapped memory may grow by MAPPED_BOUND, which is 64 MiB more, because the
 * libc keeps 40 MiB of stacks. If each join leaked a stack or a record, the growth would be larger.
 *
 * RSS and mapped memory are not judged under an emulator or a sanitizer, because their own memory
 * counts as the process's.
 */
#include <dirent.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "idle/protocols.h"
#include "soak.h"

#define RSS_BOUND	4096	/* KiB */
#define MAPPED_BOUND	(RSS_BOUND + 65536)
#define SETTLE_STEPS	1000

struct report soak_report;

static int count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

void process_read(struct process *process)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long mapped = 0, rss = 0, page = sysconf(_SC_PAGESIZE) / 1024;

	if (!file || fscanf(file, "%ld %ld", &mapped, &rss) != 2)
		soak_fault("/proc/self/statm cannot be read", 0);
	if (file)
		fclose(file);
	*process = (struct process){ rss * page, mapped * page, count_threads() };
}

void process_settle(struct process *process, int threads)
{
	process_read(process);
	for (int i = 0; i < SETTLE_STEPS && process->threads > threads; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
		process_read(process);
	}
}

/* Whether all memory of the process is the program's own. */
static bool memory_counts(void)
{
#ifdef NAP_TEST_EMULATED
	return false;
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return false;
#elif defined(__has_feature)
	return !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
	return true;
#endif
}

struct row {
	uint64_t offered, run, refused, returned, wrong;
};

static long lost(const struct row *row)
{
	return (long)(row->offered - row->run - row->refused - row->returned);
}

static bool row_good(const struct row *row, bool ends)
{
	return row->offered && !lost(row) && !row->wrong &&
	       (ends || (!row->refused && !row->returned));
}

static void row_print(const char *start, const char *name, const struct row *row)
{
	printf("%s%-28s %14lu %14lu %9lu %9lu %6ld %6lu\n", start, name,
	       (unsigned long)row->offered,
	       (unsigned long)row->run, (unsigned long)row->refused, (unsigned long)row->returned,
	       lost(row), (unsigned long)row->wrong);
}

#define SOAK_IDLE_NAME(NAME, name) [NAP_IDLE_##NAME] = #name,
const char *const soak_idle_names[] = { IDLE_PROTOCOLS(SOAK_IDLE_NAME, SOAK_IDLE_NAME) };

static bool judge(const struct soak_options *options, bool good, int nr, const char *what)
{
	if (options->ktap)
		printf("%s %d %s\n", good ? "ok" : "not ok", nr, what);
	else if (!good)
		printf("FAILED: %s\n", what);
	return good;
}

static bool print_process(const struct soak_options *options)
{
	const struct report *r = &soak_report;
	const char *start = options->ktap ? "# " : "";
	const char *note = !memory_counts() ? " (not judged: not the program's alone)" :
			   r->rounds < 2 ? " (not judged: a single round)" : "";
	bool rss = r->after.rss - r->warm.rss <= RSS_BOUND;
	bool mapped = r->after.mapped - r->warm.mapped <= MAPPED_BOUND;
	bool good;

	printf("%sRSS     %ld KiB at start, %ld after the first round, %ld at the end%s\n", start,
	       r->before.rss, r->warm.rss, r->after.rss, note);
	printf("%smapped  %ld KiB at start, %ld after the first round, %ld at the end%s\n", start,
	       r->before.mapped, r->warm.mapped, r->after.mapped, note);
	printf("%sthreads %d at start, %d after the first round, %d at the end\n", start,
	       r->before.threads, r->warm.threads, r->after.threads);
	good = judge(options, !memory_counts() || (rss && mapped), NR_SHAPES + 1, "memory is flat");
	return judge(options, r->after.threads <= r->before.threads, NR_SHAPES + 2,
		     "no thread is left") && good;
}

bool report_print(const struct soak_options *options)
{
	const char *start = options->ktap ? "# " : "";
	struct row all = { 0 };
	struct tally sum;
	bool good = true;

	tally_sum(&sum);
	if (options->ktap)
		printf("TAP version 13\n1..%d\n", NR_SHAPES + 3);
	printf("%s%-28s %14s %14s %9s %9s %6s %6s\n", start, "shape", "scheduled", "run", "refused",
	       "returned", "lost", "wrong");
	for (int i = 0; i < NR_SHAPES; i++) {
		struct row row = { sum.offered[i], sum.run[i], sum.refused[i], sum.returned[i],
				   sum.wrong[i] };

		row_print(start, soak_shapes[i].name, &row);
		good &= judge(options, row_good(&row, soak_shapes[i].ends), i + 1,
			      soak_shapes[i].name);
		all = (struct row){ all.offered + row.offered, all.run + row.run,
				    all.refused + row.refused, all.returned + row.returned,
				    all.wrong + row.wrong };
	}
	row_print(start, "all", &all);
	good &= print_process(options);
	good &= judge(options, !soak_report.faults, NR_SHAPES + 3,
		      "every call said what it should");
	printf("%s%lu rounds, %lu pools joined, 2 x %u workers, %s; %.1f s, %.0f tasks/s\n", start,
	       soak_report.rounds, soak_report.pools + 2, options->workers,
	       soak_idle_names[options->idle ? options->idle : NAP_IDLE_FIRST], soak_report.seconds,
	       (double)all.run / soak_report.seconds);
	return good;
}

/* SPDX-License-Identifier: MIT */
/* Compares two traces, of before and after a change: figures beside each other. */
#include <stdlib.h>
#include <string.h>

#include "file/memory.h"
#include "file/raw.h"
#include "report/parts.h"

static double ratio(int64_t before, int64_t after)
{
	return before > 0 ? (double)after / (double)before : 0;
}

static void row(FILE *to, const char *name, int64_t before, int64_t after)
{
	char text[2][TIME_TEXT];

	fprintf(to, "    %-18s %10s %10s", name, time_text(before, text[0]),
		time_text(after, text[1]));
	if (before > 0)
		fprintf(to, "  x %.2f", ratio(before, after));
	fputc('\n', to);
}

static void count_row(FILE *to, const char *name, uint64_t before, uint64_t after)
{
	fprintf(to, "    %-18s %10llu %10llu", name, (unsigned long long)before,
		(unsigned long long)after);
	if (before)
		fprintf(to, "  x %.2f", (double)after / (double)before);
	fputc('\n', to);
}

static void compare_function(FILE *to, const char *name, const struct function *before,
			     const struct function *after)
{
	fprintf(to, "\n%s\n", name);
	count_row(to, "times", before->runs.nr + before->cut, after->runs.nr + after->cut);
	row(to, "ran in all", before->runs.total, after->runs.total);
	row(to, "ran, p50", times_at(&before->runs, 50), times_at(&after->runs, 50));
	row(to, "ran, p99", times_at(&before->runs, 99), times_at(&after->runs, 99));
	row(to, "ran longest", times_at(&before->runs, 100), times_at(&after->runs, 100));
	if (!before->waits.nr && !after->waits.nr)
		return;
	row(to, "waited, p50", times_at(&before->waits, 50), times_at(&after->waits, 50));
	row(to, "waited, p99", times_at(&before->waits, 99), times_at(&after->waits, 99));
	row(to, "waited longest", times_at(&before->waits, 100), times_at(&after->waits, 100));
}

/* Finds the function by its name, because its address differs from run to run. */
static const struct function *same(const struct trace *trace, const struct figures *figures,
				   const char *name)
{
	for (size_t i = 0; i < figures->nr_functions; i++)
		if (function_ran(&figures->function[i]) &&
		    !strcmp(trace->names.name[i].function, name))
			return &figures->function[i];
	return NULL;
}

static struct use sum(const struct trace *trace, const struct figures *figures)
{
	struct use all = { 0 };

	for (size_t i = 0; i < figures->nr_lanes; i++) {
		const struct use *use = &figures->use[i];

		if (trace->lane[i].kind != LANE_WORKER)
			continue;
		time_add(&all.running, use->running);
		time_add(&all.parked, use->parked);
		all.tasks += use->tasks;
		all.jobs += use->jobs;
		all.stolen += use->stolen;
		all.parks += use->parks;
		all.woken += use->woken;
		all.in_vain += use->in_vain;
	}
	return all;
}

static void compare_workers(FILE *to, const struct use *before, const struct use *after)
{
	fprintf(to, "\nall workers\n");
	row(to, "ran", before->running, after->running);
	row(to, "slept", before->parked, after->parked);
	count_row(to, "tasks", before->tasks, after->tasks);
	count_row(to, "jobs", before->jobs, after->jobs);
	count_row(to, "stolen tasks", before->stolen, after->stolen);
	count_row(to, "parks", before->parks, after->parks);
	count_row(to, "woken for work", before->woken, after->woken);
	count_row(to, "empty wake-ups", before->in_vain, after->in_vain);
}

static void print_missing(FILE *to, const char *which, const struct trace *trace)
{
	char missing[MISSING_TEXT], more[MISSING_TEXT];

	if (trace->whole.missing)
		fprintf(to,
			"%s: all is as far as a track has it; waited: of what was scheduled %s%s\n",
			which, missing_text(trace, trace->whole.from, missing),
			more_text(trace, more));
}

void report_compare(FILE *to, const struct trace *before, const struct trace *after)
{
	static const struct function never;
	struct figures old, new;
	struct use of_old, of_new;

	figures_make(&old, before);
	figures_make(&new, after);
	of_old = sum(before, &old);
	of_new = sum(after, &new);
	fprintf(to, "before: %s\nafter:  %s\n", before->raw->path, after->raw->path);
	print_missing(to, "before", before);
	print_missing(to, "after", after);
	fputc('\n', to);
	fprintf(to, "    %-18s %10s %10s\n", "", "before", "after");
	row(to, "length", before->end, after->end);
	compare_workers(to, &of_old, &of_new);
	for (size_t i = 0; i < old.nr_functions; i++) {
		const char *name = before->names.name[i].function;
		const struct function *other = same(after, &new, name);

		if (function_ran(&old.function[i]))
			compare_function(to, name, &old.function[i], other ? other : &never);
	}
	for (size_t i = 0; i < new.nr_functions; i++)
		if (function_ran(&new.function[i]) &&
		    !same(before, &old, after->names.name[i].function))
			compare_function(to, after->names.name[i].function, &never,
					 &new.function[i]);
	figures_free(&old);
	figures_free(&new);
}

/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "file/memory.h"
#include "file/raw.h"
#include "report/parts.h"

static const char *place(const struct trace *trace, uint32_t index, char *text, size_t size)
{
	const struct name *name = &trace->names.name[index];

	if (!name->file)
		return "";
	snprintf(text, size, "%s:%u", basename(name->file), name->line);
	return text;
}

static void print_head(FILE *to, const struct trace *trace)
{
	static const char *const clocks[] = { "?", "CLOCK_MONOTONIC", "the time-stamp counter",
					      "cntvct", "rdtime" };
	const struct raw *raw = trace->raw;
	struct nap_trace_track totals = raw_totals(raw);
	char text[TIME_TEXT];

	fprintf(to, "pool \"%.*s\" of process %u, %.*s\n", (int)raw->name.length,
		raw->name.bytes, raw->head.pid, (int)raw->exe.length, raw->exe.bytes);
	fprintf(to, "%s by %s; %llu events", time_text(trace->end, text),
		clocks[raw->head.clock < 5 ? raw->head.clock : 0], (unsigned long long)totals.kept);
	if (totals.lost)
		fprintf(to, ", and %llu older ones that were overwritten",
			(unsigned long long)totals.lost);
	if (totals.dropped)
		fprintf(to, ", and %llu that were not written", (unsigned long long)totals.dropped);
	fprintf(to, "%s\n", raw->cut ? "; THE FILE IS CUT" : "");
	if (trace->nr_pauses)
		fprintf(to, "not traced for %s of it, in %zu pause%s: no figure is of that time\n",
			time_text(paused_between(trace, 0, trace->end), text), trace->nr_pauses,
			trace->nr_pauses == 1 ? "" : "s");
}

static void print_use(FILE *to, const struct trace *trace, const struct figures *figures)
{
	char name[LANE_NAME], known[TIME_TEXT], more[MISSING_TEXT];
	bool lost = has_lost(trace);

	fprintf(to, "\n%-22s %7s %7s %7s %9s %8s %8s %7s %7s %7s%s\n", "", "runs", "sleeps",
		"rest", "tasks", "jobs", "stolen", "parks", "wakes", "empty",
		lost ? "    known" : "");
	for (size_t i = 0; i < trace->nr_lanes; i++) {
		const struct use *use = &figures->use[i];
		int64_t time = trace->end - trace->lane[i].known -
			       paused_between(trace, trace->lane[i].known, trace->end);
		double all = time > 0 ? (double)time : 1;

		if (trace->lane[i].kind == LANE_FIBER)
			continue;
		fprintf(to, "%-22s %6.1f%% %6.1f%% %6.1f%% %9llu %8llu %8llu %7llu %7llu %7llu",
			lane_name(trace, &trace->lane[i], name), 100 * (double)use->running / all,
			100 * (double)use->parked / all,
			100 * ((double)time - (double)use->running - (double)use->parked) / all,
			(unsigned long long)use->tasks, (unsigned long long)use->jobs,
			(unsigned long long)use->stolen, (unsigned long long)use->parks,
			(unsigned long long)use->woken, (unsigned long long)use->in_vain);
		if (lost)
			fprintf(to, " %8s", time_text(time, known));
		fputc('\n', to);
	}
	if (lost)
		fprintf(to, "known: the time of which a track has the events; all else is of that "
			"time%s\n", more_text(trace, more));
}

/* ---- functions, the one that ran longest first */

static const struct figures *sorted_by;

static int by_total(const void *a, const void *b)
{
	int64_t x = sorted_by->function[*(const uint32_t *)a].runs.total;
	int64_t y = sorted_by->function[*(const uint32_t *)b].runs.total;

	return x > y ? -1 : x < y;
}

static void print_function(FILE *to, const struct trace *trace, const struct figures *figures,
			   uint32_t i, bool histograms)
{
	const struct function *function = &figures->function[i];
	const struct times *waits = &function->waits, *runs = &function->runs;
	char text[7][TIME_TEXT], at[48];

	fprintf(to, "%-28.28s %8zu %8s %8s %8s %8s %8s %8s %8s  %s\n",
		trace->names.name[i].function, runs->nr + (size_t)function->cut,
		time_text(runs->total, text[0]), time_text(times_at(runs, 50), text[1]),
		time_text(times_at(runs, 99), text[2]), time_text(times_at(runs, 100), text[3]),
		waits->nr ? time_text(times_at(waits, 50), text[4]) : "-",
		waits->nr ? time_text(times_at(waits, 99), text[5]) : "-",
		waits->nr ? time_text(times_at(waits, 100), text[6]) : "-",
		place(trace, i, at, sizeof(at)));
	if (!histograms)
		return;
	fprintf(to, "    running\n");
	times_histogram(to, runs, "    ");
	if (waits->nr)
		fprintf(to, "    waiting\n");
	times_histogram(to, waits, "    ");
}

static void print_functions(FILE *to, const struct trace *trace, const struct figures *figures,
			    const struct report_options *options)
{
	uint32_t *order = resize(NULL, figures->nr_functions, sizeof(*order));
	char missing[MISSING_TEXT], more[MISSING_TEXT];
	unsigned nr = 0;

	for (uint32_t i = 0; i < figures->nr_functions; i++)
		if (function_ran(&figures->function[i]))
			order[nr++] = i;
	sorted_by = figures;
	qsort(order, nr, sizeof(*order), by_total);
	fprintf(to, "\n%-28s %8s %8s %8s %8s %8s %8s %8s %8s\n", "", "", "ran", "", "", "",
		"waited", "", "");
	fprintf(to, "%-28s %8s %8s %8s %8s %8s %8s %8s %8s\n", "function", "times", "in all", "p50",
		"p99", "longest", "p50", "p99", "longest");
	for (unsigned i = 0; i < nr && i < options->most; i++)
		print_function(to, trace, figures, order[i], options->histograms);
	if (nr > options->most)
		fprintf(to, "... and %u more\n", nr - options->most);
	if (trace->whole.missing)
		fprintf(to, "waited: of what was scheduled %s%s\n",
			missing_text(trace, trace->whole.from, missing), more_text(trace, more));
	free(order);
}

void report_print(FILE *to, const struct trace *trace, const struct report_options *options)
{
	struct figures figures;

	figures_make(&figures, trace);
	print_head(to, trace);
	print_use(to, trace, &figures);
	print_functions(to, trace, &figures, options);
	print_longest(to, trace, options->most);
	print_pairs(to, trace, NAP_TRACE_WAKE, "wake-ups", "woke", options->most);
	print_pairs(to, trace, NAP_TRACE_STEAL, "stolen tasks", "stole from", options->most);
	print_gaps(to, trace, options);
	figures_free(&figures);
}

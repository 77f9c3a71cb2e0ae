/* SPDX-License-Identifier: MIT */
/* Verdicts, as lines of KTAP: whether a scenario came out as it says; and how many did. */
#include <stdlib.h>
#include <string.h>

#include "explore/strategy.h"
#include "graph/fatal.h"
#include "program/fault.h"
#include "program/ops.h"
#include "program/stop.h"
#include "program/verifier.h"
#include "report/findings.h"
#include "report/minimise.h"
#include "report/page.h"
#include "report/report.h"
#include "report/sarif.h"

struct totals totals;

static bool expects_fault(void)
{
	unsigned in = scenario->finds_in ? scenario->finds_in : ~0u;

	return scenario->finds && (in & search.model->bit);
}

/* Returns what was explored: "" for all, or " within ..." */
static const char *extent(void)
{
	static char all[160];
	int n = snprintf(all, sizeof(all), "%s", search.strategy->extent);

	if (unroll_was_met)
		n += snprintf(all + n, sizeof(all) - (size_t)n,
			      ", with at most %u turn%s of a loop", unroll, unroll == 1 ? "" : "s");
	if (nondet_was_met)
		snprintf(all + n, sizeof(all) - (size_t)n, ", with nondet values from %ld to %ld",
			 nondet_lowest, nondet_highest);
	return all;
}

/* Returns the text of the first finding, and how many others there are. */
static const char *all_found(void)
{
	static char text[600];
	int n = snprintf(text, sizeof(text), "%.500s", findings[0].text);

	if (nr_findings > 1)
		snprintf(text + n, sizeof(text) - (size_t)n, "; and %u other%s", nr_findings - 1,
			 nr_findings == 2 ? "" : "s");
	return text;
}

static bool all_expected(void)
{
	unsigned i = 0;

	while (i < nr_findings && strstr(findings[i].text, scenario->finds))
		i++;
	return i == nr_findings;
}

/* Whether the search came out as the scenario says; @what says how it came out. */
static bool as_expected(char *what, size_t size)
{
	if (result.outcome == UNDECIDED) {
		int n = snprintf(what, size, "undecided: %s", result.why);

		if (nr_findings)
			snprintf(what + n, size - (size_t)n, "; until then found: %s", all_found());
		return false;
	}
	if (nr_findings) {
		snprintf(what, size, "found: %s", all_found());
		return expects_fault() && all_expected();
	}
	if (result.outcome == FOUND_FAULT) {
		snprintf(what, size, "found: %s", fault.text);
		return expects_fault() && strstr(fault.text, scenario->finds);
	}
	if (!saw_access && !nothing_is_fine) {
		snprintf(what, size, "nothing was executed");
		return false;
	}
	if (!*extent() && never_stopped() >= 0) {
		snprintf(what, size, "T%d may stop, and never does", never_stopped());
		return false;
	}
	if (expects_fault()) {
		snprintf(what, size, "not found%s: %s", extent(), scenario->finds);
		return false;
	}
	if (scenario->exists) {
		snprintf(what, size, witnessed ? "allowed" : *extent() ? "not met%s" :
			 "forbidden", extent());
		return !!(scenario->allowed & search.model->bit) == !!witnessed;
	}
	snprintf(what, size, "no fault%s%s", extent(),
		 result.executions ? "" : ", and no execution is complete");
	return result.executions || nothing_is_fine;
}

/* Opens a file for counterexample @number. */
static FILE *open_trace(const char *folder, unsigned number, char path[512])
{
	char nth[16] = "";
	FILE *out;

	if (number > 1)
		snprintf(nth, sizeof(nth), ".%u", number);
	snprintf(path, 512, "%s/%s.%s%s.trace", folder, scenario->name, search.model->name, nth);
	out = fopen(path, "w");
	if (!out) {
		perror(path);
		leave(2);
	}
	return out;
}

static void close_trace(FILE *out, const char *path)
{
	fclose(out);
	printf("# saved in %s\n", path);
}

static void save_trace(const char *folder)
{
	char path[512];
	FILE *out = open_trace(folder, 1, path);

	trace_save(out);
	close_trace(out, path);
}

static void save_all_traces(const char *folder)
{
	for (unsigned i = 0; i < nr_findings; i++) {
		char path[512];
		FILE *out = open_trace(folder, i + 1, path);

		fputs(findings[i].trace, out);
		close_trace(out, path);
	}
}

/* Ends the program if the file could not be written. */
static void close_file(FILE *out, bool written, const char *path)
{
	if (out && written && !ferror(out) && !fclose(out))
		return;
	perror(path);
	leave(2);
}

/* Draws the first counterexample of all, and writes its page. */
static void save_first(const struct files *files)
{
	FILE *out;

	if (totals.drawn)
		return;
	totals.drawn = true;
	if (files->svg) {
		out = fopen(files->svg, "w");
		close_file(out, out && (nr_findings ? fputs(findings[0].svg, out) >= 0 :
					picture_save(out)), files->svg);
		printf("# drawn in %s\n", files->svg);
	}
	if (files->html) {
		out = fopen(files->html, "w");
		close_file(out, out && (nr_findings ? fputs(findings[0].html, out) >= 0 :
					(page_save(out), true)), files->html);
		printf("# explained in %s\n", files->html);
	}
}

/* Adds to the one line @what where a thread waits for ever, or where the search was given up. */
static void add_place(char *what, size_t size)
{
	struct place where[2];
	size_t n = strlen(what);

	if (!fault.pc || (result.outcome == FOUND_FAULT && !fault.waits))
		return;
	report_where(where);
	if (n < size)
		snprintf(what + n, size - n, ", at %s", where[0].line);
}

static void print_left_stuck(void)
{
	struct place where;

	places_of(&left_stuck_at, 1, &where);
	printf("# when the program ends: %s, at %s\n", left_stuck, where.line);
}

/* Whether a single recorded execution was run, which is always shown. */
static bool is_replay(void)
{
	return search.strategy == &strategy_replay && !nr_findings;
}

/* Adds to the file of --sarif what did not come out as the scenario says. */
static void add_to_sarif(const char *what)
{
	for (unsigned i = 0; i < nr_findings; i++)
		sarif_add(findings[i].sarif);
	if (result.outcome == UNDECIDED) {
		sarif_add_undecided(what);
	} else if (result.outcome == FOUND_FAULT && !nr_findings) {
		char *text = written(sarif_write);

		sarif_add(text);
		free(text);
	} else if (!nr_findings) {
		sarif_add_failure(what);
	}
}

static void print_minimised(bool quiet)
{
	char text[400];

	minimise_text(text, sizeof(text));
	if (*text && !quiet)
		printf("# minimised: %s\n", text);
}

void verdict_print(bool quiet, const struct files *files)
{
	char what[800];
	bool ok = as_expected(what, sizeof(what));
	bool shown = (result.outcome == FOUND_FAULT && !nr_findings) || result.within ||
		     is_replay();
	bool found = result.outcome == FOUND_FAULT || nr_findings;

	totals.tests++;
	totals.failed += !ok && result.outcome != UNDECIDED;
	totals.undecided += result.outcome == UNDECIDED;
	totals.executions += result.executions;
	totals.blocked += result.blocked;
	if (shown) {
		callers_find();
		add_place(what, sizeof(what));
	}
	if (shown && !quiet)
		report_print(stdout);
	print_minimised(quiet);
	if (!ok && files->sarif)
		add_to_sarif(what);
	if (!quiet)
		findings_print();
	if (found && files->trace && nr_findings)
		save_all_traces(files->trace);
	else if (found && files->trace)
		save_trace(files->trace);
	if (found || is_replay())
		save_first(files);
	printf("%s %u %s %s: %lu executions%s, %lu blocked, ", ok ? "ok" : "not ok", totals.tests,
	       scenario->name, search.model->name, result.executions, search.strategy->counted,
	       result.blocked);
	if (search.faulty)
		printf("%lu with a fault, ", result.faulty);
	if (search.distinct)
		printf("%lu distinct, ", result.distinct);
	printf("%.2f s: %s%s\n", result.seconds, what,
	       ok || result.outcome == UNDECIDED || scenario->exists || expects_fault() ? "" :
	       " (not expected)");
	if (*left_stuck)
		print_left_stuck();
	fflush(stdout);
}

int verdict_total(void)
{
	printf("# %u scenarios, %lu executions, %lu blocked, %u not as expected, %u undecided\n",
	       totals.tests, totals.executions, totals.blocked, totals.failed, totals.undecided);
	if (!totals.tests)
		fatal("nothing was executed");
	return totals.failed ? 1 : totals.undecided ? 3 : 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Which faults are different. Two faults are the same if they are of the same kind and at the same
 * lines of the source. (The kind is the beginning of the text, without numbers.) The threads, the
 * variables and the order of two places make no difference. The places of a dead-lock are those of
 * all threads that wait.
 *
 * The lines are found by another program, which takes long. So faults with the same addresses are
 * recognised before that.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "graph/mix.h"
#include "program/faults.h"
#include "program/ops.h"
#include "report/findings.h"
#include "report/page.h"
#include "report/report.h"
#include "report/sarif.h"

struct finding *findings;
unsigned nr_findings;

static struct alike { uint64_t sum; unsigned finding; } *alike;
static unsigned nr_alike;
static struct files with;
static unsigned number_of_run;

void findings_with(struct files files)
{
	with = files;
}

static void forget(struct finding *f)
{
	free(f->same_as);
	free(f->text);
	free(f->report);
	free(f->trace);
	free(f->svg);
	free(f->html);
	free(f->sarif);
}

void findings_clear(void)
{
	while (nr_findings)
		forget(&findings[--nr_findings]);
	nr_alike = 0;
}

/* ---- which findings are the same */

static uint64_t sum_of_fault(void)
{
	uint64_t sum = mix(fault.pc, fault.other_pc);

	for (const char *c = fault.text; *c; c++)
		sum = mix(sum, (unsigned char)*c);
	for (unsigned i = 0; i < MAX_CALLERS; i++)
		sum = mix(sum, fault.callers.pc[i]);
	for (unsigned t = 0; fault.waits && t < MAX_THREADS; t++) {
		char text[sizeof(fault.text)];
		uintptr_t pc;

		if (thread_is_stuck(t, text, sizeof(text), &pc))
			sum = mix(sum, pc);
	}
	return sum;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct place *)a)->line, ((const struct place *)b)->line);
}

/* Finds the fault's places, in the order of their names; returns how many there are. */
static unsigned find_places(struct place *place)
{
	unsigned nr = 0;

	if (!fault.waits) {
		report_where(place);
		nr = 2;
	}
	for (unsigned t = 0; fault.waits && t < MAX_THREADS; t++) {
		char text[sizeof(fault.text)];
		struct callers callers;
		uintptr_t pc;

		if (!thread_is_stuck(t, text, sizeof(text), &pc))
			continue;
		callers = event_callers(last_of(graph, t), pc);
		places_of_callers(&callers, 1, &place[nr++]);
	}
	qsort(place, nr, sizeof(*place), compare);
	return nr;
}

static char *what_is_common(void)
{
	struct place place[MAX_THREADS + 2];
	unsigned nr = find_places(place);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (const char *c = fault.text; *c && *c != ':'; c++)
		if (!isdigit((unsigned char)*c))
			fputc(*c, out);
	for (unsigned i = 0; i < nr; i++)
		fprintf(out, "\n%s", place[i].line);
	fclose(out);
	return text;
}

/* ---- what is written of a finding */

char *written(void (*write)(FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	write(out);
	fclose(out);
	return text;
}

static void write_text(FILE *out)
{
	struct place where[2];

	fprintf(out, "%s", fault.text);
	if (fault.behind_race)
		fprintf(out, " (behind a data race, whose consequence it may be)");
	if (!fault.waits)
		return;
	report_where(where);
	fprintf(out, ", at %s", where[0].line);
}

static void write_svg(FILE *out)
{
	picture_save(out);
}

static void describe(struct finding *f)
{
	f->events = run_executed();
	f->behind_race = fault.behind_race;
	f->text = written(write_text);
	f->report = written(report_print);
	f->trace = written(trace_save);
	f->svg = with.svg ? written(write_svg) : NULL;
	f->html = with.html ? written(page_save) : NULL;
	f->sarif = with.sarif ? written(sarif_write) : NULL;
}

static bool is_better(bool behind_race, unsigned events, const struct finding *than)
{
	if (behind_race != than->behind_race)
		return than->behind_race;
	return events < than->events;
}

static unsigned find(const char *same_as)
{
	unsigned i = 0;

	while (i < nr_findings && strcmp(findings[i].same_as, same_as))
		i++;
	return i;
}

void findings_add(struct finding f)
{
	unsigned i = find(f.same_as);

	if (i == nr_findings) {
		findings = realloc(findings, ++nr_findings * sizeof(*findings));
	} else {
		unsigned long times = f.times + findings[i].times;
		struct finding worse = f;

		if (is_better(f.behind_race, f.events, &findings[i])) {
			worse = findings[i];
		} else {
			f = findings[i];
		}
		forget(&worse);
		f.times = times;
	}
	findings[i] = f;
}

/*
 * Enters the execution that has just run, if its finding is new, or if it shows the finding better.
 */
static unsigned take_new(void)
{
	struct finding f = { 0 };
	unsigned i;

	callers_find();
	f.same_as = what_is_common();
	i = find(f.same_as);
	if (i < nr_findings && !is_better(fault.behind_race, fault.executed, &findings[i])) {
		free(f.same_as);
		return i;
	}
	describe(&f);
	if (i < nr_findings)
		f.last = findings[i].last;
	findings_add(f);
	return i;
}

/* Counts the execution, in which the fault may be met several times. */
static void count(struct finding *f)
{
	f->times += f->last != number_of_run;
	f->last = number_of_run;
}

static void take(void)
{
	uint64_t sum = sum_of_fault();
	unsigned i = 0;

	while (i < nr_alike && alike[i].sum != sum)
		i++;
	if (i < nr_alike &&
	    !is_better(fault.behind_race, fault.executed, &findings[alike[i].finding])) {
		count(&findings[alike[i].finding]);
		return;
	}
	if (i == nr_alike) {
		alike = realloc(alike, ++nr_alike * sizeof(*alike));
		alike[i].sum = sum;
	}
	alike[i].finding = take_new();
	count(&findings[alike[i].finding]);
}

void findings_take(void)
{
	struct fault all[MAX_MET];
	unsigned nr = nr_met, executed = run_executed();

	number_of_run = execution;
	memcpy(all, met, nr * sizeof(*all));
	for (unsigned i = 0; i < nr; i++) {
		fault = all[i];
		run_shorten(fault.executed);
		take();
		run_shorten(executed);
	}
}

void findings_print(void)
{
	for (unsigned i = 0; i < nr_findings; i++) {
		printf("%s", findings[i].report);
		printf("# fault %u of %u, in %lu execution%s%s\n", i + 1, nr_findings,
		       findings[i].times, findings[i].times == 1 ? "" : "s",
		       findings[i].behind_race ?
		       ", behind a data race, whose consequence it may be" : "");
	}
}

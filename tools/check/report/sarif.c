/* SPDX-License-Identifier: MIT */
/*
 * SARIF. A result for each fault that is not expected, at the line where it is, with the other
 * place as a related location, and with the execution as a code flow: a thread flow for each
 * thread, whose locations are numbered in the order of the table (executionOrder).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "explore/search.h"
#include "program/faults.h"
#include "program/scenario.h"
#include "program/threads.h"
#include "report/json.h"
#include "report/report.h"
#include "report/sarif.h"

static struct list {
	char *text;
	size_t size, taken;
	FILE *out;
} results, notes;

static FILE *next_of(struct list *list)
{
	if (!list->out)
		list->out = open_memstream(&list->text, &list->size);
	else
		fputs(",\n", list->out);
	return list->out;
}

/* ---- the rules: kinds of faults */

static const struct rule { const char *begins, *id, *about; } rules[] = {
	{ "data race", "data-race",
	  "Two accesses race: one writes, one is plain, neither happens before the other." },
	{ "assertion failed", "assertion-failed", "An assertion fails." },
	{ "dead-lock", "dead-lock", "Threads wait for ever." },
	{ "live-lock", "live-lock", "A thread spins for ever." },
	{ "use of", "use-of-memory",
	  "Memory is used that is freed, or not yet allocated, or destroyed." },
	{ "freed twice", "freed-twice", "Memory is freed twice." },
	{ "out of bounds", "out-of-bounds", "An access is out of the bounds of its object." },
	{ "access through", "wild-pointer", "An access is through NULL or a wild pointer." },
	{ "reads what", "unwritten", "Memory is read that nobody has written." },
	{ "leak", "leak", "Memory is neither freed nor pointed to." },
	{ "stack overflow", "stack-overflow", "A thread uses up its stack." },
	{ "the program ends", "status", "The program ends with another status than 0." },
	{ "", "fault", "A check fails, or something is used wrongly." },
};
#define NR_RULES (sizeof(rules) / sizeof(rules[0]))

static const char *rule_of(const char *text)
{
	unsigned i = 0;

	while (strncmp(text, rules[i].begins, strlen(rules[i].begins)))
		i++;
	return rules[i].id;
}

/* ---- a result */

static void write_place(FILE *out, const struct place *place, const char *text)
{
	const char *colon = strchr(place->line, ':');
	char *end = NULL;
	unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;
	unsigned long column = end && *end == ':' ? strtoul(end + 1, NULL, 10) : 0;
	const char *between = "";

	fputs("{ ", out);
	if (*place->path && line) {
		fputs("\"physicalLocation\": { \"artifactLocation\": { \"uri\": ", out);
		json_uri(out, place->path);
		fprintf(out, " }, \"region\": { \"startLine\": %lu", line);
		if (column)
			fprintf(out, ", \"startColumn\": %lu", column);
		fputs(" } }", out);
		between = ", ";
	}
	if (text) {
		fprintf(out, "%s\"message\": { \"text\": ", between);
		json_string(out, text);
		fputs(" }", out);
	}
	fputs(" }", out);
}

struct flow {
	FILE *out;
	unsigned thread, nr, nr_of_thread;
	struct callers callers[MAX_EVENTS];
	struct place *where;
};

static void count_step(const struct event *e, void *arg)
{
	struct flow *flow = arg;

	if (event_is_shown(e))
		flow->callers[flow->nr++] = event_callers(e, e->pc);
}

static void write_step(const struct event *e, void *arg)
{
	struct flow *flow = arg;
	char text[256];

	if (!event_is_shown(e))
		return;
	flow->nr++;
	if (e->thread != flow->thread)
		return;
	event_text(e, "", text, sizeof(text));
	fprintf(flow->out, "%s\n      { \"executionOrder\": %u, \"location\": ",
		flow->nr_of_thread++ ? "," : "", flow->nr);
	write_place(flow->out, &flow->where[flow->nr - 1], text);
	fputs(" }", flow->out);
}

/* Writes the threads that have a step. SARIF wants one location at least in each. */
static void write_threads(struct flow *flow)
{
	const char *between = "";

	for (unsigned t = 0; t < MAX_THREADS; t++) {
		char *text = NULL;
		size_t size;
		FILE *all = flow->out;

		flow->out = open_memstream(&text, &size);
		flow->thread = t;
		flow->nr = flow->nr_of_thread = 0;
		run_event_order(write_step, flow);
		fclose(flow->out);
		flow->out = all;
		if (flow->nr_of_thread) {
			fprintf(all, "%s\n    { \"id\": ", between);
			json_string(all, thread_name(t));
			fprintf(all, ", \"locations\": [%s ] }", text);
			between = ",";
		}
		free(text);
	}
}

static void write_flow(FILE *out)
{
	struct flow *flow = calloc(1, sizeof(*flow));

	flow->out = out;
	run_event_order(count_step, flow);
	if (flow->nr) {
		flow->where = calloc(flow->nr, sizeof(*flow->where));
		places_of_callers(flow->callers, flow->nr, flow->where);
		fputs(",\n  \"codeFlows\": [ { \"threadFlows\": [", out);
		write_threads(flow);
		fputs(" ] } ]", out);
		free(flow->where);
	}
	free(flow);
}

static void write_head(FILE *out, const char *text)
{
	char whole[700];

	snprintf(whole, sizeof(whole), "%s (%s under %s)", text, scenario->name,
		 search.model->name);
	fprintf(out, "{ \"ruleId\": \"%s\", \"level\": \"error\", \"message\": { \"text\": ",
		rule_of(text));
	json_string(out, whole);
	fputs(" }", out);
}

void sarif_write(FILE *out)
{
	struct place where[2];

	report_where(where);
	write_head(out, fault.text);
	if (*where[0].path) {
		fputs(",\n  \"locations\": [ ", out);
		write_place(out, &where[0], NULL);
		fputs(" ]", out);
	}
	if (fault.other_pc && *where[1].path) {
		fputs(",\n  \"relatedLocations\": [ ", out);
		write_place(out, &where[1], "the first of the two");
		fputs(" ]", out);
	}
	write_flow(out);
	fputs(" }", out);
}

/* ---- the file */

void sarif_add(const char *text)
{
	fputs(text, next_of(&results));
}

void sarif_add_failure(const char *text)
{
	FILE *out = next_of(&results);

	write_head(out, text);
	fputs(" }", out);
}

void sarif_add_undecided(const char *text)
{
	FILE *out = next_of(&notes);
	char whole[900];

	snprintf(whole, sizeof(whole), "%s (%s under %s)", text, scenario->name,
		 search.model->name);
	fputs("{ \"level\": \"error\", \"message\": { \"text\": ", out);
	json_string(out, whole);
	fputs(" } }", out);
}

void sarif_add_again(bool note, const char *text)
{
	fputs(text, next_of(note ? &notes : &results));
}

char *sarif_taken(bool of_notes)
{
	struct list *list = of_notes ? &notes : &results;
	const char *text;
	bool first = !list->taken;

	if (!list->out)
		return strdup("");
	fflush_unlocked(list->out);
	text = list->text + list->taken;
	list->taken = list->size;
	return strdup(first || !*text ? text : text + 2);	/* without ",\n" */
}

static const char *text_of(struct list *list)
{
	if (list->out)
		fclose(list->out);
	list->out = NULL;
	return list->text ? list->text : "";
}

int sarif_save(FILE *out, int status)
{
	fputs("{ \"version\": \"2.1.0\",\n"
	      "\"$schema\": \"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
	      "sarif-schema-2.1.0.json\",\n"
	      "\"runs\": [ { \"tool\": { \"driver\": { \"name\": \"nap-check\", \"rules\": [",
	      out);
	for (unsigned i = 0; i < NR_RULES; i++)
		fprintf(out, "%s\n{ \"id\": \"%s\", \"shortDescription\": { \"text\": \"%s\" } }",
			i ? "," : "", rules[i].id, rules[i].about);
	fprintf(out,
		" ] } },\n\"columnKind\": \"utf16CodeUnits\",\n"
		"\"invocations\": [ { \"executionSuccessful\": %s, \"exitCode\": %d,\n"
		"\"toolExecutionNotifications\": [ %s ] } ],\n",
		notes.out ? "false" : "true", status, text_of(&notes));
	fprintf(out, "\"results\": [\n%s ] } ] }\n", text_of(&results));
	return !ferror(out);
}

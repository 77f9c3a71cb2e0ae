/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/search.h"
#include "graph/fatal.h"
#include "program/outcome.h"
#include "program/scenario.h"
#include "report/findings.h"
#include "report/outcomes.h"
#include "report/report.h"

struct outcome_row *outcomes;
unsigned nr_outcomes;

void outcomes_clear(void)
{
	while (nr_outcomes) {
		struct outcome_row *last = &outcomes[--nr_outcomes];

		free(last->text);
		free(last->trace);
	}
}

/* Returns where @text is in the sorted table, or is to be. */
static unsigned place_for(const char *text, bool *is_there)
{
	unsigned low = 0, high = nr_outcomes;

	*is_there = false;
	while (low < high) {
		unsigned middle = (low + high) / 2;
		int order = strcmp(text, outcomes[middle].text);

		if (!order) {
			*is_there = true;
			return middle;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

void outcomes_add(struct outcome_row row)
{
	bool is_there;
	unsigned at = place_for(row.text, &is_there);

	if (is_there) {
		outcomes[at].executions += row.executions;
		free(row.text);
		free(row.trace);
		return;
	}
	outcomes = realloc(outcomes, (nr_outcomes + 1) * sizeof(*outcomes));
	memmove(&outcomes[at + 1], &outcomes[at], (nr_outcomes - at) * sizeof(*outcomes));
	nr_outcomes++;
	outcomes[at] = row;
}

void outcomes_take(void)
{
	struct outcome_row row = { .text = outcome_text(), .executions = 1 };
	bool is_there;

	if (!row.text)
		fatal("no memory for an outcome");
	place_for(row.text, &is_there);
	if (!is_there)
		row.trace = written(trace_save);
	outcomes_add(row);
}

static void save(const struct outcome_row *outcome, const char *folder)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s.%s.outcome-%u.trace", folder, scenario->name,
		 search.model->name, (unsigned)(outcome - outcomes) + 1);
	out = fopen(path, "w");
	if (!out || fputs(outcome->trace, out) < 0 || fclose(out)) {
		perror(path);
		leave(2);
	}
	printf("#      saved in %s\n", path);
}

void outcomes_print(const char *trace)
{
	bool whole = result.outcome == FOUND_NOTHING || search.faulty;

	if (nr_outcomes)
		printf("#      executions  outcome%s\n", whole ? "" : " (until the search ended)");
	for (unsigned i = 0; i < nr_outcomes; i++) {
		printf("# %3u  %10lu  %s\n", i + 1, outcomes[i].executions, outcomes[i].text);
		if (trace)
			save(&outcomes[i], trace);
	}
}

/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "graph/fatal.h"
#include "program/libc.h"
#include "program/ops.h"
#include "program/siblings_learnt.h"
#include "program/stop.h"
#include "program/verifier.h"
#include "report/findings.h"
#include "report/joined.h"
#include "report/outcomes.h"
#include "report/report.h"

struct found {
	unsigned long witnessed;
	uint32_t stopped;
	bool saw_access, unroll_was_met, nondet_was_met;
	char left_stuck[512];
	uintptr_t left_stuck_at;
	unsigned nr_findings, nr_outcomes;
};

static void write_string(FILE *out, const char *text)
{
	size_t size = text ? strlen(text) + 1 : 0;

	fwrite(&size, sizeof(size), 1, out);
	fwrite(text ? text : "", 1, size, out);
}

static void read_all(FILE *in, void *to, size_t size)
{
	if (size && fread(to, size, 1, in) != 1)
		fatal("what a part of the search has found is cut short");
}

/* Returns NULL if the string that was written was NULL. */
static char *read_string(FILE *in)
{
	char *text = NULL;
	size_t size;

	read_all(in, &size, sizeof(size));
	if (size) {
		text = malloc(size);
		if (!text)
			fatal("no memory for what a part of the search has found");
		read_all(in, text, size);
	}
	return text;
}

static void write_finding(FILE *out, const struct finding *f)
{
	fwrite(f, sizeof(*f), 1, out);
	write_string(out, f->same_as);
	write_string(out, f->text);
	write_string(out, f->report);
	write_string(out, f->trace);
	write_string(out, f->svg);
	write_string(out, f->html);
	write_string(out, f->sarif);
}

static void read_finding(FILE *in, struct finding *f)
{
	read_all(in, f, sizeof(*f));
	f->same_as = read_string(in);
	f->text = read_string(in);
	f->report = read_string(in);
	f->trace = read_string(in);
	f->svg = read_string(in);
	f->html = read_string(in);
	f->sarif = read_string(in);
}

void joined_write(FILE *out)
{
	struct found head = {
		.witnessed = witnessed, .stopped = stops_seen(0), .saw_access = saw_access,
		.unroll_was_met = unroll_was_met, .nondet_was_met = nondet_was_met,
		.left_stuck_at = left_stuck_at, .nr_findings = nr_findings,
		.nr_outcomes = nr_outcomes,
	};

	memcpy(head.left_stuck, left_stuck, sizeof(head.left_stuck));
	fwrite(&head, sizeof(head), 1, out);
	for (unsigned i = 0; i < nr_findings; i++)
		write_finding(out, &findings[i]);
	for (unsigned i = 0; i < nr_outcomes; i++) {
		fwrite(&outcomes[i].executions, sizeof(outcomes[i].executions), 1, out);
		write_string(out, outcomes[i].text);
		write_string(out, outcomes[i].trace);
	}
	siblings_write(out);
}

void joined_add(FILE *in)
{
	struct found head;

	read_all(in, &head, sizeof(head));
	witnessed += head.witnessed;
	stops_seen(head.stopped);
	saw_access |= head.saw_access;
	unroll_was_met |= head.unroll_was_met;
	nondet_was_met |= head.nondet_was_met;
	if (!*left_stuck) {
		memcpy(left_stuck, head.left_stuck, sizeof(head.left_stuck));
		left_stuck_at = head.left_stuck_at;
	}
	for (unsigned i = 0; i < head.nr_findings; i++) {
		struct finding f;

		read_finding(in, &f);
		findings_add(f);
	}
	for (unsigned i = 0; i < head.nr_outcomes; i++) {
		struct outcome_row row;

		read_all(in, &row.executions, sizeof(row.executions));
		row.text = read_string(in);
		row.trace = read_string(in);
		outcomes_add(row);
	}
	if (!siblings_read(in))
		fatal("what a part of the search has learnt is cut short");
}

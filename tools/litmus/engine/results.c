/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "read/read.h"
#include "seen/seen.h"
#include "show/show.h"

struct answering {
	FILE *out;
	struct text *file;
	const char *from;
	const struct seen *seen;	/* the section at hand */
};

static void print_member(FILE *out, const char *name, const char *value)
{
	fprintf(out, ",\"%s\":", name);
	if (value)
		json_string(out, value);
	else
		fputs("null", out);
}

static void print_states(FILE *out, const struct test *test, const struct counted_states *states)
{
	fputs(",\"states\":[", out);
	for (unsigned i = 0; i < states->nr; i++) {
		fprintf(out, "%s{\"count\":%" PRIu64 ",\"asked\":%d,\"state\":", i ? "," : "",
			states->state[i].count, states->state[i].asked);
		json_state(out, test, states->state[i].value);
		fputc('}', out);
	}
	fputc(']', out);
}

static void print_section(FILE *out, const struct seen *seen, const struct test *test)
{
	struct counted_states states;

	seen_states(&states, seen, test);
	fputs("{\"name\":", out);
	json_string(out, test->name);
	print_member(out, "text", seen->source->begin);
	print_member(out, "compiled", seen->compiled);
	print_member(out, "machine", seen->machine);
	print_member(out, "processor", seen->processor);
	print_member(out, "emulated", seen->emulated);
	fprintf(out, ",\"runs\":%" PRIu64 ",\"seconds\":%.6f,\"filtered\":%" PRIu64, seen->runs,
		seen->seconds, states.filtered);
	print_states(out, test, &states);
	fputc('}', out);
}

static void answer_tried(void *with)
{
	struct answering *answering = with;
	const char *comma = "";

	fputs("\"tests\":[", answering->out);
	for (;;) {
		answering->seen = NULL;
		answering->seen = seen_read(answering->file, &answering->from);
		if (!answering->seen)
			break;
		fputs(comma, answering->out);
		comma = ",";
		print_section(answering->out, answering->seen,
			      read_litmus(answering->seen->source));
	}
	if (!*comma)
		text_fail(answering->file, answering->file->begin, "expected results of a test");
	fputc(']', answering->out);
}

void answer_results(FILE *out, const char *source)
{
	struct arena arena = { 0 };
	struct text file = { .name = "results", .begin = source, .end = source + strlen(source),
			     .arena = &arena };
	char *made = NULL;
	size_t size = 0;
	struct answering answering = { .out = open_memstream(&made, &size), .file = &file,
				       .from = source };
	const struct text *wrong = text_try(answer_tried, &answering);

	fclose(answering.out);
	if (!wrong)
		fputs(made, out);
	else if (wrong != &file && answering.seen)
		answer_wrong_within(out, wrong, text_line(&file, answering.seen->at), 2);
	else
		answer_wrong(out, wrong);
	free(made);
	arena_free(&arena);
}

/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "compile/compile.h"
#include "read/read.h"
#include "tool/run.h"

struct reading_results {
	const struct options *options;
	struct text *file;
	const char *from;
	const struct seen *seen;
	/* of the section that is read now; errors refer to its text */
	struct arena arena;
	struct text text;
};

static void read_section(void *with)
{
	struct reading_results *reading = with;

	reading->seen = seen_read(reading->file, &reading->from);
	if (!reading->seen && reading->from == reading->file->begin)
		text_fail(reading->file, reading->from, "expected results of a test");
}

/*
 * Takes the compiler's name from the section, because the test is compiled again to show what was
 * run. The flags are not taken from there, but are the user's own: what a file says is not handed
 * to a shell.
 */
static void take_compiler(struct options *options, const struct seen *seen, char *name, size_t size)
{
	char message[256];
	struct target target;

	snprintf(name, size, "%.*s", (int)strcspn(seen->compiled, " "), seen->compiled);
	if (!target_named(&target, name, options->flags, message, sizeof(message)))
		text_fail(seen->file, seen->at, "%s", message);
	if (strcmp(target.name, seen->compiled))
		text_fail(seen->file, seen->at,
			  "it was compiled by %.60s: "
			  "expected --cflags with these flags, to compile it again",
			  seen->compiled);
	options->target[0] = name;
	options->nr_targets = 1;
}

/* Judges a section as the test that it contains would be judged. */
static void judge_section(void *with)
{
	struct reading_results *reading = with;
	struct options options = *reading->options;
	char target[64];

	reading->text = *reading->seen->source;
	reading->text.arena = &reading->arena;
	options.run.seen = reading->seen;
	if (reading->seen->compiled)
		take_compiler(&options, reading->seen, target, sizeof(target));
	run_parsed(&options, read_litmus(&reading->text));
}

void results_read(const struct options *options, struct text *file, unsigned *nr)
{
	struct reading_results reading = { .options = options, .file = file, .from = file->begin };
	const struct text *wrong;

	for (;;) {
		reading.seen = NULL;
		wrong = text_try(read_section, &reading);
		if (!wrong && !reading.seen)
			return;
		(*nr)++;
		if (!wrong)
			wrong = text_try(judge_section, &reading);
		if (wrong)
			refuse_run(wrong);
		arena_free(&reading.arena);
		if (!reading.seen)
			return;
	}
}

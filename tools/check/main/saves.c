/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "explore/processes.h"
#include "graph/fatal.h"
#include "main/options.h"
#include "main/saved.h"
#include "main/saves.h"
#include "program/knowledge.h"
#include "report/report.h"
#include "report/sarif.h"

static const char *scenario_name, *model_name;
static bool failed;

static void keep(const char *text, size_t size)
{
	failed |= !saved_keep(scenario_name, model_name, false, text, size);
}

static struct saving saving = {
	.keep = keep, .knowledge_write = knowledge_write, .knowledge_read = knowledge_read,
	.states = knowledge_states, .is_wrong = saved_is_wrong,
};

void saves_begin(void)
{
	saving.interval = options.save ? options.save_every : 1e9;
	if (options.resume)
		saved_load(options.resume);
	if (options.save)
		processes_note_signals();
}

struct saving *saves_of(const char *scenario, const struct model *model)
{
	bool finished;

	if (!options.save && !options.resume)
		return NULL;
	scenario_name = scenario;
	model_name = model->name;
	saving.resumed = saved_of(scenario, model->name, &finished, &saving.resumed_size);
	saving.is_open = false;
	return &saving;
}

/* ---- what was printed: totals, text, results and notes of --sarif, each with its size */

static void write_text(FILE *out, const char *text, size_t size)
{
	fprintf(out, "%zu\n", size);
	fwrite(text, 1, size, out);
}

static char *read_text(FILE *in)
{
	size_t size;
	char *text = NULL;

	if (fscanf(in, "%zu", &size) == 1 && fgetc(in) == '\n')
		text = calloc(size + 1, 1);
	if (!text || (size && fread(text, size, 1, in) != 1))
		saved_is_wrong("what it says of a scenario cannot be read");
	return text;
}

bool saves_are_finished(const char *scenario, const struct model *model)
{
	struct totals t;
	bool finished;
	size_t size;
	const char *saved = options.resume ? saved_of(scenario, model->name, &finished, &size) :
					     NULL;
	char *text;
	FILE *in;

	if (!saved || !finished)
		return false;
	in = fmemopen((void *)(uintptr_t)saved, size, "r");
	if (fscanf(in, "%u %u %u %lu %lu %u\n", &t.tests, &t.failed, &t.undecided, &t.executions,
		   &t.blocked, &t.drawn) != 6)
		saved_is_wrong("what it says of a scenario cannot be read");
	totals.tests += t.tests;
	totals.failed += t.failed;
	totals.undecided += t.undecided;
	totals.executions += t.executions;
	totals.blocked += t.blocked;
	totals.drawn |= t.drawn;
	text = read_text(in);
	fputs(text, stdout);
	free(text);
	for (unsigned notes = 0; notes < 2; notes++) {
		text = read_text(in);
		if (*text)
			sarif_add_again(notes, text);
		free(text);
		free(sarif_taken(notes));
	}
	fclose(in);
	return true;
}

static void keep_finished(const struct totals *before, const char *printed, size_t printed_size)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "%u %u %u %lu %lu %u\n", totals.tests - before->tests,
		totals.failed - before->failed, totals.undecided - before->undecided,
		totals.executions - before->executions, totals.blocked - before->blocked,
		totals.drawn);
	write_text(out, printed, printed_size);
	for (unsigned notes = 0; notes < 2; notes++) {
		char *added = sarif_taken(notes);

		write_text(out, added, strlen(added));
		free(added);
	}
	fclose(out);
	failed |= !saved_keep(scenario_name, model_name, true, text, size);
	free(text);
}

/* Whether only a bound or a signal has ended the search. */
static bool is_left(void)
{
	return saving.is_open || (result.outcome == UNDECIDED && search_met_bound());
}

/*
 * Prints into a file first. Redirects the descriptor, because the variable stdout is the program's,
 * too, and is restored when an execution is run again.
 */
static char *print_apart(void (*print)(void), size_t *size)
{
	int apart = memfd_create("nap-check", MFD_CLOEXEC), was = dup(STDOUT_FILENO);
	char *text;

	fflush_unlocked(stdout);
	if (apart < 0 || was < 0 || dup2(apart, STDOUT_FILENO) < 0)
		fatal("no memory for what is printed");
	print();
	fflush_unlocked(stdout);
	dup2(was, STDOUT_FILENO);
	close(was);
	*size = (size_t)lseek(apart, 0, SEEK_END);
	text = malloc(*size + 1);
	if (!text || pread(apart, text, *size, 0) != (ssize_t)*size)
		fatal("what was printed is lost");
	close(apart);
	fwrite(text, 1, *size, stdout);
	fflush_unlocked(stdout);
	return text;
}

void saves_verdict(void (*print)(void))
{
	struct totals before = totals;
	char *text;
	size_t size;

	if (!options.save) {
		print();
		return;
	}
	text = print_apart(print, &size);
	if (!is_left())
		keep_finished(&before, text, size);
	free(text);
}

bool saves_went_well(void)
{
	return !failed;
}

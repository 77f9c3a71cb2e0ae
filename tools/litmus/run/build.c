/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/plan.h"

static const char *const files[] = { "test.h", "threads.c", "threads.o", "lab", "said", "printed" };

/* A directory for the files of a run. It is removed at the end. */
struct workshop {
	const struct plan *plan;
	char directory[64];
};

static const char *path_of(const struct workshop *w, const char *file, char *buffer)
{
	sprintf(buffer, "%s/%s", w->directory, file);
	return buffer;
}

static void clear(struct workshop *w)
{
	char path[96];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		unlink(path_of(w, files[i], path));
	for (const struct program_file *file = program_files; file->name; file++)
		unlink(path_of(w, file->name, path));
	rmdir(w->directory);
}

static void fail(struct workshop *w, const char *what, const char *why)
{
	struct text *text = w->plan->test->text;

	clear(w);
	text_fail(text, text->begin, "%.100s: %.300s", what, why);
}

static void fail_saying(struct workshop *w, const char *tool)
{
	char line[300], path[96];

	text_first_error(path_of(w, "said", path), line, sizeof(line));
	fail(w, tool, line);
}

static FILE *create(struct workshop *w, const char *file)
{
	char path[96];
	FILE *out = fopen(path_of(w, file, path), "we");

	if (!out)
		fail(w, path, "it cannot be written");
	return out;
}

static void finish(struct workshop *w, FILE *out, const char *file)
{
	if (fclose(out))
		fail(w, file, "it cannot be written");
}

static void write_files(struct workshop *w)
{
	const struct plan *plan = w->plan;
	FILE *out;

	for (const struct program_file *file = program_files; file->name; file++) {
		out = create(w, file->name);
		fputs(file->text, out);
		finish(w, out, file->name);
	}
	if (plan->target) {
		out = create(w, "threads.c");
		emit_c(out, plan->test, plan->function, plan->nr_functions, plan->target->nap);
		finish(w, out, "threads.c");
	}
}

static int run(const struct workshop *w, const char *command, const char *to)
{
	char line[4600 + 2 * PATH_MAX];

	snprintf(line, sizeof(line), "cd %s && %s >%s 2>said", w->directory, command, to);
	return system(line);
}

void threads_command(const struct plan *plan, const char *root, char *command, size_t size)
{
	char tool[2048 + PATH_MAX];

	target_command(plan->target, root, tool, sizeof(tool));
	snprintf(command, size, "%s %s", tool, plan->machine->abi);
}

/* Compiles the threads as the judged object was compiled, in the workshop. */
static void compile_threads(struct workshop *w)
{
	const struct plan *plan = w->plan;
	char tool[2048 + 2 * PATH_MAX], command[4096 + 2 * PATH_MAX], root[PATH_MAX];

	if (!realpath(plan->options->root ? plan->options->root : ".", root))
		fail(w, plan->options->root, "there is no such directory");
	threads_command(plan, root, tool, sizeof(tool));
	snprintf(command, sizeof(command), "%s -o threads.o threads.c", tool);
	if (run(w, command, "/dev/null"))
		fail_saying(w, plan->target->name);
}

static void compile_files(struct workshop *w)
{
	const struct plan *plan = w->plan;
	const struct machine *machine = plan->machine;
	const char *cc = machine_is_host(machine) ? "gcc" : machine->cc;
	char command[4096];

	if (plan->target)
		compile_threads(w);
	cc = plan->options->cc ? plan->options->cc : cc;
	snprintf(command, sizeof(command), "%.1000s -std=gnu11 -O1 -fomit-frame-pointer -w "
		 "-pthread %s %s -o lab lab.c %s", cc, machine->flags,
		 machine_is_host(machine) ? "" : "-static", plan->target ? "threads.o" : "");
	if (run(w, command, "/dev/null"))
		fail_saying(w, cc);
}

static void run_program(struct workshop *w)
{
	const struct plan *plan = w->plan;
	const struct run_options *options = plan->options;
	const char *runner = options->runner ? options->runner :
		machine_is_host(plan->machine) ? "" : plan->machine->runner;
	char command[4096];
	int status;

	snprintf(command, sizeof(command),
		 "EMULATOR='%.60s' %.1000s ./lab runs=%llu seconds=%.3f%s", runner, runner,
		 (unsigned long long)options->runs, options->seconds, options->how);
	status = run(w, command, "printed");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGALRM)
		fail(w, "it has not ended", "does a loop wait for what does not come?");
	if (status)
		fail_saying(w, *runner ? runner : "the test's program");
}

/* Writes test.h, which was made in memory, so that a refused test leaves no directory. */
static void write_test(struct workshop *w, const char *text, size_t size)
{
	FILE *out;

	strcpy(w->directory, "/tmp/nap-litmus.XXXXXX");
	if (!mkdtemp(w->directory))
		text_fail(w->plan->test->text, w->plan->test->text->begin,
			  "no directory can be made in /tmp");
	out = create(w, "test.h");
	fwrite(text, 1, size, out);
	finish(w, out, "test.h");
}

struct text *build_and_run(struct plan *plan)
{
	struct text *printed = arena_alloc(plan->test->arena, sizeof(*printed));
	struct workshop w = { .plan = plan };
	char *text = NULL, path[96];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		text_fail(plan->test->text, plan->test->text->begin, "no memory");
	put_test(out, plan);
	fclose(out);
	write_test(&w, text, size);
	free(text);
	write_files(&w);
	compile_files(&w);
	run_program(&w);
	if (!text_load(printed, path_of(&w, "printed", path), plan->test->arena))
		fail(&w, path, "it cannot be read");
	clear(&w);
	return printed;
}

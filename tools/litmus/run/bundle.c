/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/plan.h"

#define MOST_TESTS	4096

struct bundle {
	char directory[PATH_MAX];
	const struct machine *machine;	/* of its first test; NULL: there is none yet */
	unsigned nr;
	struct {
		char name[80];		/* of its files, without .test.h */
		bool threads;		/* there is NAME.test.s, too */
	} test[MOST_TESTS];
};

static FILE *create(const struct bundle *bundle, const char *name, const char *suffix, char *path)
{
	snprintf(path, PATH_MAX, "%.3800s/%.100s%s", bundle->directory, name, suffix);
	return fopen(path, "we");
}

static bool write_texts(const struct bundle *bundle, char *path)
{
	for (const struct program_file *file = program_files; file->name; file++) {
		FILE *out = create(bundle, file->name, "", path);

		if (!out)
			return false;
		fputs(file->text, out);
		if (fclose(out))
			return false;
	}
	return true;
}

struct bundle *bundle_open(const char *directory, char *message, size_t size)
{
	struct bundle *bundle = calloc(1, sizeof(*bundle));
	char path[PATH_MAX];

	if (!bundle || strlen(directory) > 3800) {
		snprintf(message, size, "too long");
	} else if (mkdir(directory, 0777)) {
		snprintf(message, size, "%s", strerror(errno));
	} else {
		strcpy(bundle->directory, directory);
		if (write_texts(bundle, path))
			return bundle;
		snprintf(message, size, "%.200s cannot be written", path);
	}
	free(bundle);
	return NULL;
}

static bool is_taken(const struct bundle *bundle, const char *name)
{
	for (unsigned i = 0; i < bundle->nr; i++)
		if (!strcasecmp(bundle->test[i].name, name))
			return true;
	return false;
}

/*
 * Makes a file name from the test's name: it is unique, and has no character that make or a shell
 * would interpret.
 */
static void choose_name(struct bundle *bundle, const struct test *test)
{
	char *name = bundle->test[bundle->nr].name;
	size_t length;

	snprintf(name, sizeof(bundle->test->name), "%.60s", test->name);
	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && (p == name || !strchr("+-_.", *p)))
			*p = '_';
	length = strlen(name);
	for (unsigned i = 2; is_taken(bundle, name); i++)
		sprintf(name + length, "-%u", i);
}

static void write_header(const struct bundle *bundle, struct plan *plan)
{
	static const char *const macros[] = {
		[DIALECT_X86] = "__x86_64__", [DIALECT_AARCH64] = "__aarch64__",
		[DIALECT_RISCV] = "__riscv",
	};
	struct text *text = plan->test->text;
	char *made = NULL, path[PATH_MAX];
	size_t size;
	FILE *memory = open_memstream(&made, &size), *out;

	if (!memory)
		text_fail(text, text->begin, "no memory");
	put_test(memory, plan);
	fclose(memory);
	out = create(bundle, bundle->test[bundle->nr].name, ".test.h", path);
	if (!out)
		text_fail(text, text->begin, "%s: %s", path, strerror(errno));
	fprintf(out, "#ifndef %s\n#error \"this test is for %s\"\n#endif\n\n",
		macros[plan->machine->dialect], plan->machine->name);
	fwrite(made, 1, size, out);
	free(made);
	if (fclose(out))
		text_fail(text, text->begin, "%s: %s", path, strerror(errno));
}

/*
 * Writes the threads of a C test as assembly. It is made here, by the compiler whose instructions
 * are judged, so that the judged instructions are those that run.
 */
static void write_threads(struct bundle *bundle, const struct plan *plan)
{
	struct text *text = plan->test->text;
	char path[PATH_MAX], said[PATH_MAX], tool[2048 + PATH_MAX], root[PATH_MAX], line[300];
	char command[2048 + 5 * PATH_MAX];
	const char *name = bundle->test[bundle->nr].name;
	FILE *out = create(bundle, name, ".test.c", path);
	bool failed;

	if (!out || !realpath(plan->options->root ? plan->options->root : ".", root))
		text_fail(text, text->begin, "%s: %s", out ? plan->options->root : path,
			  strerror(errno));
	emit_c(out, plan->test, plan->function, plan->nr_functions, plan->target->nap);
	if (fclose(out))
		text_fail(text, text->begin, "%s: %s", path, strerror(errno));
	threads_command(plan, root, tool, sizeof(tool));
	snprintf(said, sizeof(said), "%.3800s/said", bundle->directory);
	snprintf(command, sizeof(command), "%s %s -S -o '%.*ss' '%s' 2>'%s'", tool,
		 strcmp(plan->target->compiler, "clang") ? "" : "-fno-addrsig",
		 (int)strlen(path) - 1, path, path, said);
	failed = system(command);
	text_first_error(said, line, sizeof(line));
	unlink(said);
	unlink(path);
	if (failed)
		text_fail(text, text->begin, "%s: %s", plan->target->name, line);
	bundle->test[bundle->nr].threads = true;
}

void bundle_add(struct bundle *bundle, struct test *test, const struct test *judged,
		const struct target *target, const struct run_options *options)
{
	struct plan *plan = arena_alloc(test->arena, sizeof(*plan));

	plan_begin(plan, test, judged, target, options);
	if (bundle->machine && bundle->machine != plan->machine)
		text_fail(test->text, test->text->begin,
			  "the bundle is for %s, and this test for %s", bundle->machine->name,
			  plan->machine->name);
	if (bundle->nr == MOST_TESTS)
		text_fail(test->text, test->text->begin, "more tests than %d", MOST_TESTS);
	choose_name(bundle, test);
	write_header(bundle, plan);
	if (target)
		write_threads(bundle, plan);
	bundle->machine = plan->machine;
	bundle->nr++;
}

static void put_head(FILE *out, const struct bundle *bundle, const struct run_options *options)
{
	const char *machine = bundle->machine ? bundle->machine->name : "no machine";

	fprintf(out,
		"# Litmus tests for %s, made by nap-litmus.\n#\n"
		"#\tmake\t\tcompiles them\n"
		"#\tmake run\truns each, and leaves what was seen in results.txt:\n"
		"#\t\t\tnap-litmus --results=results.txt\n#\n"
		"# HOW: seconds=60, runs=1000000, and what else nap-litmus(1) says of --how. "
		"RUNNER: an\n"
		"# emulator, as in make CC='%s-linux-gnu-gcc -static' RUNNER=qemu-%s run\n\n"
		"CC = cc\nCFLAGS = -O1\nARCH = %s\nHOW =",
		machine, machine, machine, bundle->machine ? bundle->machine->flags : "");
	if (options->runs)
		fprintf(out, " runs=%llu", (unsigned long long)options->runs);
	if (options->seconds > 0 || !options->runs)
		fprintf(out, " seconds=%g", options->seconds > 0 ? options->seconds : 10);
	fprintf(out, "%s\nRUNNER =\n\nPROGRAM =", options->how);
	for (const struct program_file *file = program_files; file->name; file++)
		fprintf(out, " %s", file->name);
	fputs("\nTESTS =", out);
	for (unsigned i = 0; i < bundle->nr; i++)
		fprintf(out, " \\\n\t%s.test", bundle->test[i].name);
	fputs("\n\n", out);
}

static void put_rules(FILE *out, const struct bundle *bundle)
{
	static const char run[] =
		"all: $(TESTS)\n\n"
		"run: all\n"
		"\t@rm -f results.new; failed=0; \\\n"
		"\tfor test in $(TESTS); do \\\n"
		"\t\techo \"$$test\" >&2; \\\n"
		"\t\tif EMULATOR='$(RUNNER)' $(RUNNER) ./$$test $(HOW) >one.new; "
		"then cat one.new >>results.new; \\\n"
		"\t\telse echo \"$$test has failed\" >&2; failed=1; fi; \\\n"
		"\tdone; \\\n"
		"\trm -f one.new; [ ! -f results.new ] || mv results.new results.txt; "
		"exit $$failed\n\n"
		"clean:\n\trm -f $(TESTS) results.txt\n\n"
		".PHONY: all run clean\n\n";

	fputs(run, out);
	for (unsigned i = 0; i < bundle->nr; i++) {
		const char *name = bundle->test[i].name, *s = bundle->test[i].threads ? name : "";

		fprintf(out,
			"%s.test: %s.test.h %s%s $(PROGRAM)\n\t$(CC) -std=gnu11 $(CFLAGS) $(ARCH) "
			"-fomit-frame-pointer -w -pthread -DTEST='\"%s.test.h\"' "
			"-o $@ lab.c %s%s\n",
			name, name, s, *s ? ".test.s" : "", name, s, *s ? ".test.s" : "");
	}
}

/* Removes what there is of a bundle that has got no test, so that its name is free again. */
static int leave_nothing(struct bundle *bundle)
{
	char path[PATH_MAX];

	for (const struct program_file *file = program_files; file->name; file++) {
		snprintf(path, PATH_MAX, "%.3800s/%.100s", bundle->directory, file->name);
		unlink(path);
	}
	rmdir(bundle->directory);
	free(bundle);
	return 0;
}

int bundle_close(struct bundle *bundle, const struct run_options *options, char *message,
		 size_t size)
{
	char path[PATH_MAX];
	int nr = (int)bundle->nr;
	FILE *out;

	if (!nr)
		return leave_nothing(bundle);
	out = create(bundle, "Makefile", "", path);
	if (out) {
		put_head(out, bundle, options);
		put_rules(out, bundle);
	}
	if (!out || fclose(out)) {
		snprintf(message, size, "%.200s cannot be written", path);
		nr = -1;
	}
	free(bundle);
	return nr;
}

/* SPDX-License-Identifier: MIT */
/* The common part of the files that make the program of a test. */
#ifndef NAP_LITMUS_PLAN_H
#define NAP_LITMUS_PLAN_H

#include "read/read.h"
#include "run/run.h"

struct machine {
	enum dialect dialect;
	const char *name;
	const char *cc, *runner;	/* for a machine that is not this one */
	const char *flags;
	const char *abi;		/* so that C tests link with the machine's libraries */
	const char *base;		/* candidates for the instance's address; or NULL */
	const char *fixed;		/* registers that no test can have */
};

/* Where the locations of an instance lie; the program's layouts are in the same order. */
enum layout { LAYOUT_LINES, LAYOUT_PACKED, LAYOUT_PAGES, NR_LAYOUTS };

struct plan {
	struct test *test;
	const struct test *judged;
	const struct target *target;	/* NULL: an assembly test */
	const struct machine *machine;
	const struct run_options *options;
	enum layout layout;
	unsigned offset[TEST_LOCATIONS], size[TEST_LOCATIONS];
	unsigned stride;		/* bytes from one instance to the next */
	unsigned nr_functions;
	struct function function[TEST_THREADS];
};

/* machine.c: fails if there is no machine; @isa NULL: the test is C. */
const struct machine *machine_for(struct test *test, const struct isa *isa);
bool machine_is_host(const struct machine *machine);
/* Whether @word is one of @words, which blanks separate. */
bool is_among(const char *word, const char *words);

/* result.c: begins the plan for a test. @target NULL: @test is assembly. */
void plan_begin(struct plan *plan, struct test *test, const struct test *judged,
		const struct target *target, const struct run_options *options);

/* layout.c */
void lay_out(struct plan *plan, enum layout layout);
/* Returns the location, or the first element of the array, of this name; -1: none. */
int location_named(const struct test *test, const char *begin, const char *end);
/* Writes a value as a C expression: a number, or the location's address in the instance. */
void put_value(FILE *out, const struct plan *plan, uint64_t value);

/* row.c: writes a part of a row for a C string. Labels become the thread's own. */
void put_text(FILE *out, const struct plan *plan, unsigned thread, const char *begin,
	      const char *end);
/* Writes the row's labels, and returns the position after them. */
const char *put_labels(FILE *out, const struct plan *plan, unsigned thread, const char *row);

/* x86.c: writes a row; @base: the register that leads to the instance. */
void put_x86_row(FILE *out, const struct plan *plan, unsigned thread, const char *row,
		 const char *base);

/* thread.c: writes role_0_1(), for thread 0 and layout 1 */
void put_thread(FILE *out, const struct plan *plan, unsigned thread);

/* program.c: writes test.h */
void put_test(FILE *out, struct plan *plan);

/* texts.c: the files that are the same for all tests. NULL after the last. */
struct program_file {
	const char *name, *text;
};
extern const struct program_file program_files[];

/* build.c: returns what the program has printed, in the test's arena. */
struct text *build_and_run(struct plan *plan);
/* Writes the command that compiles the threads of a C test, up to the file. */
void threads_command(const struct plan *plan, const char *root, char *command, size_t size);

#endif /* NAP_LITMUS_PLAN_H */

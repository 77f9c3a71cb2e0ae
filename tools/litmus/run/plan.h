/* SPDX-License-Identifier: MIT */
/* The common part of the files that make the program of a test. */
#ifndef NAP_LITMUS_PLAN_H
#define NAP_LITMUS_PLAN_H

#include "run/run.h"

struct machine {
	enum dialect dialect;
	const char *name;
	const char *cc, *runner;	/* for a machine that is not this one */
	const char *flags;
	const char *abi;		/* for C tests, so that they link with its libraries */
	const char *base;		/* registers that may lead to the instance; or NULL */
	const char *fixed;		/* registers that no test can have */
};

struct plan {
	struct test *test;
	const struct test *judged;
	const struct target *target;	/* NULL: an assembly test */
	const struct machine *machine;
	const struct run_options *options;
	unsigned offset[TEST_LOCATIONS], size[TEST_LOCATIONS];
	unsigned stride;		/* bytes from one instance to the next */
	unsigned nr_functions;
	struct function function[TEST_THREADS];
};

/* machine.c: fails if there is no machine. */
const struct machine *machine_for(struct test *test, const struct target *target);
bool machine_is_host(const struct machine *machine);
/* Whether @word is one of @words, which blanks separate. */
bool is_among(const char *word, const char *words);

/* layout.c */
void lay_out(struct plan *plan);
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

/* thread.c: writes role_0(), for thread 0 */
void put_thread(FILE *out, const struct plan *plan, unsigned thread);

/* program.c: writes test.h; and the texts of the files beside it. */
void put_test(FILE *out, const struct plan *plan);
extern const char program_lab[], program_table[];

/* build.c: returns what the program has printed, in the test's arena. */
struct text *build_and_run(const struct plan *plan);

/* result.c */
struct run_result *read_result(const struct plan *plan, const struct outcome *outcome,
			       struct text *printed);

#endif /* NAP_LITMUS_PLAN_H */

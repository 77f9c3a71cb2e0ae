/* SPDX-License-Identifier: MIT */
/*
 * Runs a test on this machine, often, and compares what was seen with what the model allows. What
 * runs of a C test is what was judged: its functions in a file of their own, by the same command.
 *
 *	machine.c	where a test can run, and what builds it
 *	layout.c	where an instance has its locations
 *	row.c, x86.c	the instructions of an assembly test, as a compiler's asm statement
 *	thread.c	a function for each thread
 *	program.c	the C file of all that; program/ has the part that all tests share
 *	build.c		compiles and runs it
 *	result.c	what it has printed, judged
 *	report.c	for readers
 */
#ifndef NAP_LITMUS_RUN_H
#define NAP_LITMUS_RUN_H

#include <stdio.h>

#include "compile/compile.h"
#include "search/search.h"

struct run_options {
	bool on;
	uint64_t runs;			/* instances; 0: until @seconds are over */
	double seconds;			/* 0: until @runs are done */
	const char *cc;			/* instead of the machine's; NULL */
	const char *runner;		/* the same: what an emulator is called by; NULL */
	const char *root;		/* of nap's tree */
};

struct run_state {
	uint64_t *value;
	uint64_t count;
	bool allowed;
	bool asked;			/* the question's proposition is true of it */
};

struct run_result {
	const struct test *test;	/* as it was judged; print_state() */
	const struct outcome *outcome;
	const char *machine;
	const char *runner;		/* NULL: its own processor has run it, no emulator */
	unsigned nr_threads, nr_cpus;
	unsigned nr_workers;		/* less than threads: these take turns */
	uint64_t runs;			/* that were done */
	uint64_t filtered;		/* of these, of no interest to the test's filter */
	uint64_t asked;			/* of these, such that the proposition is true */
	uint64_t forbidden;
	double seconds, cpu_seconds;
	unsigned nr_states;
	struct run_state *state;	/* in order of count, most often first */
	bool sure;			/* all that the model allows is known */
};

/*
 * @judged: @test, or what @target has made of it (NULL: it is assembly), of which @outcome is all
 * that is allowed. Memory of @test's arena. Fails by text_fail(): what cannot be run, by name.
 */
struct run_result *run_test(struct test *test, const struct test *judged,
			    const struct outcome *outcome, const struct target *target,
			    const struct run_options *options);

/* The machine that this is, "x86_64"; or a name that no target has. */
const char *run_host(void);

/* Whether something was seen that the model forbids. */
bool run_failed(const struct run_result *result);

/* report.c: a line a state, of allowed ones that were not seen too; and the line of the test. */
void print_run_states(FILE *out, const struct run_result *result);
void print_run(FILE *out, const struct run_result *result, const char *name, const char *model);

#endif /* NAP_LITMUS_RUN_H */

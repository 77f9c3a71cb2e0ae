/* SPDX-License-Identifier: MIT */
/*
 * Runs a test on this machine, often, and compares the observed states with those that the model
 * allows. Of a C test the judged code runs: its functions are a file of their own, compiled by the
 * same command.
 *
 *	machine.c	machines on which a test can run, and their compilers
 *	layout.c	the locations of an instance
 *	row.c, x86.c	the instructions of an assembly test, as a compiler's asm statement
 *	thread.c	a function for each thread
 *	program.c	the C file with all this; program/ has the part that all tests share
 *	texts.c		the files of program/
 *	build.c		compiles and runs it
 *	bundle.c	writes it into a directory, for another machine
 *	result.c	judges what it has printed
 *	report.c	prints the results
 */
#ifndef NAP_LITMUS_RUN_H
#define NAP_LITMUS_RUN_H

#include <stdio.h>

#include "compile/compile.h"
#include "search/search.h"
#include "seen/seen.h"

struct run_options {
	bool on;
	uint64_t runs;			/* number of instances; 0: until @seconds are over */
	double seconds;			/* 0: until @runs are done */
	const char *cc;			/* instead of the machine's compiler; or NULL */
	const char *runner;		/* instead of the machine's emulator; or NULL */
	const char *root;		/* of the tree of nap */
	char how[1024];			/* words for the program (program/how.h) */
	const struct seen *seen;	/* judge these results, and run nothing; or NULL */
};

struct run_result {
	const struct test *test;	/* the judged test, for print_state() */
	const struct outcome *outcome;
	const struct seen *seen;
	unsigned nr_threads;
	struct counted_states states;
	bool *allowed;			/* by states.state */
	uint64_t forbidden;
	bool sure;			/* all states that the model allows are known */
};

/*
 * Runs @judged, which is @test or what @target has made of it (NULL: @test is assembly). @outcome
 * is what the model allows. The result lies in @test's arena. Fails by text_fail(), and names what
 * cannot be run.
 */
struct run_result *run_test(struct test *test, const struct test *judged,
			    const struct outcome *outcome, const struct target *target,
			    const struct run_options *options);
/* Judges what was seen of @test before. Fails at the section's line if it is not of this test. */
struct run_result *run_result_of(const struct seen *seen, struct test *test,
				 const struct test *judged, const struct outcome *outcome);

/* Adds a word of program/how.h to the options. Returns NULL; or what was expected. */
const char *run_add_how(struct run_options *options, const char *word);

/*
 * A directory of C files with a Makefile, which run tests on a machine that has make and a C
 * compiler, and not this tool. All of its tests are of one machine.
 */
struct bundle;
/* Makes the directory. NULL: @message says why not. */
struct bundle *bundle_open(const char *directory, char *message, size_t size);
/* Adds a test, as run_test() runs it. Fails by text_fail(). */
void bundle_add(struct bundle *bundle, struct test *test, const struct test *judged,
		const struct target *target, const struct run_options *options);
/* Writes the Makefile. Returns the number of tests; -1: @message says what cannot be written. */
int bundle_close(struct bundle *bundle, const struct run_options *options, char *message,
		 size_t size);

/* Returns the name of this machine, "x86_64"; or a name that no target has. */
const char *run_host(void);

/* Whether a state was seen that the model forbids. */
bool run_failed(const struct run_result *result);

/* report.c: prints a line for each state, also for allowed states not seen; and the test's line. */
void print_run_states(FILE *out, const struct run_result *result);
void print_run(FILE *out, const struct run_result *result, const char *name, const char *model);

#endif /* NAP_LITMUS_RUN_H */

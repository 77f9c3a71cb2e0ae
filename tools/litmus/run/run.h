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
 *	build.c		compiles and runs it
 *	result.c	judges what it has printed
 *	report.c	prints the results
 */
#ifndef NAP_LITMUS_RUN_H
#define NAP_LITMUS_RUN_H

#include <stdio.h>

#include "compile/compile.h"
#include "search/search.h"

struct run_options {
	bool on;
	uint64_t runs;			/* number of instances; 0: until @seconds are over */
	double seconds;			/* 0: until @runs are done */
	const char *cc;			/* instead of the machine's compiler; or NULL */
	const char *runner;		/* instead of the machine's emulator; or NULL */
	const char *root;		/* of the tree of nap */
};

struct run_state {
	uint64_t *value;
	uint64_t count;
	bool allowed;
	bool asked;			/* the question's proposition holds in this state */
};

struct run_result {
	const struct test *test;	/* the judged test, for print_state() */
	const struct outcome *outcome;
	const char *machine;
	const char *runner;		/* NULL: run on this machine's processor, not an emulator */
	unsigned nr_threads, nr_cpus;
	unsigned nr_workers;		/* if fewer than the threads, the threads take turns */
	uint64_t runs;			/* done */
	uint64_t filtered;		/* of @runs, rejected by the test's filter */
	uint64_t asked;			/* of @runs, with the proposition true */
	uint64_t forbidden;
	double seconds, cpu_seconds;
	unsigned nr_states;
	struct run_state *state;	/* the most frequent first */
	bool sure;			/* all states that the model allows are known */
};

/*
 * Runs @judged, which is @test or what @target has made of it (NULL: @test is assembly). @outcome
 * is what the model allows. Memory of @test's arena. Fails by text_fail(), and names what cannot
 * be run.
 */
struct run_result *run_test(struct test *test, const struct test *judged,
			    const struct outcome *outcome, const struct target *target,
			    const struct run_options *options);

/* Returns the name of this machine, "x86_64"; or a name that no target has. */
const char *run_host(void);

/* Whether a state was seen that the model forbids. */
bool run_failed(const struct run_result *result);

/* report.c: prints a line for each state, also for allowed states not seen; and the test's line. */
void print_run_states(FILE *out, const struct run_result *result);
void print_run(FILE *out, const struct run_result *result, const char *name, const char *model);

#endif /* NAP_LITMUS_RUN_H */

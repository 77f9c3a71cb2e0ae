/* SPDX-License-Identifier: MIT */
/*
 * What a machine has seen of tests: the file that a bundle's `make run` leaves, and what the
 * program of --run prints. A section for each test:
 *
 *	nap-litmus results 1
 *	| C SB				the test, line by line
 *	compiled gcc:aarch64 -O2	of a C test: what made instructions of it
 *	machine aarch64
 *	processor Cortex-A72
 *	emulated no			or "by qemu-aarch64", or "on x86_64"
 *	cpus 4  workers 2  copies 2	a line each: CPUs, threads of the program, tests at a time
 *	affinity near cores		how CPUs were taken, in turn
 *	runs 1000000  seconds 1.5  cpu 2.9  lost 0
 *	parts 0:r0 1:r0			of a state
 *	state 17 0 0			how often it was seen, and its parts
 *	end
 *
 *	read.c		a section
 *	states.c	its states, as those of the test
 */
#ifndef NAP_LITMUS_SEEN_H
#define NAP_LITMUS_SEEN_H

#include "test/test.h"

struct seen_state {
	const char *at;			/* in the file */
	uint64_t count, *value;
};

struct seen {
	struct text *file;
	const char *at;			/* the section's first line */
	struct text *source;		/* the test */
	const char *compiled;		/* COMPILER:MACHINE and its flags; NULL: assembly */
	const char *machine, *processor, *affinity;
	const char *emulated;		/* "by qemu-aarch64"; NULL: it was not */
	unsigned nr_cpus, nr_workers, nr_copies;
	uint64_t runs, lost;
	double seconds, cpu_seconds;
	const char *parts, *parts_at;
	unsigned nr_parts, nr_states;
	struct seen_state *state;
};

/*
 * Reads the section at @from, and moves @from to the next one. NULL: there is none. The result lies
 * in the file's arena. Fails by text_fail(), at the line that is wrong.
 */
struct seen *seen_read(struct text *file, const char **from);

/* A final state of the test, and how often it was seen. */
struct counted {
	uint64_t *value, count;
	bool asked;			/* the question's proposition holds, or there is none */
};

struct counted_states {
	unsigned nr;
	struct counted *state;		/* the most frequent first */
	uint64_t filtered;		/* of the runs, rejected by the test's filter */
	uint64_t asked;			/* of the runs, with the proposition true */
};

/*
 * Finds the states of @test, which was read from seen->source or compiled from it. States that
 * differ only in what a filter reads are one. Fails if the parts are not those of @test.
 */
void seen_states(struct counted_states *states, const struct seen *seen, const struct test *test);

#endif /* NAP_LITMUS_SEEN_H */

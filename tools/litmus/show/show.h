/* SPDX-License-Identifier: MIT */
/* Prints results, for people and for programs. */
#ifndef NAP_LITMUS_SHOW_H
#define NAP_LITMUS_SHOW_H

#include <stdio.h>

#include "search/search.h"

/* value.c: a number as a question writes it: -1, 0, 3; a location's address as its name. */
const char *value_text(const struct test *test, uint64_t value, unsigned size, char *buffer,
		       size_t room);
/* Returns the size of the value that is shown, in bytes. */
unsigned observed_size(const struct test *test, const struct observed *what);
/* Returns "0:r0" or "[x]". */
const char *observed_text(const struct test *test, const struct observed *what, char *buffer,
			  size_t room);
/* Prints "0:r0=1; [x]=2;": by thread and register, then by location, in the order of names. */
void print_state(FILE *out, const struct test *test, const uint64_t *value);
const char *verdict_name(enum verdict verdict);

/*
 * csv.c: prints "file,model,verdict!flag!stuck!bounded,state | state"; @rules: NULL, or what may
 * flag.
 */
void print_csv(FILE *out, const char *file, const char *model, const struct test *test,
	       const struct rules *rules, const struct outcome *outcome);

/* event.c: prints "P0: R x = 1", and the line that it is from. */
void print_event(FILE *out, const struct test *test, const struct execution *x, unsigned event);
/* Prints the line of the instruction at @at, or its cell of a table, and the line's number. */
void print_source(FILE *out, const struct test *test, const char *at);
/* Returns the letter that stands for the event, 'a' and so on. Initial writes have none. */
const char *event_letter(const struct test *test, unsigned event, char *buffer);

/*
 * cycle.c: what breaks an axiom. For a cycle: its events in order, and the relation from each to
 * the next, from the last to the first. For an axiom that something is empty: its first member,
 * one event or two.
 */
struct cycle {
	const struct axiom *axiom;
	unsigned nr, event[MATRIX_EVENTS];
	char label[MATRIX_EVENTS][80];
	struct opened opened[MATRIX_EVENTS];	/* the steps of each relation */
};
void find_cycle(struct cycle *cycle, struct test *test, const struct rules *rules,
		const struct outcome *outcome);

/*
 * section.c: relates the begin of each critical section of RCU and SRCU to its end, as the model
 * pairs them.
 */
void find_sections(struct test *test, const struct rules *rules, const struct execution *x,
		   struct matrix *sections);
/* Returns "fence", or what a fence of RCU is. */
const char *fence_name(uint64_t tags);
/* If sections are on the cycle: prints these, the grace periods, and what is wrong with them. */
void print_grace(FILE *out, struct test *test, const struct rules *rules, const struct execution *x,
		 const struct cycle *cycle);

/* Returns the first state that satisfies the question (no question: the first); NULL: none. */
const struct state *state_asked_for(const struct test *test, const struct outcome *outcome);

/* why.c: prints an allowed execution; or a forbidden one, and the cycle that forbids it. */
void print_witness(FILE *out, const struct test *test, const struct state *state);
/* Prints which threads may wait for ever, "P0 (line 3), P1 (line 9)"; and an execution of it. */
void print_waiting(FILE *out, const struct test *test, const struct stuck *stuck);
void print_stuck(FILE *out, const struct test *test, const struct stuck *stuck);
void print_forbidden(FILE *out, struct test *test, const struct rules *rules,
		     const struct outcome *outcome);

/* json.c: prints one object for each test and model, on a line. */
void print_json(FILE *out, const char *file, const char *model, struct test *test,
		const struct rules *rules, const struct outcome *outcome);
/* Prints the members of this object that tell the verdict and the states. */
void json_outcome(FILE *out, const struct test *test, const struct rules *rules,
		  const struct outcome *outcome);
/*
 * Prints an object of a state's parts: numbers as numbers, addresses of locations as their names.
 */
void json_state(FILE *out, const struct test *test, const uint64_t *value);
/* Prints a string as JSON has it, with its quotes. */
void json_string(FILE *out, const char *text);

/* dot.c: prints an execution for graphviz. @cycle, if it is not NULL, is red. */
void print_dot(FILE *out, const struct test *test, const struct execution *x, const char *title,
	       const struct cycle *cycle);

/*
 * svg.c: writes the picture of an outcome: an execution that satisfies the question; or, if none
 * does, one that the model forbids, with the cycle. @model: the model's name, or compiler and
 * machine. @id: what the ids in the picture begin with, NULL: it has none. False: there is no such
 * execution.
 */
bool print_svg(FILE *out, const char *id, const char *model, struct test *test,
	       const struct rules *rules, const struct outcome *outcome);

#endif /* NAP_LITMUS_SHOW_H */

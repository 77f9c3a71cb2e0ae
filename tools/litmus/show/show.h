/* SPDX-License-Identifier: MIT */
/* What was found, for people and for programs. */
#ifndef NAP_LITMUS_SHOW_H
#define NAP_LITMUS_SHOW_H

#include <stdio.h>

#include "search/search.h"

/* value.c: a number as a question writes it: -1, 0, 3; of a location's address, its name. */
const char *value_text(const struct test *test, uint64_t value, unsigned size, char *buffer,
		       size_t room);
/* In bytes, as it is shown. */
unsigned observed_size(const struct test *test, const struct observed *what);
/* "0:r0", "[x]" */
const char *observed_text(const struct test *test, const struct observed *what, char *buffer,
			  size_t room);
/* "0:r0=1; [x]=2;": in the order of threads, their registers' names, and then of locations'. */
void print_state(FILE *out, const struct test *test, const uint64_t *value);
const char *verdict_name(enum verdict verdict);

/* csv.c: "file,model,verdict,state | state" */
void print_csv(FILE *out, const char *file, const char *model, const struct test *test,
	       const struct outcome *outcome);

/* event.c: "P0: R x = 1", and from which line. */
void print_event(FILE *out, const struct test *test, const struct execution *x, unsigned event);
/* 'a' and so on: initial writes have none; events are called by this. */
const char *event_letter(const struct test *test, unsigned event, char *buffer);

/*
 * cycle.c: what breaks an axiom. The events in order, and what leads from each to the next (of a
 * cycle, from the last to the first); of an axiom that something is empty, its first member, one or
 * two.
 */
struct cycle {
	const struct axiom *axiom;
	unsigned nr, event[MATRIX_EVENTS];
	char label[MATRIX_EVENTS][80];
};
void find_cycle(struct cycle *cycle, struct test *test, const struct rules *rules,
		const struct outcome *outcome);

/*
 * The first state that satisfies the question (without a question: the first); NULL: there is none.
 */
const struct state *state_asked_for(const struct test *test, const struct outcome *outcome);

/* why.c: an execution that is allowed; or one that is not, and the cycle that forbids it. */
void print_witness(FILE *out, const struct test *test, const struct state *state);
void print_forbidden(FILE *out, struct test *test, const struct rules *rules,
		     const struct outcome *outcome);

/* json.c: one object a test and model, on a line. */
void print_json(FILE *out, const char *file, const char *model, struct test *test,
		const struct rules *rules, const struct outcome *outcome);

/* dot.c: an execution, for graphviz. @cycle, if it is not NULL, is red. */
void print_dot(FILE *out, const struct test *test, const struct execution *x, const char *title,
	       const struct cycle *cycle);

#endif /* NAP_LITMUS_SHOW_H */

/* SPDX-License-Identifier: MIT */
/*
 * The laboratory behind one function, for a page: a text in, JSON out. engine.c reads what is asked
 * for, answer.c judges under several models, explain.c tells why under one, results.c reads what
 * machines have seen. WebAssembly has no setjmp(): in its place try.c calls functions of
 * page/host.js.
 */
#ifndef NAP_LITMUS_ENGINE_H
#define NAP_LITMUS_ENGINE_H

#include <stdio.h>

#include "search/search.h"

#define ENGINE_MODELS	10

/* What a page asks for. */
struct asked {
	unsigned nr_models;
	const char *model[ENGINE_MODELS];	/* "own": the text @own */
	const char *own;			/* a model's text, or NULL */
	struct limits limits;
	unsigned most;				/* how many states of a model; 0: all */
	const char *state;			/* instead of the test's question, or NULL */
	bool orders;				/* which orders would forbid what is asked for */
	const char *dialect;			/* @text is a cycle to make a test of; or NULL */
	const char *show;			/* the model whose text is asked for, or NULL */
	bool explain;				/* the first model's reasons */
	bool results;				/* @text is a file of results (seen/seen.h) */
};

/*
 * The function. @text: a test, or a cycle. @options: lines of "key=value" (engine.c lists them).
 * @own: a model's text, "" for none. Returns an object of JSON, valid until the next call. If
 * something is wrong, the object has a member "wrong", with line, column and message.
 */
const char *nap_litmus(const char *text, const char *options, const char *own);

/* What the functions that print an answer have in common. */
struct answer {
	FILE *out;
	const struct asked *asked;
	struct test *test;
	struct rules *own;			/* made of asked->own, or NULL */
	const struct text *wrong_own;		/* what is wrong with asked->own, or NULL */
};

/* answer.c: prints the members of the test, and of each model's verdict and states. */
void answer_verdicts(const struct answer *answer);
/* Prints "wrong":{"line":3,"column":7,"message":"expected ..."} */
void answer_wrong(FILE *out, const struct text *text);
/*
 * As answer_wrong(), for a text that is part of a larger one: @lines lines and @columns columns of
 * the larger text come before it.
 */
void answer_wrong_within(FILE *out, const struct text *text, unsigned lines, unsigned columns);
/* Returns the model @name; NULL: this is the page's own model, and its text is wrong. */
const struct rules *answer_rules(const struct answer *answer, const char *name);

/*
 * results.c: prints "tests":[...], with what the file says was seen of each test. If something is
 * wrong with the file, prints what, at the file's line.
 */
void answer_results(FILE *out, const char *source);

/* explain.c: prints an allowed execution; or a forbidden one, with what forbids it. */
void answer_explain(const struct answer *answer);

/* execution.c: prints {"events":[...],"relations":{...}}. */
void print_execution(FILE *out, const struct test *test, const struct execution *x);

#endif /* NAP_LITMUS_ENGINE_H */

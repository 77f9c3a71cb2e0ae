/* SPDX-License-Identifier: MIT */
/*
 * The proposition of a question, on a state. Its operators, from the loosest: \/, /\, =>, ~. (As in
 * herd7: => is closer than /\.) C's ||, && and ! are read as \/, /\ and ~.
 */
#include <stdio.h>
#include <string.h>

#include "read/read.h"

struct question {
	struct lexer *lexer;
	struct test *test;
	unsigned depth;			/* of parentheses: bounded, because reading recurses */
	unsigned nr;			/* of comparisons: evaluation is recursive, too */
};

#define DEEPEST 200
#define LONGEST 5000

static struct prop *read_or(struct question *q);

static struct prop *new_prop(struct question *q, enum prop_kind kind, const struct prop *a,
			     const struct prop *b)
{
	struct prop *prop = arena_alloc(q->test->arena, sizeof(*prop));

	*prop = (struct prop) { .kind = kind, .a = a, .b = b };
	return prop;
}

/* Reads a value. A name that no location has would make a location, so it fails. */
static uint64_t read_known_value(struct question *q)
{
	struct lexer *lexer = q->lexer, behind = *lexer;
	unsigned known = q->test->nr_locations;
	uint64_t value;

	lexer_accept(&behind, "&");
	value = read_value(lexer, q->test);
	if (q->test->nr_locations != known)
		text_fail(lexer->text, behind.token.begin,
			  "expected a location of the test, not %.*s",
			  (int)(behind.token.end - behind.token.begin), behind.token.begin);
	return value;
}

static bool compares_wide(const struct test *test, unsigned observed)
{
	const struct observed *what = &test->observed[observed];

	if (what->thread < 0)
		return test->location[what->number].size == 8;
	return test->thread[what->thread].reg[what->number].wide;
}

static struct prop *read_right(struct question *q, unsigned observed)
{
	const struct observed *left = &q->test->observed[observed];
	struct prop *prop = new_prop(q, PROP_EQUAL, NULL, NULL);
	unsigned size = left->thread < 0 ? q->test->location[left->number].size : 0;

	prop->observed = observed;
	prop->wide = compares_wide(q->test, observed);
	prop->other = observed_follows(q->lexer);
	if (prop->other)
		prop->wide &= compares_wide(q->test, prop->with = read_observed(q->lexer, q->test));
	else
		prop->value = read_known_value(q);
	if (size == 1 || size == 2)	/* in so few bytes -1 is 255 or 65535 */
		prop->value = extended(prop->value, size, false);
	return prop;
}

/* Reads x={1,2}: every element, in order. */
static struct prop *read_array(struct question *q)
{
	struct lexer *lexer = q->lexer;
	struct token name = lexer_take(lexer);
	struct prop *all = new_prop(q, PROP_TRUE, NULL, NULL);
	unsigned i = 0;

	lexer_take(lexer);		/* the = */
	lexer_expect(lexer, "{");
	for (bool more = true; more; more = lexer_accept(lexer, ",")) {
		char element[100];
		int found;

		snprintf(element, sizeof(element), "%.*s[%u]",
			 name.end - name.begin > 70 ? 70 : (int)(name.end - name.begin), name.begin,
			 i++);
		found = test_find_location(q->test, element);
		if (found < 0)
			text_fail(lexer->text, lexer->token.begin, "expected an array that has %s",
				  element);
		all = new_prop(q, PROP_AND, all,
			       read_right(q, test_observe(q->test, (struct observed) {
					.thread = -1, .number = (unsigned)found })));
	}
	lexer_expect(lexer, "}");
	return all;
}

static bool is_array(const struct lexer *lexer)
{
	struct lexer behind = *lexer;

	return lexer_take(&behind).kind == T_WORD && lexer_accept(&behind, "=") &&
	       lexer_is(&behind, "{");
}

static struct prop *read_atom(struct question *q)
{
	struct lexer *lexer = q->lexer;
	struct lexer behind = *lexer;
	struct token word = lexer_take(&behind);
	unsigned observed;

	if (++q->nr > LONGEST)
		text_fail(lexer->text, word.begin, "expected no more than %d comparisons", LONGEST);
	if (is_array(lexer))
		return read_array(q);

	if (lexer_is(&behind, "(") && word.kind == T_WORD)
		text_fail(lexer->text, word.begin, "expected a comparison, not %.*s()",
			  (int)(word.end - word.begin), word.begin);
	observed = read_observed(q->lexer, q->test);
	if (lexer_accept(lexer, "<")) {		/* <> */
		if (!lexer_accept(lexer, ">"))
			text_fail(lexer->text, lexer->token.begin,
				  "expected <>: a question compares by "
				  "equality alone");
		return new_prop(q, PROP_NOT, read_right(q, observed), NULL);
	}
	if (lexer_accept(lexer, "!="))
		return new_prop(q, PROP_NOT, read_right(q, observed), NULL);
	if (!lexer_accept(lexer, "==") && !lexer_accept(lexer, "="))
		text_fail(lexer->text, lexer->token.begin, "expected =, == or !=%s",
			  lexer_is(lexer, ">") || lexer_is(lexer, ">=") || lexer_is(lexer, "<=") ?
			  ": a question compares by equality alone" : "");
	return read_right(q, observed);
}

static struct prop *read_not(struct question *q)
{
	struct lexer *lexer = q->lexer;
	struct prop *prop;

	if (++q->depth > DEEPEST)
		text_fail(lexer->text, lexer->token.begin, "expected fewer parentheses");
	if (lexer_accept(lexer, "~") || lexer_accept(lexer, "!") || lexer_accept(lexer, "not")) {
		prop = new_prop(q, PROP_NOT, read_not(q), NULL);
	} else if (lexer_accept(lexer, "(")) {
		prop = read_or(q);
		if (!lexer_accept(lexer, ")"))
			text_fail(lexer->text, lexer->token.begin,
				  "expected /\\ (and), \\/ (or) or )");
	} else if (lexer_accept(lexer, "true")) {
		prop = new_prop(q, PROP_TRUE, NULL, NULL);
	} else if (lexer_accept(lexer, "false")) {
		prop = new_prop(q, PROP_FALSE, NULL, NULL);
	} else {
		prop = read_atom(q);
	}
	q->depth--;
	return prop;
}

static struct prop *read_implies(struct question *q)
{
	struct prop *a = read_not(q);

	if (++q->depth > DEEPEST)
		text_fail(q->lexer->text, q->lexer->token.begin, "expected fewer =>");
	if (lexer_accept(q->lexer, "=>"))
		a = new_prop(q, PROP_IMPLIES, a, read_implies(q));
	q->depth--;
	return a;
}

static struct prop *read_and(struct question *q)
{
	struct prop *a = read_implies(q);

	while (lexer_accept(q->lexer, "/\\") || lexer_accept(q->lexer, "&&"))
		a = new_prop(q, PROP_AND, a, read_implies(q));
	return a;
}

static struct prop *read_or(struct question *q)
{
	struct prop *a = read_and(q);

	while (lexer_accept(q->lexer, "\\/") || lexer_accept(q->lexer, "||"))
		a = new_prop(q, PROP_OR, a, read_and(q));
	return a;
}

const struct prop *read_prop(struct lexer *lexer, struct test *test)
{
	struct question q = { .lexer = lexer, .test = test };

	return read_or(&q);
}

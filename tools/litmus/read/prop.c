// SPDX-License-Identifier: MIT
/*
 * What a question asks of a state: from the loosest, \/, /\, =>, ~. (As herd7 has it: => is
 * closer than /\.)
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "read/read.h"

struct question {
	struct lexer *lexer;
	struct test *test;
	unsigned depth;			/* of parentheses: the reader calls itself */
	unsigned nr;			/* of comparisons: so does who asks whether they hold */
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

/* 0:X1, behind the 0. */
static unsigned read_register(struct question *q, struct token thread)
{
	struct lexer *lexer = q->lexer;
	struct test *test = q->test;
	struct token name;
	const char *reg;
	unsigned number;

	lexer_expect(lexer, ":");
	name = lexer->token;
	if (thread.number >= test->nr_threads)
		text_fail(lexer->text, thread.begin, "expected a thread, 0 to %u",
			  test->nr_threads ? test->nr_threads - 1 : 0);
	reg = arena_text(test->arena, name.begin, (size_t)(name.end - name.begin));
	if (name.kind == T_WORD && test->isa)
		reg = test->isa->register_name(test->arena, name.begin, name.end);
	number = (unsigned)thread.number;
	/* A register that nothing is done with is 0; a C variable must be there. */
	if (name.kind != T_WORD || !reg || (!test->isa && test_find_register(test, number, reg) < 0))
		text_fail(lexer->text, name.begin, "expected a register of P%u, not %.*s", number,
			  (int)(name.end - name.begin), name.begin);
	lexer_take(lexer);
	number = test_register(test, number, reg);
	return test_observe(test, (struct observed) { .thread = (int)thread.number, .number = number });
}

/* The number of a location, with its index if there is one; fails if there is none. */
static unsigned read_location(struct question *q)
{
	struct lexer *lexer = q->lexer;
	struct token token = lexer->token;
	char *name = lexer_word(lexer, "a location or a register");
	struct lexer behind = *lexer;
	char element[100];
	int found;

	snprintf(element, sizeof(element), "%.70s", name);
	if (lexer_is(lexer, "[")) {
		lexer_take(&behind);
		if (behind.token.kind == T_NUMBER) {
			snprintf(element, sizeof(element), "%.70s[%u]", name,
				 (unsigned)behind.token.number);
			lexer_take(lexer);
			lexer_take(lexer);
			lexer_expect(lexer, "]");
		}
	}
	found = test_find_location(q->test, element);
	if (found < 0)
		text_fail(lexer->text, token.begin, "expected a location of the test, not %s", element);
	return (unsigned)found;
}

/* P0 or 0 before a colon. */
static bool accept_thread(struct lexer *lexer, struct token *thread)
{
	struct lexer behind = *lexer;
	const char *p;

	*thread = lexer_take(&behind);
	if (!lexer_is(&behind, ":"))
		return false;
	if (thread->kind == T_WORD && *thread->begin == 'P') {
		thread->number = 0;
		for (p = thread->begin + 1; p < thread->end && isdigit((unsigned char)*p); p++)
			thread->number = thread->number * 10 + (uint64_t)(*p - '0');
		if (p != thread->end || p == thread->begin + 1)
			return false;
	} else if (thread->kind != T_NUMBER) {
		return false;
	}
	lexer_take(lexer);
	return true;
}

/* What a state tells; the number within the test's observed. */
static unsigned observed_of(struct question *q)
{
	struct lexer *lexer = q->lexer;
	struct token thread;
	bool bracket;
	unsigned location;

	lexer_accept(lexer, "*");
	bracket = lexer_accept(lexer, "[");
	if (!bracket && accept_thread(lexer, &thread))
		return read_register(q, thread);
	location = read_location(q);
	if (bracket)
		lexer_expect(lexer, "]");
	return test_observe(q->test, (struct observed) { .thread = -1, .number = location });
}

/* Whether what stands right of a = is a register or a location's content, not a number. */
static bool right_is_observed(const struct lexer *lexer)
{
	struct lexer behind = *lexer;
	struct token thread;

	return lexer_is(lexer, "*") || lexer_is(lexer, "[") || accept_thread(&behind, &thread);
}

/* A name that no location has would become one. */
static uint64_t read_known_value(struct question *q)
{
	struct lexer *lexer = q->lexer, behind = *lexer;
	unsigned known = q->test->nr_locations;
	uint64_t value;

	lexer_accept(&behind, "&");
	value = read_value(lexer, q->test);
	if (q->test->nr_locations != known)
		text_fail(lexer->text, behind.token.begin, "expected a location of the test, not %.*s",
			  (int)(behind.token.end - behind.token.begin), behind.token.begin);
	return value;
}

static struct prop *read_right(struct question *q, unsigned observed)
{
	const struct observed *left = &q->test->observed[observed];
	struct prop *prop = new_prop(q, PROP_EQUAL, NULL, NULL);
	unsigned size = left->thread < 0 ? q->test->location[left->number].size : 0;

	prop->observed = observed;
	prop->other = right_is_observed(q->lexer);
	if (prop->other)
		prop->with = observed_of(q);
	else
		prop->value = read_known_value(q);
	if (size == 1 || size == 2)	/* -1 of so few bytes is what they hold */
		prop->value = extended(prop->value, size, false);
	return prop;
}

/* x={1,2}: every element, one after the other. */
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
			 name.end - name.begin > 70 ? 70 : (int)(name.end - name.begin), name.begin, i++);
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

	return lexer_take(&behind).kind == T_WORD && lexer_accept(&behind, "=") && lexer_is(&behind, "{");
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
	observed = observed_of(q);
	if (lexer_accept(lexer, "<")) {		/* <> */
		lexer_expect(lexer, ">");
		return new_prop(q, PROP_NOT, read_right(q, observed), NULL);
	}
	if (lexer_accept(lexer, "!="))
		return new_prop(q, PROP_NOT, read_right(q, observed), NULL);
	if (!lexer_accept(lexer, "=="))
		lexer_expect(lexer, "=");
	return read_right(q, observed);
}

static struct prop *read_not(struct question *q)
{
	struct lexer *lexer = q->lexer;
	struct prop *prop;

	if (++q->depth > DEEPEST)
		text_fail(lexer->text, lexer->token.begin, "expected fewer parentheses");
	if (lexer_accept(lexer, "~") || lexer_accept(lexer, "not")) {
		prop = new_prop(q, PROP_NOT, read_not(q), NULL);
	} else if (lexer_accept(lexer, "(")) {
		prop = read_or(q);
		lexer_expect(lexer, ")");
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

	while (lexer_accept(q->lexer, "/\\"))
		a = new_prop(q, PROP_AND, a, read_implies(q));
	return a;
}

static struct prop *read_or(struct question *q)
{
	struct prop *a = read_and(q);

	while (lexer_accept(q->lexer, "\\/"))
		a = new_prop(q, PROP_OR, a, read_and(q));
	return a;
}

const struct prop *read_prop(struct lexer *lexer, struct test *test)
{
	struct question q = { .lexer = lexer, .test = test };

	return read_or(&q);
}

unsigned read_observed(struct lexer *lexer, struct test *test)
{
	struct question q = { .lexer = lexer, .test = test };

	return observed_of(&q);
}

/* SPDX-License-Identifier: MIT */
/* Reads the functions P0, P1, ... of a test in C. */
#include <ctype.h>
#include <stdlib.h>

#include "read/c_record.h"

static bool thread_name(const struct token *token)
{
	if (token->kind != T_WORD || *token->begin != 'P' || token->end - token->begin < 2)
		return false;
	for (const char *p = token->begin + 1; p < token->end; p++)
		if (!isdigit((unsigned char)*p))
			return false;
	return true;
}

static bool function_begins(const struct lexer *lexer)
{
	return thread_name(&lexer->token) || lexer_is(lexer, "void") || lexer_is(lexer, "static");
}

/* Returns the number of a function P0, P1, ... No number may be missing, or there twice. */
static unsigned thread_number(struct lexer *lexer, unsigned seen)
{
	struct token token = lexer_take(lexer);
	unsigned long number;

	if (!thread_name(&token))
		text_fail(lexer->text, token.begin, "expected a function P0, P1, ...");
	number = strtoul(token.begin + 1, NULL, 10);
	if (number >= TEST_THREADS)
		text_fail(lexer->text, token.begin, "expected at most %d threads, P0 to P%d",
			  TEST_THREADS, TEST_THREADS - 1);
	if (seen & 1u << number)
		text_fail(lexer->text, token.begin,
			  "expected another number: P%lu is there already", number);
	return (unsigned)number;
}

static void read_parameter(struct c *c)
{
	struct c_type type = c_type_base(c->lexer);
	const char *at, *name;

	c_type_pointers(c->lexer, &type);
	at = c->lexer->token.begin;
	name = lexer_word(c->lexer, "the name of a parameter");
	if (lexer_accept(c->lexer, "[")) {
		if (c->lexer->token.kind == T_NUMBER)
			lexer_take(c->lexer);
		lexer_expect(c->lexer, "]");
		type = c_pointer_to(type);
	}
	if (!type.pointer)
		text_fail(c->lexer->text, at, "expected a pointer: a parameter is the location %s",
			  name);
	c_parameter_add(c, at, name, type);
}

/* Reads parameters, after the opening parenthesis. (void) has none. */
static void parameters(struct c *c)
{
	struct lexer ahead = *c->lexer;

	if (lexer_accept(&ahead, "void") && lexer_is(&ahead, ")"))
		lexer_take(c->lexer);
	if (!lexer_is(c->lexer, ")")) {
		do
			read_parameter(c);
		while (lexer_accept(c->lexer, ","));
	}
	lexer_expect(c->lexer, ")");
}

/* Reads a body. Within its braces (* is C, no comment. */
static void body(struct c *c)
{
	const char *at = c->lexer->token.begin;

	if (!lexer_is(c->lexer, "{"))
		text_fail(c->lexer->text, at, "expected {");
	c->lexer->code = true;
	lexer_take(c->lexer);
	while (!lexer_is(c->lexer, "}")) {
		if (c->lexer->token.kind == T_END)
			text_fail(c->lexer->text, at, "expected a } to this");
		c_statement(c);
	}
	c_label(c, c->lexer->token.begin, "");
	c_labels_end(c);
	c->lexer->code = false;
	lexer_take(c->lexer);
}

static unsigned function(struct lexer *lexer, struct test *test, unsigned seen)
{
	struct c *c = arena_alloc(test->arena, sizeof(*c));

	lexer_accept(lexer, "static");
	if (lexer_accept(lexer, "void"))
		while (lexer_accept(lexer, "*"))
			;
	c->lexer = lexer;
	c->test = test;
	c->block = 1;
	c->thread = thread_number(lexer, seen);
	if (test->nr_threads <= c->thread)
		test->nr_threads = c->thread + 1;
	lexer_expect(lexer, "(");
	parameters(c);
	body(c);
	return seen | 1u << c->thread;
}

/* Reads the unions and structs that are defined between functions. */
static void types(struct lexer *lexer, struct test *test)
{
	struct c_type type;
	const char *begin = lexer->token.begin;

	while (c_record_type(lexer, &type))
		lexer_expect(lexer, ";");
	if (lexer->token.begin == begin)
		return;
	if (test->types)
		text_fail(lexer->text, begin,
			  "expected all unions and structs before the first function");
	test->types = begin;
	test->types_end = lexer->taken;
}

void read_c(struct lexer *lexer, struct test *test)
{
	const char *at = lexer->token.begin;
	unsigned seen = 0;

	test->dialect = c_dialect(lexer, &test->either);
	lexer->records = arena_alloc(test->arena, sizeof(*lexer->records));
	types(lexer, test);
	if (!function_begins(lexer))
		text_fail(lexer->text, at, "expected a function P0, P1, ...");
	while (function_begins(lexer)) {
		seen = function(lexer, test, seen);
		types(lexer, test);
	}
	for (unsigned i = 0; i < test->nr_threads; i++)
		if (!(seen & 1u << i))
			text_fail(lexer->text, at, "expected a function P%u, too", i);
}

/* SPDX-License-Identifier: MIT */
/* The parts of a state: a register, a location, an element of an array. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "read/read.h"

/* Reads the register of 0:X1, after the 0. */
static unsigned read_register(struct lexer *lexer, struct test *test, struct token thread)
{
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
	/* An unused register is 0; a C variable has to exist. */
	if (name.kind != T_WORD || !reg ||
	    (!test->isa && test_find_register(test, number, reg) < 0))
		text_fail(lexer->text, name.begin, "expected a register of P%u, not %.*s", number,
			  (int)(name.end - name.begin), name.begin);
	lexer_take(lexer);
	number = test_register(test, number, reg);
	return test_observe(test,
			    (struct observed) { .thread = (int)thread.number, .number = number });
}

/* Reads a location, with its index if it has one; fails if there is no such location. */
static unsigned read_location(struct lexer *lexer, const struct test *test)
{
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
	found = test_find_location(test, element);
	if (found < 0)
		text_fail(lexer->text, token.begin, "expected a location of the test, not %s",
			  element);
	return (unsigned)found;
}

/* Takes P0 or 0 before a colon. */
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

unsigned read_observed(struct lexer *lexer, struct test *test)
{
	struct token thread;
	bool bracket;
	unsigned location;

	lexer_accept(lexer, "*");
	bracket = lexer_accept(lexer, "[");
	if (!bracket && accept_thread(lexer, &thread))
		return read_register(lexer, test, thread);
	location = read_location(lexer, test);
	if (bracket)
		lexer_expect(lexer, "]");
	return test_observe(test, (struct observed) { .thread = -1, .number = location });
}

bool observed_follows(const struct lexer *lexer)
{
	struct lexer behind = *lexer;
	struct token thread;

	return lexer_is(lexer, "*") || lexer_is(lexer, "[") || accept_thread(&behind, &thread);
}

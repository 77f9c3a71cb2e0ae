/* SPDX-License-Identifier: MIT */
/* locations [x; 0:r1;]  filter (...)  exists (...) | ~exists (...) | forall (...) */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "read/read.h"

/* Observes every element of the array; false if there is no such array. */
static bool observe_array(struct test *test, const struct token *name)
{
	char element[100];
	int found = -1;

	for (unsigned i = 0; i < TEST_LOCATIONS; i++) {
		snprintf(element, sizeof(element), "%.*s[%u]",
			 name->end - name->begin > 70 ? 70 : (int)(name->end - name->begin),
			 name->begin, i);
		found = test_find_location(test, element);
		if (found < 0)
			return i > 0;
		test_observe(test, (struct observed) { .thread = -1, .number = (unsigned)found });
	}
	return true;
}

/* Reads an item of locations [...]. A type may follow it, for tools that print. */
static void read_shown(struct lexer *lexer, struct test *test)
{
	struct lexer behind = *lexer;
	struct token word = lexer_take(&behind);

	if (word.kind == T_WORD && lexer_is(&behind, "("))
		text_fail(lexer->text, word.begin, "expected a location or a register, not %.*s()",
			  (int)(word.end - word.begin), word.begin);
	if (word.kind == T_WORD && !lexer_is(&behind, "[") && !lexer_is(&behind, ":") &&
	    observe_array(test, &word))
		lexer_take(lexer);
	else
		read_observed(lexer, test);
	while (lexer->token.kind == T_WORD || lexer_is(lexer, "*"))
		lexer_take(lexer);
}

static void read_locations(struct lexer *lexer, struct test *test)
{
	lexer_expect(lexer, "[");
	while (!lexer_accept(lexer, "]")) {
		read_shown(lexer, test);
		if (!lexer_is(lexer, "]"))
			lexer_expect(lexer, ";");
	}
}

static enum quantifier read_quantifier(struct lexer *lexer)
{
	if (lexer_accept(lexer, "exists"))
		return QUANTIFIER_EXISTS;
	if (lexer_accept(lexer, "forall"))
		return QUANTIFIER_FORALL;
	if (lexer_accept(lexer, "~") || lexer_accept(lexer, "not")) {
		lexer_expect(lexer, "exists");
		return QUANTIFIER_NOT_EXISTS;
	}
	text_fail(lexer->text, lexer->token.begin, "expected exists, ~exists or forall, not %.*s",
		  (int)(lexer->token.end - lexer->token.begin), lexer->token.begin);
}

/* Returns the text on one line: one space for every run of blanks and comments. */
static const char *on_one_line(struct text *text, const char *begin, const char *end)
{
	char *line = arena_alloc(text->arena, (size_t)(end - begin) + 1), *to = line;

	for (const char *p = begin; p < end;) {
		const char *behind = skip_blanks(text, p);

		if (behind == p) {
			*to++ = *p++;
			continue;
		}
		if (behind < end)
			*to++ = ' ';
		p = behind;
	}
	return line;
}

static bool is_access_of(const struct instruction *instruction)
{
	return instruction->op == OP_LOAD || instruction->op == OP_RMW ||
		instruction->op == OP_CAS || instruction->op == OP_LOAD_EXCLUSIVE ||
		instruction->op == OP_STORE_EXCLUSIVE;
}

/* Observes, without a question, all locations and the named registers that are loaded to. */
static void observe_all(struct test *test)
{
	for (unsigned t = 0; t < test->nr_threads; t++)
		for (unsigned i = 0; i < test->thread[t].nr; i++) {
			const struct instruction *one = &test->thread[t].code[i];

			if (is_access_of(one) && one->dst >= 0 &&
			    test->thread[t].reg[one->dst].name && test->nr_observed < TEST_OBSERVED)
				test_observe(test, (struct observed){ .thread = (int)t,
								.number = (unsigned)one->dst });
		}
	for (unsigned i = 0; i < test->nr_locations && test->nr_observed < TEST_OBSERVED; i++)
		test_observe(test, (struct observed) { .thread = -1, .number = i });
}

void read_question(struct lexer *lexer, struct test *test)
{
	static const struct prop always = { .kind = PROP_TRUE };
	const char *begin, *end;

	test->prop = &always;
	test->question = "";
	if (lexer_accept(lexer, "locations"))
		read_locations(lexer, test);
	if (lexer_accept(lexer, "filter")) {
		test->hiding = true;
		test->filter = read_prop(lexer, test);
		test->hiding = false;
	}
	begin = lexer->token.begin;
	if (lexer->token.kind == T_END) {
		if (!test->nr_observed)
			observe_all(test);
		return;
	}
	test->quantifier = read_quantifier(lexer);
	test->prop = read_prop(lexer, test);
	end = lexer->token.begin;
	while (end > begin && isspace((unsigned char)end[-1]))
		end--;
	test->question = on_one_line(test->text, begin, end);
	lexer_accept(lexer, ";");
	if (lexer->token.kind != T_END)
		text_fail(lexer->text, lexer->token.begin, "expected the end of the test");
}

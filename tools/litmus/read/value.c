/* SPDX-License-Identifier: MIT */
/* Values, in the initial state and in the question. */
#include <stdio.h>
#include <string.h>

#include "read/read.h"

/* Returns the address of the location or of the array's first element; adds a missing location. */
uint64_t address_of(struct test *test, const char *name)
{
	char first[80];
	int found;

	snprintf(first, sizeof(first), "%.70s[0]", name);
	found = test_find_location(test, first);
	if (found < 0)
		found = (int)test_location(test, name, 0);
	return test->location[found].address;
}

static uint64_t read_address(struct lexer *lexer, struct test *test)
{
	struct token token = lexer->token;
	char *name = lexer_word(lexer, "a number, or the name of a location");
	uint64_t index, address;
	int found;

	if (token_is(&token, "NOP") || token_is(&token, "instr") || token_is(&token, "label"))
		text_fail(lexer->text, token.begin, "expected a number or an address, not code");
	if (lexer_is(lexer, ":"))
		text_fail(lexer->text, token.begin, "expected a number or an address, not a label");
	if (!strncmp(name, "pte_", 4))
		text_fail(lexer->text, token.begin, "a page table" READ_NOT_MODELLED "%s", name);
	address = address_of(test, name);
	if (!lexer_accept(lexer, "["))
		return address;
	index = lexer->token.number;
	if (lexer->token.kind != T_NUMBER || index >= TEST_LOCATIONS)
		text_fail(lexer->text, lexer->token.begin, "expected an index");
	lexer_take(lexer);
	lexer_expect(lexer, "]");
	found = test_location_at(test, address);
	return address + index * (found < 0 ? 0 : test->location[found].size);
}

uint64_t read_value(struct lexer *lexer, struct test *test)
{
	bool minus = lexer_accept(lexer, "-");
	struct token token = lexer->token;

	if (!minus && (lexer_accept(lexer, "&") || token.kind == T_WORD))
		return read_address(lexer, test);
	if (token.kind != T_NUMBER)
		text_fail(lexer->text, token.begin, "expected a number%s",
			  minus ? "" : ", or the name of a location");
	lexer_take(lexer);
	return minus ? -token.number : token.number;
}

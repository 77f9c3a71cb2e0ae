/* SPDX-License-Identifier: MIT */
/*
 * Reads the initial state, twice: first the arrays, whose elements are locations of their own and
 * whose name stands for the first element's address; then everything.
 */
#include <stdio.h>
#include <string.h>

#include "read/read.h"

struct init {
	struct lexer *lexer;
	struct test *test;
	bool arrays;			/* the first reading: arrays alone */
};

/* The left side of a =. */
struct left {
	int thread;			/* -1: a location */
	const char *name, *at;
};

static const struct { const char *name; unsigned size; } types[] = {
	{ "char", 1 }, { "int8_t", 1 }, { "uint8_t", 1 }, { "u8", 1 }, { "s8", 1 }, { "bool", 1 },
	{ "_Bool", 1 }, { "short", 2 }, { "int16_t", 2 }, { "uint16_t", 2 }, { "u16", 2 },
	{ "s16", 2 }, { "int", 4 }, { "signed", 4 }, { "unsigned", 4 }, { "int32_t", 4 },
	{ "uint32_t", 4 }, { "u32", 4 }, { "s32", 4 }, { "atomic_t", 4 }, { "spinlock_t", 4 },
	{ "atomic_bool", 1 }, { "atomic_int", 4 }, { "atomic_uint", 4 }, { "long", 8 },
	{ "int64_t", 8 }, { "uint64_t", 8 }, { "u64", 8 }, { "s64", 8 }, { "size_t", 8 },
	{ "intptr_t", 8 }, { "uintptr_t", 8 }, { "atomic64_t", 8 }, { "atomic_long_t", 8 },
	{ "atomic_long", 8 }, { "atomic_ulong", 8 }, { "atomic_uintptr_t", 8 }, { "void", 8 },
	{ "struct", 0 }, { "srcu_struct", 4 },
	{ "_Atomic", 0 }, { "volatile", 0 }, { "const", 0 },
};

static int type_size(const struct token *token)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (token_is(token, types[i].name))
			return (int)types[i].size;
	return -1;
}

/*
 * Reads a type; returns its bytes, or 0 if there is no type. A type is a word before another
 * word.
 */
static unsigned read_type(struct init *init)
{
	struct lexer *lexer = init->lexer, before = *lexer;
	unsigned size = 0;
	int words = 0;

	while (lexer->token.kind == T_WORD) {
		struct token token = lexer->token;
		int one = type_size(&token);

		if (one < 0) {
			struct lexer behind = *lexer;

			lexer_take(&behind);
			if (!words && (behind.token.kind == T_WORD ||
				       behind.token.kind == T_NUMBER || lexer_is(&behind, "*")))
				text_fail(lexer->text, token.begin, "expected a type, not %.*s",
					  (int)(token.end - token.begin), token.begin);
			break;
		}
		lexer_take(lexer);
		/* "unsigned char" has the size of its last word, "long int" of its first. */
		if (one && !(token_is(&token, "int") && size))
			size = (unsigned)one;
		words++;
	}
	/* A location may have the name of a type: "u8 = 1". */
	if (words && (lexer_is(lexer, "=") || lexer_is(lexer, ";") || lexer_is(lexer, "}"))) {
		*lexer = before;
		return 0;
	}
	return words && !size ? 4 : size;
}

static struct left read_register_of(struct init *init, struct token number)
{
	struct lexer *lexer = init->lexer;
	struct left left = { .at = lexer->token.begin };
	const struct isa *isa = init->test->isa;
	struct token name;

	if (number.number >= TEST_THREADS)
		text_fail(lexer->text, number.begin, "expected a thread, 0 to %d",
			  TEST_THREADS - 1);
	left.thread = (int)number.number;
	if (lexer->token.kind != T_WORD)
		text_fail(lexer->text, left.at, "expected a register");
	name = lexer_take(lexer);
	left.name = isa ? isa->register_name(init->test->arena, name.begin, name.end) :
		arena_text(init->test->arena, name.begin, (size_t)(name.end - name.begin));
	if (!left.name)
		text_fail(lexer->text, left.at, "expected a register of %s, not %.*s", isa->name,
			  (int)(name.end - name.begin), name.begin);
	return left;
}

static struct left read_left(struct init *init)
{
	struct lexer *lexer = init->lexer;
	struct left left = { .thread = -1 };
	bool bracket = lexer_accept(lexer, "[");

	if (!bracket && lexer->token.kind == T_NUMBER) {
		struct token number = lexer_take(lexer);

		lexer_expect(lexer, ":");
		return read_register_of(init, number);
	}
	left.at = lexer->token.begin;
	left.name = lexer_word(lexer, "a location or a register");
	if (bracket)
		lexer_expect(lexer, "]");
	return left;
}

/* Reads the right side of a =; @address: whether it is an address. */
static uint64_t read_initial(struct init *init, bool *address)
{
	struct lexer *lexer = init->lexer;
	bool wrapped = lexer_accept(lexer, "ATOMIC_INIT");
	uint64_t value;

	if (wrapped)
		lexer_expect(lexer, "(");
	*address = lexer->token.kind == T_WORD || lexer_is(lexer, "&");
	value = read_value(lexer, init->test);
	if (wrapped)
		lexer_expect(lexer, ")");
	return value;
}

static void read_initial_array(struct init *init, const struct left *left, unsigned size)
{
	struct lexer *lexer = init->lexer;
	struct test *test = init->test;
	struct token nr = lexer_take(lexer);
	unsigned first = 0;
	bool ignored;
	char name[80];

	if (nr.kind != T_NUMBER || !nr.number || nr.number > TEST_LOCATIONS)
		text_fail(lexer->text, nr.begin, "expected how many, 1 to %d", TEST_LOCATIONS);
	lexer_expect(lexer, "]");
	snprintf(name, sizeof(name), "%.70s[0]", left->name);
	if (init->arrays && (test_find_location(test, name) >= 0 || strlen(left->name) > 70))
		text_fail(lexer->text, left->at, "expected a new name");
	if (init->arrays)
		first = test_array(test, left->name, (unsigned)nr.number, size);
	else
		first = (unsigned)test_find_location(test, name);
	if (!lexer_accept(lexer, "="))
		return;
	lexer_expect(lexer, "{");
	for (unsigned i = 0; i < nr.number; i++) {
		if (i && !lexer_is(lexer, "}"))
			lexer_expect(lexer, ",");
		if (lexer_is(lexer, "}"))
			text_fail(lexer->text, lexer->token.begin, "expected %u values, not %u",
				  (unsigned)nr.number, i);
		if (init->arrays && lexer->token.kind == T_WORD)
			lexer_take(lexer);
		else
			test->location[first + i].initial =
				extended(read_initial(init, &ignored), size, false);
	}
	lexer_expect(lexer, "}");
}

/*
 * Notes that the initial state has a value for the register or location; fails at a second value.
 */
static void give(struct test *test, const struct left *left)
{
	bool *given = left->thread < 0 ? &test->location[test_location(test, left->name, 0)].given :
		&test->thread[left->thread].reg[test_register(test, (unsigned)left->thread,
							       left->name)].given;

	if (*given)
		text_fail(test->text, left->at, "expected one value of %s: it has one already",
			  left->name);
	*given = true;
}

static void set_location(struct test *test, const struct left *left, unsigned size,
			 unsigned declared, uint64_t value)
{
	struct location *location = &test->location[test_location(test, left->name, size)];

	if (size > location->size)
		location->size = size;
	location->declared = declared;
	location->initial = location->size ? extended(value, location->size, false) : value;
}

static void set_register(struct test *test, const struct left *left, unsigned size, uint64_t value)
{
	unsigned reg = test_register(test, (unsigned)left->thread, left->name);

	test->thread[left->thread].reg[reg].initial = value;
	test->thread[left->thread].reg[reg].wide = size == 8;
}

/* Skips, in the first reading, an item up to the ; */
static void skip_item(struct lexer *lexer)
{
	while (lexer->token.kind != T_END && !lexer_is(lexer, ";") && !lexer_is(lexer, "}"))
		lexer_take(lexer);
}

static void read_item(struct init *init)
{
	struct lexer *lexer = init->lexer;
	unsigned size = read_type(init);
	bool pointer = false, address = false;
	uint64_t value = 0;
	struct left left;

	while (lexer_accept(lexer, "*"))
		pointer = true;
	left = read_left(init);
	if (pointer)
		size = 8;
	if (left.thread < 0 && lexer_is(lexer, "[") && !size)
		text_fail(lexer->text, left.at, "expected a type before an array");
	if (left.thread < 0 && lexer_accept(lexer, "[")) {
		read_initial_array(init, &left, size);
		return;
	}
	if (init->arrays) {
		skip_item(lexer);
		return;
	}
	if (left.thread < 0) {
		/*
		 * The location is added before what it points at: locations are in the order in
		 * which the text names them.
		 */
		uint64_t at = address_of(init->test, left.name);

		if (strcmp(init->test->location[test_location_at(init->test, at)].name, left.name))
			text_fail(lexer->text, left.at, "expected a name that is not an array's");
	}
	if (lexer_accept(lexer, "=")) {
		value = read_initial(init, &address);
		give(init->test, &left);
	}
	if (left.thread < 0)
		set_location(init->test, &left, address ? 8 : size, size, value);
	else
		set_register(init->test, &left, size, value);
}

static void read_items(struct init *init)
{
	const struct token *token = &init->lexer->token;

	while (!lexer_is(init->lexer, "}")) {
		if (token->kind == T_END)
			text_fail(init->lexer->text, token->begin, "expected } before the end");
		if (lexer_accept(init->lexer, ";"))
			continue;
		read_item(init);
		if (!lexer_is(init->lexer, "}") && !lexer_is(init->lexer, ";"))
			text_fail(init->lexer->text, token->begin, "expected ; or }");
	}
}

void read_init(struct lexer *lexer, struct test *test)
{
	struct lexer first = *lexer;
	struct init init = { .lexer = &first, .test = test, .arrays = true };

	read_items(&init);
	init = (struct init) { .lexer = lexer, .test = test };
	read_items(&init);
	lexer_take(lexer);
}

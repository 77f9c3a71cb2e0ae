/* SPDX-License-Identifier: MIT */
/* Reads assembly litmus tests: what texts become, and the messages on wrong texts. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "read/read.h"
#include "read_instructions.h"
#include "read_refused.h"
#include "read_show.h"

static unsigned nr_tests, nr_failed;
static struct arena arena;
static struct text text;

/* Refuses C, whose reader has its own tests. */
__attribute__((weak)) void read_c(struct lexer *lexer, struct test *test)
{
	(void)test;
	text_fail(lexer->text, lexer->token.begin, "expected assembly");
}

static void result(bool ok, const char *format, ...)
{
	va_list arguments;
	char line[256];

	nr_tests++;
	nr_failed += !ok;
	printf("%sok %u ", ok ? "" : "not ", nr_tests);
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	for (char *p = line; *p; p++)	/* a # would begin a directive */
		if (*p == '#')
			*p = '$';
	puts(line);
}

static void read_tried(void *with)
{
	*(struct test **)with = read_litmus(&text);
}

/* Reads a test. Returns NULL when text.message says why the test is refused. */
static struct test *read_string(const char *string)
{
	struct test *test;

	arena_free(&arena);
	text = (struct text) { .name = "t", .begin = string, .end = string + strlen(string),
			       .arena = &arena };
	return text_try(read_tried, &test) ? NULL : test;
}

/*
 * Checks what a text becomes. A | in the text stands between rows of one column, for the reader's
 * eye.
 */
static void instructions_become(const struct becomes *becomes)
{
	char string[512], rows[256];
	size_t n = 0;
	struct test *test;

	for (const char *p = becomes->text; *p; p++)
		if (*p == '|')
			p += strspn(p, "| ;") - 1;
		else
			rows[n++] = *p;
	rows[n] = 0;
	snprintf(string, sizeof(string), "%s t\n{ int x; }\n P0 ;\n %s ;\nexists (x=0)\n",
		 becomes->isa, rows);
	test = read_string(string);
	shown[0] = 0;
	for (unsigned i = 0; test && i < test->thread[0].nr; i++) {
		show(i ? "; " : "");
		show_instruction(test, &test->thread[0].code[i]);
	}
	result(test && !strcmp(shown, becomes->code), "%s: %s", becomes->isa, becomes->text);
	if (!test)
		printf("# %s\n", text.message);
	else if (strcmp(shown, becomes->code))
		printf("# %s\n# %s\n", shown, becomes->code);
}

static void is_refused(const struct refused *one)
{
	struct test *test = read_string(one->text);
	bool ok = !test && !strncmp(text.message, "t:", 2) &&
		!strcmp(text.message + 2, one->message);

	result(ok, "refused: %s", one->message);
	if (!ok)
		printf("# %s\n", test ? "read" : text.message);
}

static uint64_t initial(const struct test *test, unsigned thread, const char *name)
{
	int reg = test_find_register(test, thread, name);

	return reg < 0 ? 0 : test->thread[thread].reg[reg].initial;
}

static const struct location *location(const struct test *test, const char *name)
{
	static const struct location none;
	int found = test_find_location(test, name);

	return found < 0 ? &none : &test->location[found];
}

static void initial_state(void)
{
	struct test *test = read_string(
		"AArch64 a+name.with-signs\n\"and a comment\"\nCom=Rf (* not looked at\n"
		"{ uint64_t y=-1; x; [z]=0x10; int8_t b = -1; (* no *) int *p = &y; q=x; *r=1;\n"
		"uint16_t t[2] = {1,-1}; 0:X1=t; int 0:W2=-2; 1:X1=t[1]; atomic_t v = "
		"ATOMIC_INIT(3) }\n"
		"P0|P1 ;\n | NOP ;\n");

	result(test, "an initial state of many kinds");
	if (!test) {
		printf("# %s\n", text.message);
		return;
	}
	result(!strcmp(test->name, "a+name.with-signs"), "the name is the rest of its line");
	result(test->nr_threads == 2 && test->thread[0].nr == 0,
	       "two threads, one without a thing");
	result(location(test, "y")->size == 8 && location(test, "y")->initial == ~0ull, "uint64_t");
	result(location(test, "x")->size == 0 && !location(test, "x")->initial,
	       "no type, no value");
	result(location(test, "z")->initial == 16, "a number in hexadecimal");
	result(location(test, "b")->size == 1 && location(test, "b")->initial == 255,
	       "int8_t of -1");
	result(location(test, "p")->size == 8 &&
	       location(test, "p")->initial == location(test, "y")->address, "int *p = &y");
	result(location(test, "q")->size == 8 &&
	       location(test, "q")->initial == location(test, "x")->address, "q=x is an address");
	result(location(test, "t[1]")->size == 2 && location(test, "t[1]")->initial == 0xffff &&
	       location(test, "t[1]")->address == location(test, "t[0]")->address + 2, "an array");
	result(initial(test, 0, "X1") == location(test, "t[0]")->address, "an array's name");
	result(initial(test, 1, "X1") == location(test, "t[1]")->address, "an element's address");
	result(initial(test, 0, "X2") == (uint64_t)-2, "W2 is X2");
	result(location(test, "v")->initial == 3, "ATOMIC_INIT");
	result(test->quantifier == QUANTIFIER_NONE && !*test->question && test->prop &&
	       test->nr_observed == test->nr_locations,
	       "without a question all locations are shown");
}

/* Whether a question of one thread holds, given two values of the state. */
static bool holds(const char *question, uint64_t first, uint64_t second)
{
	const uint64_t state[TEST_OBSERVED] = { first, second };
	char string[512];
	struct test *test;

	snprintf(string, sizeof(string), "RISCV t\n{ x=0; y=x; 0:a0=y; int8_t b; }\nP0 ;\nnop;\n"
		 "locations [x; 0:x10;]\nexists %s\n", question);
	test = read_string(string);
	if (!test)
		printf("# %s\n", text.message);
	return test && test->nr_observed == 2 && prop_holds(test->prop, state);
}

static void questions(void)
{
	struct test *test =
		read_string("X86 t\n{ }\n P0 ;\n MOV EAX,[x] ;\n LOCK XADD [y],EBX ;\n"
			    "filter (x=1)\n~exists  (0:EAX = 1 (* so *)\n /\\\t[y]=2) ;\n");

	result(test && test->quantifier == QUANTIFIER_NOT_EXISTS && test->filter,
	       "a filter, ~exists");
	result(test && !strcmp(test->question, "~exists (0:EAX = 1 /\\ [y]=2)"),
	       "the question on one line");
	if (!test)
		printf("# %s\n", text.message);
	test = read_string("X86_64 t\n{ }\n P0 ;\n mov (x),%EAX ;\n");
	result(test && test->nr_observed == 2 && test->observed[0].thread == 0 &&
	       test->observed[1].thread == -1, "what is loaded, and all locations");
	result(holds("(x=1 /\\ 0:a0=2)", 1, 2) && !holds("(x=1 /\\ 0:a0=2)", 1, 3), "and");
	result(holds("x=1 \\/ 0:x10=2 /\\ x=3", 1, 0), "and binds closer than or");
	result(holds("x=1 /\\ 0:a0=2 => x=3", 1, 3) && !holds("x=1 /\\ 0:a0=2 => x=3", 2, 3),
	       "=> binds closer than and");
	result(holds("~x=1 /\\ true", 2, 0) && holds("not (false \\/ x=1)", 2, 0), "not");
	result(holds("x != 1", 2, 0) && holds("x <> 1", 2, 0) && !holds("x<>2", 2, 0), "!= and <>");
	result(holds("[x]=0:a0", 7, 7) && !holds("0:a0=*x", 7, 8), "a register against a location");
	result(holds("0:a0=&y", 0, 0x5a4c0040) && holds("P0:a0=y", 0, 0x5a4c0040), "an address");
	result(holds("x=-1", 0xffffffff, 0) && holds("x=0xffffffff", ~0ull, 0), "-1 of 4 bytes");
}

int main(void)
{
	puts("TAP version 13");
	initial_state();
	questions();
	for (size_t i = 0; i < sizeof(instructions) / sizeof(*instructions); i++)
		instructions_become(&instructions[i]);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		is_refused(&refused[i]);
	printf("1..%u\n", nr_tests);
	arena_free(&arena);
	return nr_failed != 0;
}

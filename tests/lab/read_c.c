/* SPDX-License-Identifier: MIT */
/*
 * Reads tests in C. Each is a function P0 with the instructions that it must become, or a function
 * that is wrong, with the message that it must cause. KTAP.
 */
#include "read/read.h"

#include "listing.h"
#include "read_c_cases.h"
#include "read_c_refused.h"

static unsigned nr_tests, nr_failed;

static void report(bool ok, const char *name)
{
	nr_failed += !ok;
	printf("%sok %u %s\n", ok ? "" : "not ", ++nr_tests, name);
}

static void differs(const char *name, const char *wanted, const char *got)
{
	if (strcmp(wanted, got))
		printf("# %s\n# wanted:\n%s\n# got:\n%s\n", name, wanted, got);
	report(!strcmp(wanted, got), name);
}

static void begin(struct text *text, struct arena *arena, const char *source)
{
	memset(text, 0, sizeof(*text));
	text->name = "t.litmus";
	text->begin = source;
	text->end = source + strlen(source);
	text->arena = arena;
}

static void read_tried(void *with)
{
	struct test *test = with;
	struct lexer lexer;

	test_array(test, "z", 2, 4);
	lexer_start(&lexer, test->text, test->text->begin);
	read_c(&lexer, test);
	if (lexer.token.kind != T_END && !lexer_is(&lexer, "exists"))
		text_fail(test->text, lexer.token.begin, "expected the question");
}

/*
 * Reads a function. Returns NULL when it is refused, with @text->message. An array z of two
 * elements is declared already.
 */
static struct test *read_source(struct text *text)
{
	struct test *test = arena_alloc(text->arena, sizeof(*test));

	test->text = text;
	test->arena = text->arena;
	return text_try(read_tried, test) ? NULL : test;
}

static void reads(const struct reads_case *one)
{
	static struct listing listing;
	struct arena arena = { NULL };
	struct text text;
	struct test *test;

	begin(&text, &arena, one->source);
	test = read_source(&text);
	differs(one->name, one->listing, test ? list(&listing, test, 0) : text.message);
	arena_free(&arena);
}

static void refuses(const struct refused_case *one)
{
	struct arena arena = { NULL };
	struct text text;
	struct test *test;

	begin(&text, &arena, one->source);
	test = read_source(&text);
	differs(one->message, one->message, test ? "read" : text.message);
	arena_free(&arena);
}

static void dialect_is(const char *source, enum dialect dialect, const char *name)
{
	struct arena arena = { NULL };
	struct text text;
	struct test *test;

	begin(&text, &arena, source);
	test = read_source(&text);
	report(test && test->dialect == dialect, name);
	arena_free(&arena);
}

/* Whether every way through the code ends each arm that it begins, and no other arm. */
static bool arms_nest(const struct thread *thread)
{
	enum { UNKNOWN = -1 };
	int depth[512];
	bool changed = true;

	for (unsigned i = 0; i <= thread->nr; i++)
		depth[i] = UNKNOWN;
	depth[0] = 0;
	while (changed) {
		changed = false;
		for (unsigned i = 0; i < thread->nr; i++) {
			const struct instruction *code = &thread->code[i];
			unsigned next[2] = { code->op == OP_JUMP ? code->target : i + 1,
					     code->op == OP_BRANCH ? code->target : i + 1 };
			int behind = depth[i] + (code->op == OP_ARM_BEGIN) -
				(code->op == OP_ARM_END);

			for (unsigned k = 0;
			     depth[i] != UNKNOWN && k < 1u + (code->op == OP_BRANCH); k++) {
				if (behind < 0 ||
				    (depth[next[k]] != UNKNOWN && depth[next[k]] != behind))
					return false;
				changed |= depth[next[k]] == UNKNOWN;
				depth[next[k]] = behind;
			}
		}
	}
	return depth[thread->nr] <= 0;
}

static void nests(const char *source, const char *name)
{
	struct arena arena = { NULL };
	struct text text;
	struct test *test;

	begin(&text, &arena, source);
	test = read_source(&text);
	report(test && test->thread[0].nr < 512 && arms_nest(&test->thread[0]), name);
	arena_free(&arena);
}

#define NR(array) (sizeof(array) / sizeof(*(array)))

int main(void)
{
	printf("TAP version 13\n1..%zu\n",
	       NR(reads_cases) + NR(refused_cases) + NR(nested) + NR(dialects));
	for (size_t i = 0; i < NR(reads_cases); i++)
		reads(&reads_cases[i]);
	for (size_t i = 0; i < NR(refused_cases); i++)
		refuses(&refused_cases[i]);
	for (size_t i = 0; i < NR(nested); i++)
		nests(nested[i].source, nested[i].name);
	for (size_t i = 0; i < NR(dialects); i++)
		dialect_is(dialects[i].source, dialects[i].dialect, dialects[i].name);
	return nr_failed != 0;
}

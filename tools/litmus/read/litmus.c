/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "read/read.h"

static const struct isa *const isas[] = { &isa_aarch64, &isa_riscv, &isa_x86, &isa_x86_intel };

const struct isa *isa_of(enum dialect dialect)
{
	for (size_t i = 0; i < sizeof(isas) / sizeof(*isas); i++)
		if (isas[i]->dialect == dialect)
			return isas[i];
	return NULL;
}

static bool in_arch(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Reads the first word, the test's dialect. Returns the position after it. */
static const char *read_arch(struct text *text, struct test *test, const char *at)
{
	const char *end = at;

	while (in_arch(*end))
		end++;
	for (size_t i = 0; i < sizeof(isas) / sizeof(*isas); i++)
		if (strlen(isas[i]->name) == (size_t)(end - at) &&
		    !memcmp(isas[i]->name, at, (size_t)(end - at)))
			test->isa = isas[i];
	if (test->isa)
		test->dialect = test->isa->dialect;
	else if (end != at + 1 || *at != 'C')
		text_fail(text, at, "expected C, AArch64, RISCV, X86_64 or X86%s%.*s",
			  end > at ? ", not " : "", (int)(end - at), at);
	return end;
}

/* Reads the rest of the line, the test's name. */
static const char *read_name(struct text *text, struct test *test, const char *at)
{
	const char *begin = at + strspn(at, " \t"), *line = begin + strcspn(begin, "\n");
	const char *end = line;

	while (end > begin && isspace((unsigned char)end[-1]))
		end--;
	if (end == begin)
		text_fail(text, at, "expected the test's name");
	test->name = arena_text(text->arena, begin, (size_t)(end - begin));
	return line;
}

/* Whether the line begins with a word, perhaps blanks, and a =. */
static bool is_key(const char *at)
{
	const char *end = at;

	while (in_arch(*end) || *end == '-' || *end == '.')
		end++;
	end += strspn(end, " \t");
	return end > at && *end == '=';
}

/* Skips to the brace of the initial state. */
static const char *skip_remarks(struct text *text, const char *at)
{
	for (;;) {
		at = skip_blanks(text, at);
		if (*at == '{')
			return at;
		if (*at == '"') {
			const char *end = strchr(at + 1, '"');

			if (!end)
				text_fail(text, at, "expected a \" that ends the comment");
			at = end + 1;
		} else if (is_key(at)) {
			at += strcspn(at, "\n");
		} else {
			text_fail(text, at, "expected { and the initial state");
		}
	}
}

/*
 * Returns a copy of the text, with blanks for the comments after @at, so that a cell of the table
 * is its instruction and nothing else. Lines and columns stay the same.
 */
static const char *without_comments(struct text *text, const char *at)
{
	size_t length = (size_t)(text->end - text->begin), offset = (size_t)(at - text->begin);
	char *copy = arena_text(text->arena, text->begin, length);

	for (const char *p = at; *p; p++) {
		const char *end;

		if ((p[0] != '(' || p[1] != '*') && (p[0] != '/' || (p[1] != '*' && p[1] != '/')))
			continue;
		end = skip_blanks(text, p);
		for (const char *q = p; q < end; q++)
			if (*q != '\n')
				copy[q - text->begin] = ' ';
		p = end - 1;
	}
	text->begin = copy;
	text->end = copy + length;
	return copy + offset;
}

struct test *read_litmus(struct text *text)
{
	struct test *test = arena_alloc(text->arena, sizeof(*test));
	struct lexer lexer;
	const char *at;

	test->text = text;
	test->arena = text->arena;
	at = read_arch(text, test, skip_blanks(text, text->begin));
	at = skip_remarks(text, read_name(text, test, at));
	if (test->isa)
		at = without_comments(text, at);
	lexer_start(&lexer, text, at + 1);
	read_init(&lexer, test);
	if (test->isa)
		lexer_start(&lexer, text, read_columns(text, test, lexer.token.begin));
	else
		read_c(&lexer, test);
	read_question(&lexer, test);
	return test;
}

/* SPDX-License-Identifier: MIT */
/*
 * The table of an assembly test: a row of the threads' names, and rows of instructions, one
 * column for each thread. The table ends where a row begins with a word of the question.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "read/assembly.h"

struct table_cell {
	const char *begin, *end;
	bool last;			/* a ; follows it, not a | */
};

static bool word_at(const char *at, const char *word)
{
	size_t length = strlen(word);

	return !strncmp(at, word, length) && !isalnum((unsigned char)at[length]) &&
	       at[length] != '_' && at[length] != ':';
}

static bool is_question(const char *at)
{
	static const char *const words[] = { "exists", "forall", "locations", "filter", "final",
					     "observed" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (word_at(at, words[i]))
			return true;
	if (word_at(at, "not"))		/* "not" is also an instruction */
		return word_at(at + 3 + strspn(at + 3, " \t\r\n"), "exists");
	return !*at || *at == '~' || *at == '(';
}

/* Returns the cell from @at up to its separator, and moves @at after the separator. */
static struct table_cell take_cell(struct text *text, const char **at)
{
	struct table_cell cell = { .begin = *at, .end = *at + strcspn(*at, "|;") };
	const char *line;

	*at = cell.end + (*cell.end != 0);
	cell.last = *cell.end != '|';
	if (!*cell.end)
		text_fail(text, cell.begin + strspn(cell.begin, " \t\r\n"),
			  "expected ; behind the row");
	trim(&cell.begin, &cell.end);
	line = memchr(cell.begin, '\n', (size_t)(cell.end - cell.begin));
	if (line)
		text_fail(text, line, "expected | or ; before the end of the line");
	return cell;
}

static const char *read_names(struct text *text, struct test *test, const char *at)
{
	struct table_cell cell;

	do {
		char name[16];

		cell = take_cell(text, &at);
		if (test->nr_threads == TEST_THREADS)
			text_fail(text, cell.begin, "expected no more than %d threads",
				  TEST_THREADS);
		snprintf(name, sizeof(name), "P%u", test->nr_threads++);
		if (!same_word(cell.begin, cell.end, name))
			text_fail(text, cell.begin, "expected %s, not %.*s", name,
				  (int)(cell.end - cell.begin), cell.begin);
	} while (!cell.last);
	return at;
}

/* Takes the labels that the cell begins with. Returns the position after them. */
static const char *take_labels(struct test *test, unsigned thread, struct table_cell cell)
{
	const char *at = cell.begin;

	for (;;) {
		const char *end = at;

		while (end < cell.end && (isalnum((unsigned char)*end) || strchr("_.$", *end)))
			end++;
		if (end == at || end == cell.end || *end != ':')
			return at;
		label_here(test, thread, at, end);
		at = end + 1;
		while (at < cell.end && isspace((unsigned char)*at))
			at++;
	}
}

static const char *read_row(struct text *text, struct test *test, const char *at)
{
	unsigned thread = 0;
	struct table_cell cell;

	do {
		const char *begin;

		cell = take_cell(text, &at);
		if (thread == test->nr_threads)
			text_fail(text, cell.begin, "expected a row of %u threads",
				  test->nr_threads);
		if (cell.begin < cell.end)
			test_row(test, thread, cell.begin, cell.end);
		begin = take_labels(test, thread, cell);
		if (begin < cell.end)
			test->isa->instruction(test, thread, begin, cell.end);
		thread++;
	} while (!cell.last);
	if (thread != test->nr_threads)
		text_fail(text, cell.end, "expected | and a row of %u threads", test->nr_threads);
	return at;
}

const char *read_columns(struct text *text, struct test *test, const char *at)
{
	at = read_names(text, test, skip_blanks(text, at));
	for (unsigned i = test->nr_threads; i < TEST_THREADS; i++)
		if (test->thread[i].nr_registers)
			text_fail(text, at - 1, "expected P%u, too: the initial state has its %s",
				  i, test->thread[i].reg[0].name);
	for (;;) {
		at = skip_blanks(text, at);
		if (is_question(at))
			break;
		at = read_row(text, test, at);
	}
	for (unsigned i = 0; i < test->nr_threads; i++)
		labels_resolve(test, i);
	return at;
}

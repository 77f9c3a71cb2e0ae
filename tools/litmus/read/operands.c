/* SPDX-License-Identifier: MIT */
/* Reads an instruction's words, and adds the instructions that it becomes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "read/assembly.h"

void trim(const char **begin, const char **end)
{
	while (*begin < *end && isspace((unsigned char)**begin))
		++*begin;
	while (*end > *begin && isspace((unsigned char)(*end)[-1]))
		--*end;
}

bool same_word(const char *begin, const char *end, const char *what)
{
	size_t length = strlen(what);

	return (size_t)(end - begin) == length && !strncasecmp(begin, what, length);
}

bool has_prefix(const char *begin, const char *end, const char *prefix, const char **rest)
{
	size_t length = strlen(prefix);

	if ((size_t)(end - begin) < length || strncasecmp(begin, prefix, length))
		return false;
	*rest = begin + length;
	return true;
}

bool read_number(const char *begin, const char *end, char mark, uint64_t *value)
{
	bool minus;
	char *behind;

	trim(&begin, &end);
	if (begin < end && *begin == mark)
		begin++;
	minus = begin < end && *begin == '-';
	begin += minus;
	if (begin == end || !isdigit((unsigned char)*begin))
		return false;
	*value = strtoull(begin, &behind, 0);
	if (minus)
		*value = -*value;
	return behind == end;
}

static void add_word(struct words *words, const char *begin, const char *end)
{
	trim(&begin, &end);
	if (words->nr == LINE_WORDS)
		text_fail(words->text, begin, "expected no more operands");
	if (begin == end)
		text_fail(words->text, begin, "expected an operand");
	words->word[words->nr].begin = begin;
	words->word[words->nr++].end = end;
}

void words_split(struct words *words, struct text *text, const char *begin, const char *end)
{
	const char *p = begin;
	unsigned depth = 0;

	words->text = text;
	words->nr = 0;
	trim(&begin, &end);
	for (p = begin; p < end && !isspace((unsigned char)*p);)
		p++;
	add_word(words, begin, p);
	trim(&p, &end);
	if (p == end)
		return;
	for (begin = p; p < end; p++) {
		depth += *p == '[' || *p == '(';
		depth -= depth && (*p == ']' || *p == ')');
		if (*p == ',' && !depth) {
			add_word(words, begin, p);
			begin = p + 1;
		}
	}
	add_word(words, begin, end);
}

bool word_is(const struct words *words, unsigned i, const char *what)
{
	return i < words->nr && same_word(words->word[i].begin, words->word[i].end, what);
}

void line_start(struct line *line, struct test *test, unsigned thread, const char *begin,
		const char *end)
{
	*line = (struct line) { .test = test, .thread = thread };
	trim(&begin, &end);
	if (begin == end)
		text_fail(test->text, begin, "expected an instruction");
	words_split(&line->words, test->text, begin, end);
	line->at = line->words.word[0].begin;
}

void line_fail_at(const struct line *line, const char *begin, const char *end, const char *what)
{
	text_fail(line->words.text, begin, "expected %s, not %.*s", what,
		  end - begin > 60 ? 60 : (int)(end - begin), begin);
}

void line_fail(const struct line *line, unsigned i, const char *what)
{
	if (i >= line->words.nr)
		text_fail(line->words.text, line->words.word[line->words.nr - 1].end,
			  "expected %s", what);
	line_fail_at(line, line->words.word[i].begin, line->words.word[i].end, what);
}

void line_operands(const struct line *line, unsigned least, unsigned most)
{
	if (line->words.nr - 1 < least)
		line_fail(line, line->words.nr, "another operand");
	if (line->words.nr - 1 > most)
		line_fail(line, most + 1, "no more operands");
}

struct instruction *line_add(struct line *line, enum op op, unsigned size)
{
	struct instruction *instruction = test_add(line->test, line->thread, op, line->at);

	instruction->size = size;
	return instruction;
}

void line_set(struct line *line, int dst, enum alu alu, unsigned size, struct operand a,
	      struct operand b)
{
	struct instruction *set;

	if (dst < 0)
		return;
	set = line_add(line, OP_SET, size);
	set->dst = dst;
	set->alu = alu;
	set->a = a;
	set->b = b;
}

unsigned line_scratch(struct line *line)
{
	int *scratch = &reading_of(line->test, line->thread)->scratch[line->nr_scratch];

	if (line->nr_scratch == LINE_SCRATCH)
		text_fail(line->words.text, line->at, "expected a simpler instruction");
	line->nr_scratch++;
	if (*scratch < 0)
		*scratch = (int)test_temporary(line->test, line->thread);
	return (unsigned)*scratch;
}

struct operand line_compute(struct line *line, enum alu alu, unsigned size, struct operand a,
			    struct operand b)
{
	unsigned scratch;

	if (!a.is_register && !b.is_register)
		return operand_value(alu_result(alu, a.value, b.value, size));
	scratch = line_scratch(line);
	line_set(line, (int)scratch, alu, size, a, b);
	return operand_reg(scratch);
}

struct operand line_sign_extended(struct line *line, struct operand a, unsigned from)
{
	return from == 8 ? a : line_compute(line, ALU_SEXT, 8, a, operand_value(from));
}

unsigned line_register(struct line *line, const char *name)
{
	return test_register(line->test, line->thread, name);
}

const char *before_remark(const char *begin, const char *end, const char *mark)
{
	size_t length = strlen(mark);

	for (const char *p = begin; p + length <= end; p++)
		if (!memcmp(p, mark, length))
			return p;
	return end;
}

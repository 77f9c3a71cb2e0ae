/* SPDX-License-Identifier: MIT */
/*
 * Writes x86's rows, in AT&T's syntax whatever the test has, with a register before the names of
 * locations: x(%rip) and (x) become 64(%r15).
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "read/x86.h"
#include "run/plan.h"

struct row {
	FILE *out;
	const struct plan *plan;
	unsigned thread;
	const char *base;
	bool intel;
};

static void put_lower(FILE *out, const char *begin, const char *end)
{
	for (const char *p = begin; p < end; p++)
		putc(tolower((unsigned char)*p), out);
}

/* Returns the location whose name begins at @begin, and its end in @rest; -1: none. */
static int location_at(const struct row *row, const char *begin, const char *end,
		       const char **rest)
{
	const char *p = begin;

	while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	*rest = p;
	return p == begin ? -1 : location_named(row->plan->test, begin, p);
}

static void fail_x86(const struct row *row, const char *begin, const char *end)
{
	text_fail(row->plan->test->text, row->plan->test->text->begin,
		  "P%u: expected a simpler operand to run it, not %.*s", row->thread,
		  (int)(end - begin), begin);
}

/* Writes the registers in parentheses, as 64-bit ones, whatever the test calls them. */
static void put_x86_registers(const struct row *row, const char *begin, const char *end)
{
	struct x86_operand operand;
	const char *name, *to;

	for (const char *p = begin; p <= end; p = to + 1) {
		to = memchr(p, ',', (size_t)(end - p));
		to = to ? to : end;
		begin = p;
		name = x86_register(begin, to, row->intel, &operand);
		if (name && *name == 'E')
			fputs("%%r", row->out);
		else if (name)
			fputs("%%", row->out);
		if (name)
			put_lower(row->out, name + (*name == 'E'), name + strlen(name));
		else
			fprintf(row->out, "%.*s", (int)(to - begin), begin);
		if (to < end)
			putc(',', row->out);
	}
}

static void put_memory(const struct row *row, const char *begin, const char *open, const char *end)
{
	const char *inner = open + 1, *inner_end = end - 1, *rest;
	int location = location_at(row, inner, inner_end, &rest);

	if (location >= 0) {		/* (x+4): a number may come before the location */
		fprintf(row->out, "%.*s%s%u%.*s(%%%%%s)", (int)(open - begin), begin,
			open > begin ? "+" : "", row->plan->offset[location],
			(int)(inner_end - rest), rest, row->base);
		return;
	}
	location = location_at(row, begin, open, &rest);
	if (location < 0) {
		fprintf(row->out, "%.*s(", (int)(open - begin), begin);
		put_x86_registers(row, inner, inner_end);
		putc(')', row->out);
		return;
	}
	fprintf(row->out, "%u%.*s(%%%%%s", row->plan->offset[location], (int)(open - rest), rest,
		row->base);
	if (inner < inner_end && !same_word(inner, inner_end, "%rip")) {
		if (*inner != ',' && memchr(inner, ',', (size_t)(inner_end - inner)))
			fail_x86(row, begin, end);
		if (*inner != ',')
			putc(',', row->out);
		put_x86_registers(row, inner, inner_end);
	}
	putc(')', row->out);
}

static const char *bracket_of(const char *begin, const char *end)
{
	for (const char *p = begin; p < end; p++)
		if (*p == '(' || *p == '[')
			return p;
	return NULL;
}

static void put_operand(const struct row *row, const char *begin, const char *end)
{
	const char *open = bracket_of(begin, end);
	struct x86_operand operand;
	uint64_t number;

	if (x86_register(begin, end, row->intel, &operand)) {
		fputs("%%", row->out);
		put_lower(row->out, begin + (*begin == '%'), end);
	} else if (read_number(begin, end, '$', &number)) {
		fprintf(row->out, "$%.*s", (int)(end - begin - (*begin == '$')),
			begin + (*begin == '$'));
	} else if (open) {
		put_memory(row, begin, open, end);
	} else {
		put_text(row->out, row->plan, row->thread, begin, end);
	}
}

/* Whether a size has to be added: herd's X86 need not say it. Without a register the size is 4. */
static bool needs_size(const struct row *row, const struct words *words)
{
	static const char sized[] =
		"mov add sub and or xor inc dec neg not cmp test xchg xadd cmpxchg "
		"MOV ADD SUB AND OR XOR INC DEC NEG NOT CMP TEST XCHG XADD CMPXCHG";
	struct x86_operand operand;
	char mnemonic[16];

	snprintf(mnemonic, sizeof(mnemonic), "%.*s",
		 (int)(words->word[0].end - words->word[0].begin), words->word[0].begin);
	for (unsigned i = 1; i < words->nr; i++)
		if (x86_register(words->word[i].begin, words->word[i].end, row->intel, &operand))
			return false;
	return row->intel && words->nr > 1 && is_among(mnemonic, sized);
}

static void put_instruction(const struct row *row, const char *begin, const char *end)
{
	struct words words;

	words_split(&words, row->plan->test->text, begin, end);
	put_lower(row->out, words.word[0].begin, words.word[0].end);
	fputs(needs_size(row, &words) ? "l " : " ", row->out);
	for (unsigned i = 1; i < words.nr; i++) {
		unsigned word = row->intel ? words.nr - i : i;

		fputs(i > 1 ? ", " : "", row->out);
		put_operand(row, words.word[word].begin, words.word[word].end);
	}
}

void put_x86_row(FILE *out, const struct plan *plan, unsigned thread, const char *text,
		 const char *base)
{
	struct row row = { out, plan, thread, base, plan->test->isa == &isa_x86_intel };
	const char *begin = put_labels(out, plan, thread, text), *end = begin + strcspn(begin, "#");

	for (;;) {
		const char *word = begin;

		while (word < end && !isspace((unsigned char)*word))
			word++;
		if (!same_word(begin, word, "lock") && !same_word(begin, word, "rep"))
			break;
		put_lower(out, begin, word);
		putc(' ', out);
		begin = word + strspn(word, " \t");
	}
	trim(&begin, &end);
	if (begin < end)
		put_instruction(&row, begin, end);
}

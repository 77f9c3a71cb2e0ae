/* SPDX-License-Identifier: MIT */
/* Labels have numbers while a thread is read. At its end they become indices of instructions. */
#include <ctype.h>
#include <string.h>

#include "read/assembly.h"

struct reading *reading_of(struct test *test, unsigned thread)
{
	struct reading *reading = test->thread[thread].reading;

	if (reading)
		return reading;
	reading = arena_alloc(test->arena, sizeof(*reading));
	reading->end = reading->left = reading->right = reading->result = -1;
	for (unsigned i = 0; i < LINE_SCRATCH; i++)
		reading->scratch[i] = -1;
	test->thread[thread].reading = reading;
	return reading;
}

static unsigned new_label(struct test *test, unsigned thread, const char *name, const char *at)
{
	struct reading *reading = reading_of(test, thread);

	if (reading->nr_labels == reading->room) {
		struct label *old = reading->label;

		reading->room = reading->room ? 2 * reading->room : 16;
		reading->label = arena_alloc(test->arena, reading->room * sizeof(*old));
		if (reading->nr_labels)
			memcpy(reading->label, old, reading->nr_labels * sizeof(*old));
	}
	reading->label[reading->nr_labels] = (struct label) { .name = name, .at = at, .index = -1 };
	return reading->nr_labels++;
}

unsigned label_number(struct test *test, unsigned thread, const char *begin, const char *end)
{
	const struct reading *reading = reading_of(test, thread);
	size_t length = (size_t)(end - begin);

	for (unsigned i = 0; i < reading->nr_labels; i++) {
		const char *name = reading->label[i].name;

		if (name && strlen(name) == length && !memcmp(name, begin, length))
			return i;
	}
	return new_label(test, thread, arena_text(test->arena, begin, length), begin);
}

void label_here(struct test *test, unsigned thread, const char *begin, const char *end)
{
	unsigned number = label_number(test, thread, begin, end);

	if (reading_of(test, thread)->label[number].index >= 0)
		text_fail(test->text, begin, "expected a new label, not %.*s once more",
			  (int)(end - begin), begin);
	label_place(test, thread, number);
}

unsigned label_fresh(struct test *test, unsigned thread)
{
	return new_label(test, thread, NULL, NULL);
}

void label_place(struct test *test, unsigned thread, unsigned number)
{
	reading_of(test, thread)->label[number].index = (int)test->thread[thread].nr;
}

unsigned label_end(struct test *test, unsigned thread)
{
	struct reading *reading = reading_of(test, thread);

	if (reading->end < 0)
		reading->end = (int)label_fresh(test, thread);
	return (unsigned)reading->end;
}

void labels_resolve(struct test *test, unsigned thread)
{
	struct reading *reading = reading_of(test, thread);
	struct thread *t = &test->thread[thread];

	if (reading->end >= 0)
		label_place(test, thread, (unsigned)reading->end);
	for (unsigned i = 0; i < reading->nr_labels; i++)
		if (reading->label[i].index < 0)
			text_fail(test->text, reading->label[i].at,
				  "expected a label of P%u: %s is nowhere", thread,
				  reading->label[i].name);
	for (unsigned i = 0; i < t->nr; i++)
		if (t->code[i].op == OP_BRANCH || t->code[i].op == OP_JUMP)
			t->code[i].target = (unsigned)reading->label[t->code[i].target].index;
}

static unsigned label_of(struct line *line, unsigned i)
{
	const char *begin = line->words.word[i].begin, *end = begin;

	while (end < line->words.word[i].end &&
	       (isalnum((unsigned char)*end) || strchr("_.$", *end)))
		end++;
	if (end == begin || (end < line->words.word[i].end && !isspace((unsigned char)*end)))
		line_fail(line, i, "a label");
	return label_number(line->test, line->thread, begin, end);
}

void line_go(struct line *line, enum op op, struct operand condition, unsigned label)
{
	struct instruction *branch = line_add(line, op, 8);

	branch->a = condition;
	branch->target = label;
}

void line_branch(struct line *line, struct operand condition, unsigned i)
{
	line_go(line, OP_BRANCH, condition, label_of(line, i));
}

void line_jump(struct line *line, unsigned i)
{
	line_go(line, OP_JUMP, operand_value(0), label_of(line, i));
}

void line_return(struct line *line)
{
	line_go(line, OP_JUMP, operand_value(0), label_end(line->test, line->thread));
}

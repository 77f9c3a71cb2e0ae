/* SPDX-License-Identifier: MIT */
/*
 * Jumps and arms. An arm is the code that an if controls (OP_ARM_BEGIN in test/test.h). A jump out
 * of an arm ends the arm first, so that arms nest in what is executed, however they lie in the
 * text. Code after a statement does not depend on how the statement was left. The kernel promises
 * no more than this.
 */
#include <string.h>

#include "read/c.h"

unsigned c_here(struct c *c)
{
	return c->test->thread[c->thread].nr;
}

unsigned c_jump(struct c *c, const char *at)
{
	test_add(c->test, c->thread, OP_JUMP, at);
	return c_here(c) - 1;
}

unsigned c_branch(struct c *c, const char *at, struct operand condition)
{
	test_add(c->test, c->thread, OP_BRANCH, at)->a = condition;
	return c_here(c) - 1;
}

static void land_at(struct c *c, unsigned jump, unsigned target)
{
	c->test->thread[c->thread].code[jump].target = target;
}

void c_land(struct c *c, unsigned jump)
{
	land_at(c, jump, c_here(c));
}

void c_arm_begin(struct c *c, const char *at)
{
	test_add(c->test, c->thread, OP_ARM_BEGIN, at);
	c->arms++;
}

void c_arm_end(struct c *c, const char *at)
{
	test_add(c->test, c->thread, OP_ARM_END, at);
	c->arms--;
}

void c_jump_out(struct c *c, const char *at, struct c_jumps *jumps, unsigned arms)
{
	if (jumps->nr == C_JUMPS)
		text_fail(c->lexer->text, at, "expected at most %d jumps to one place", C_JUMPS);
	for (unsigned i = arms; i < c->arms; i++)
		test_add(c->test, c->thread, OP_ARM_END, at);
	jumps->at[jumps->nr++] = c_jump(c, at);
}

void c_land_all(struct c *c, const struct c_jumps *jumps, unsigned target)
{
	for (unsigned i = 0; i < jumps->nr; i++)
		land_at(c, jumps->at[i], target);
}

static struct c_label *jump_label(struct c *c, const char *at, const char *name)
{
	for (unsigned i = 0; i < c->nr_labels; i++)
		if (!strcmp(c->label[i].name, name))
			return &c->label[i];
	if (c->nr_labels == C_LABELS)
		text_fail(c->lexer->text, at, "expected at most %d labels", C_LABELS);
	c->label[c->nr_labels] = (struct c_label) { .name = name };
	return &c->label[c->nr_labels++];
}

/* Jumps to a label. Labels are outside all arms: a goto ends all arms that it is in. */
void c_goto(struct c *c, const char *at, const char *name)
{
	struct c_label *to = jump_label(c, at, name);

	if (!to->used)
		to->used = at;
	c_jump_out(c, at, &to->jumps, 0);
}

void c_label(struct c *c, const char *at, const char *name)
{
	struct c_label *to = jump_label(c, at, name);

	if (to->defined)
		text_fail(c->lexer->text, at,
			  "expected another name: the label %s is there already", name);
	if (c->arms)
		text_fail(c->lexer->text, at, "expected a label outside of if and loops");
	to->defined = true;
	to->target = c_here(c);
}

void c_labels_end(struct c *c)
{
	for (unsigned i = 0; i < c->nr_labels; i++) {
		const struct c_label *to = &c->label[i];

		if (!to->defined)
			text_fail(c->lexer->text, to->used, "expected a label: %s is nowhere",
				  to->name);
		c_land_all(c, &to->jumps, to->target);
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * r0 = READ_ONCE(*x); without an int r0; before it. herd reads this, and a third of the tests of
 * the kernel's developers have it. Here only an assignment to a register's name, r and a number,
 * is accepted: anything else is a mistake. The type is that of the first value.
 */
#include <ctype.h>

#include "read/c.h"

static bool is_register_name(const struct token *token)
{
	const char *p = token->begin;

	if (token->kind != T_WORD || *p++ != 'r' || p == token->end)
		return false;
	while (p < token->end && isdigit((unsigned char)*p))
		p++;
	return p == token->end;
}

/* Whether such an assignment begins here. Looks ahead, in a copy. */
static bool stands_here(const struct c *c)
{
	struct lexer ahead = *c->lexer;
	struct token word = lexer_take(&ahead);

	return is_register_name(&word) && lexer_is(&ahead, "=") && c_local_find(c, &word) < 0 &&
		c_parameter_find(c, &word) < 0;
}

/* Returns the variable's type: at least an int, and no atomic object of C11. */
static struct c_type type_of(struct c_value value)
{
	struct c_type type = value.type;

	type.atomic = 0;
	type.boolean = false;
	if (!type.pointer && type.size && type.size < 4)
		return C_INT;
	return type;
}

/* Makes the value that was just put into a temporary go to @reg at once. */
static void put_loose(struct c *c, const char *at, unsigned reg, struct c_type type,
		      struct c_value value)
{
	struct thread *thread = &c->test->thread[c->thread];
	struct instruction *last = thread->nr ? &thread->code[thread->nr - 1] : NULL;

	if (last && last->dst >= 0 && value.operand.is_register &&
	    !thread->reg[value.operand.reg].name && (unsigned)last->dst == value.operand.reg)
		last->dst = (int)reg;
	else
		c_local_store(c, at, reg, type, value);
}

bool c_loose(struct c *c)
{
	struct c_value value;
	struct token word;
	const char *name;
	unsigned local;

	if (!stands_here(c))
		return false;
	word = c->lexer->token;
	name = lexer_word(c->lexer, "a register");
	lexer_expect(c->lexer, "=");
	value = c_value(c, c_expression(c), NULL);
	lexer_expect(c->lexer, ";");
	local = c_local_loose(c, word.begin, name, type_of(value));
	put_loose(c, word.begin, c->local[local].reg, c->local[local].type, value);
	return true;
}

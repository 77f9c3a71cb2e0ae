/* SPDX-License-Identifier: MIT */
#include "read/c.h"

/* Reads int r0 = 1: only the assignment has an effect. */
static void initialised(struct c *c, const char *at, unsigned local)
{
	static const struct c_want nobody = { .nothing = true };
	struct c_node *name = c_node(c, C_LOCAL, at, NULL, NULL), *assign;

	name->number = local;
	assign = c_node(c, C_ASSIGN, at, name, c_expression(c));
	assign->alu = ALU_SECOND;
	c_value(c, assign, &nobody);
}

static void declarator(struct c *c, struct c_type type)
{
	const char *at, *name;
	unsigned local;

	c_type_pointers(c->lexer, &type);
	at = c->lexer->token.begin;
	name = lexer_word(c->lexer, "the name of a variable");
	if (lexer_is(c->lexer, "["))
		text_fail(c->lexer->text, at, "expected a variable that is no array: %s", name);
	local = c_local_add(c, at, name, type);
	if (lexer_accept(c->lexer, "="))
		initialised(c, at, local);
}

void c_declaration(struct c *c)
{
	struct c_type type = c_type_base(c->lexer);

	do
		declarator(c, type);
	while (lexer_accept(c->lexer, ","));
	lexer_expect(c->lexer, ";");
}

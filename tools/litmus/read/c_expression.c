/* SPDX-License-Identifier: MIT */
/* Reads words into a tree, by the precedence of C's operators. */
#include "read/c.h"

enum { LEVEL_OR = 1, LEVEL_AND };

static const struct operator {
	const char *sign;
	int level;
	enum alu alu;
} operators[] = {
	{ "||", LEVEL_OR, 0 }, { "&&", LEVEL_AND, 0 },
	{ "|", 3, ALU_OR }, { "^", 4, ALU_XOR }, { "&", 5, ALU_AND },
	{ "==", 6, ALU_EQ }, { "!=", 6, ALU_NE },
	{ "<", 7, ALU_LT }, { "<=", 7, ALU_LE }, { ">", 7, ALU_GT }, { ">=", 7, ALU_GE },
	{ "<<", 8, ALU_SHL }, { ">>", 8, ALU_SHR },
	{ "+", 9, ALU_ADD }, { "-", 9, ALU_SUB }, { "*", 10, ALU_MUL },
};

static const struct operator assignments[] = {
	{ "=", 0, ALU_SECOND }, { "+=", 0, ALU_ADD }, { "-=", 0, ALU_SUB }, { "*=", 0, ALU_MUL },
	{ "&=", 0, ALU_AND }, { "|=", 0, ALU_OR }, { "^=", 0, ALU_XOR }, { "<<=", 0, ALU_SHL },
	{ ">>=", 0, ALU_SHR },
};

static const struct operator *find_operator(const struct lexer *lexer, const struct operator *table,
					    size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (lexer_is(lexer, table[i].sign))
			return &table[i];
	return NULL;
}

/* Splits ^* and ^+ and ^-1, signs of models, into two signs of C. */
static void split(struct lexer *lexer)
{
	if (lexer_is(lexer, "^*") || lexer_is(lexer, "^+") || lexer_is(lexer, "^-1")) {
		lexer->token.end = lexer->token.begin + 1;
		lexer->at = lexer->token.end;
	}
}

static const struct operator *operator_here(struct c *c)
{
	split(c->lexer);
	if (lexer_is(c->lexer, "/") || lexer_is(c->lexer, "%"))
		text_fail(c->lexer->text, c->lexer->token.begin,
			  "expected another operator: there is no division here");
	return find_operator(c->lexer, operators, sizeof(operators) / sizeof(*operators));
}

static const struct c_node *joined(struct c *c, const struct operator *operator, const char *at,
				   const struct c_node *a, const struct c_node *b)
{
	struct c_node *node;

	if (operator->level <= LEVEL_AND)
		return c_node(c, operator->level == LEVEL_OR ? C_OR : C_AND, at, a, b);
	c_must_be_sequenced(c, a, b);
	node = c_node(c, C_BINARY, at, a, b);
	node->alu = operator->alu;
	return node;
}

static const struct c_node *of_level(struct c *c, int level)
{
	const struct c_node *left = c_operand(c);
	const struct operator *operator;

	while ((operator = operator_here(c)) && operator->level >= level) {
		const char *at = lexer_take(c->lexer).begin;

		left = joined(c, operator, at, left, of_level(c, operator->level + 1));
	}
	return left;
}

static const struct c_node *conditional_operator(struct c *c)
{
	const struct c_node *condition = of_level(c, LEVEL_OR), *first, *pair;
	struct c_node *node;
	const char *at = c->lexer->token.begin;

	if (!lexer_accept(c->lexer, "?"))
		return condition;
	first = c_expression(c);
	lexer_expect(c->lexer, ":");
	pair = c_node(c, C_CHOOSE, at, first, c_expression(c));
	node = c_node(c, C_CHOOSE, at, condition, pair);
	node->b = pair->a;
	node->c = pair->b;
	return node;
}

const struct c_node *c_expression(struct c *c)
{
	const struct c_node *left;
	const struct operator *assignment;

	c_deeper(c);
	left = conditional_operator(c);
	assignment = find_operator(c->lexer, assignments,
				   sizeof(assignments) / sizeof(*assignments));
	if (assignment) {
		const char *at = lexer_take(c->lexer).begin;
		struct c_node *node = c_node(c, C_ASSIGN, at, left, c_expression(c));

		node->alu = assignment->alu;
		left = node;
	}
	c->depth--;
	return left;
}

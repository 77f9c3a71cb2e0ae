/* SPDX-License-Identifier: MIT */
/* The operands of an expression: names, numbers and calls, with the operators before and after. */
#include <string.h>

#include "read/c.h"

#define LONGEST 1000	/* nesting limit of operators */

void c_deeper(struct c *c)
{
	if (++c->depth > C_DEEPEST)
		text_fail(c->lexer->text, c->lexer->token.begin, "expected at most %d levels",
			  C_DEEPEST);
}

static void child(struct c *c, struct c_node *node, const struct c_node *of)
{
	if (!of)
		return;
	node->effects |= of->effects;
	if (of->depth >= node->depth)
		node->depth = of->depth + 1;
	if (node->depth > LONGEST)
		text_fail(c->lexer->text, node->at, "expected a shorter expression");
}

struct c_node *c_node(struct c *c, enum c_kind kind, const char *at, const struct c_node *a,
		      const struct c_node *b)
{
	struct c_node *node = arena_alloc(c->test->arena, sizeof(*node));

	node->kind = kind;
	node->at = at;
	node->a = a;
	node->b = b;
	node->effects = kind == C_DEREFERENCE || kind == C_MEMBER || kind == C_ASSIGN ||
			kind == C_STEP || kind == C_CALL;
	child(c, node, a);
	child(c, node, b);
	return node;
}

static struct c_node *number_operand(struct c *c, const char *at, uint64_t value,
				     struct c_type type)
{
	struct c_node *node = c_node(c, C_NUMBER, at, NULL, NULL);

	node->value = extended(value, type.size, type.sign);
	node->type = type;
	return node;
}

/* Reads a number. Its type is the first of int, unsigned if not decimal, long, unsigned long. */
static const struct c_node *literal(struct c *c)
{
	struct token token = lexer_take(c->lexer);
	struct c_type type = C_INT;

	for (const char *p = token.begin; p < token.end; p++) {
		if (*p == 'l' || *p == 'L')
			type.size = 8;
		if (*p == 'u' || *p == 'U')
			type.sign = false;
	}
	if (token.number > UINT32_MAX ||
	    (token.number > INT32_MAX && type.sign && *token.begin != '0'))
		type.size = 8;
	if (token.number > (type.size == 8 ? INT64_MAX : INT32_MAX))
		type.sign = false;
	return number_operand(c, token.begin, token.number, type);
}

static void arguments(struct c *c, struct c_node *node)
{
	if (!lexer_is(c->lexer, ")")) {
		do {
			if (node->nr == C_ARGUMENTS)
				text_fail(c->lexer->text, c->lexer->token.begin,
					  "expected at most %d arguments", C_ARGUMENTS);
			node->argument[node->nr] = c_expression(c);
			child(c, node, node->argument[node->nr++]);
		} while (lexer_accept(c->lexer, ","));
	}
	lexer_expect(c->lexer, ")");
}

static const struct c_node *call_operand(struct c *c, const struct token *name)
{
	struct c_node *node = c_node(c, C_CALL, name->begin, NULL, NULL);
	struct c_primitive *primitive = arena_alloc(c->test->arena, sizeof(*primitive));
	bool kernel = c->test->dialect == DIALECT_KERNEL;
	int length = (int)(name->end - name->begin);
	size_t nr;

	if (!(kernel ? kernel_primitive : c11_primitive)(primitive, name)) {
		c_not_modelled(c->lexer->text, name);
		text_fail(c->lexer->text, name->begin, "expected a function of %s: %.*s() is none",
			  kernel ? "the kernel's dialect" : "C11's dialect", length, name->begin);
	}
	lexer_expect(c->lexer, "(");
	arguments(c, node);
	node->primitive = primitive;
	nr = strlen(primitive->arguments);
	if (node->nr != nr)
		text_fail(c->lexer->text, name->begin, "expected %zu argument%s of %.*s(), not %u",
			  nr, nr == 1 ? "" : "s", length, name->begin, node->nr);
	return node;
}

/* Returns a register that the initial state knows, of any type; -1: none. */
static int initial(struct c *c, const struct token *word)
{
	size_t length = (size_t)(word->end - word->begin);
	const char *name = arena_text(c->test->arena, word->begin, length);

	if (test_find_register(c->test, c->thread, name) < 0 || c_was_local(c, name))
		return -1;
	return (int)c_local_loose(c, word->begin, name,
				  (struct c_type) { .size = 8, .sign = true });
}

static const struct c_node *named_operand(struct c *c, const struct token *word)
{
	int local = c_local_find(c, word), parameter = c_parameter_find(c, word);
	struct c_node *node;

	if (token_is(word, "true") || token_is(word, "false") || token_is(word, "NULL"))
		return number_operand(c, word->begin, token_is(word, "true"), C_INT);
	if (local < 0 && parameter < 0)
		local = initial(c, word);
	if (local < 0 && parameter < 0)
		text_fail(c->lexer->text, word->begin, "expected a variable: %.*s is not declared",
			  (int)(word->end - word->begin), word->begin);
	node = c_node(c, local >= 0 ? C_LOCAL : C_PARAMETER, word->begin, NULL, NULL);
	node->number = (unsigned)(local >= 0 ? local : parameter);
	return node;
}

static const struct c_node *word(struct c *c)
{
	struct token token = lexer_take(c->lexer);
	struct c_node *node;
	int order;

	if (lexer_is(c->lexer, "("))
		return call_operand(c, &token);
	order = c11_order(&token);
	if (order < 0)
		return named_operand(c, &token);
	node = c_node(c, C_ORDER, token.begin, NULL, NULL);
	node->value = (uint64_t)order;
	return node;
}

static const struct c_node *step_operator(struct c *c, const struct c_node *of, bool behind)
{
	struct token token = lexer_take(c->lexer);
	struct c_node *node = c_node(c, C_STEP, token.begin, of, NULL);

	node->alu = token_is(&token, "++") ? ALU_ADD : ALU_SUB;
	node->behind = behind;
	return node;
}

static const struct c_node *element(struct c *c, const struct c_node *of)
{
	const char *at = lexer_take(c->lexer).begin;
	struct c_node *sum = c_node(c, C_BINARY, at, of, c_expression(c));

	sum->alu = ALU_ADD;
	lexer_expect(c->lexer, "]");
	return c_node(c, C_DEREFERENCE, at, sum, NULL);
}

static const struct c_node *member(struct c *c, const struct c_node *of)
{
	struct token token = lexer_take(c->lexer);
	struct c_node *node = c_node(c, C_MEMBER, token.begin, of, NULL);

	node->arrow = token_is(&token, "->");
	node->name = lexer_word(c->lexer, "the name of a member");
	return node;
}

static const struct c_node *with_suffixes(struct c *c, const struct c_node *node)
{
	for (;;) {
		if (lexer_is(c->lexer, "["))
			node = element(c, node);
		else if (lexer_is(c->lexer, "++") || lexer_is(c->lexer, "--"))
			node = step_operator(c, node, true);
		else if (lexer_is(c->lexer, "->") || lexer_is(c->lexer, "."))
			node = member(c, node);
		else
			return node;
	}
}

/* Reads a cast, or an expression in parentheses; after the opening one. */
static const struct c_node *parenthesis(struct c *c, const char *at)
{
	const struct c_node *inner;
	struct c_node *cast;
	struct c_type type;

	if (!c_type_begins(c->lexer)) {
		inner = c_expression(c);
		lexer_expect(c->lexer, ")");
		return with_suffixes(c, inner);
	}
	type = c_type_base(c->lexer);
	c_type_pointers(c->lexer, &type);
	lexer_expect(c->lexer, ")");
	cast = c_node(c, C_CAST, at, c_operand(c), NULL);
	cast->type = type;
	return cast;
}

static const struct c_node *negated(struct c *c, const char *at, bool arithmetic)
{
	struct c_node *zero = number_operand(c, at, arithmetic ? 0 : UINT64_MAX, C_INT);
	struct c_node *node = c_node(c, C_BINARY, at, zero, c_operand(c));

	node->alu = arithmetic ? ALU_SUB : ALU_XOR;
	return node;
}

static const struct c_node *with_prefix(struct c *c)
{
	struct token token = lexer_take(c->lexer);

	if (token_is(&token, "("))
		return parenthesis(c, token.begin);
	if (token_is(&token, "*"))
		return c_node(c, C_DEREFERENCE, token.begin, c_operand(c), NULL);
	if (token_is(&token, "&"))
		return c_node(c, C_ADDRESS, token.begin, c_operand(c), NULL);
	if (token_is(&token, "!"))
		return c_node(c, C_NOT, token.begin, c_operand(c), NULL);
	if (token_is(&token, "-"))
		return negated(c, token.begin, true);
	if (token_is(&token, "~"))
		return negated(c, token.begin, false);
	if (token_is(&token, "+"))
		return c_operand(c);
	text_fail(c->lexer->text, token.begin, "expected an expression");
}

static const struct c_node *before_step(struct c *c)
{
	struct token token = c->lexer->token;
	struct c_node *node;

	lexer_take(c->lexer);
	node = c_node(c, C_STEP, token.begin, c_operand(c), NULL);
	node->alu = token_is(&token, "++") ? ALU_ADD : ALU_SUB;
	return node;
}

const struct c_node *c_operand(struct c *c)
{
	const struct c_node *node;

	c_deeper(c);
	if (c->lexer->token.kind == T_NUMBER)
		node = with_suffixes(c, literal(c));
	else if (c->lexer->token.kind == T_WORD)
		node = with_suffixes(c, word(c));
	else if (lexer_is(c->lexer, "++") || lexer_is(c->lexer, "--"))
		node = before_step(c);
	else if (c->lexer->token.kind == T_SIGN)
		node = with_prefix(c);
	else
		text_fail(c->lexer->text, c->lexer->token.begin, "expected an expression");
	c->depth--;
	return node;
}

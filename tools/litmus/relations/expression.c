/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "relations/parser.h"

void expected(struct parser *p, const char *what)
{
	text_fail(p->lexer.text, p->lexer.token.begin, "expected %s", what);
}

#define MAX_DEPTH 200
static void deeper(struct parser *p)
{
	if (++p->depth > MAX_DEPTH)
		expected(p, "fewer parentheses");
}

static bool is_set(struct parser *p, unsigned node)
{
	return p->rules->node[node].is_set;
}

static void need(struct parser *p, const char *at, unsigned node, bool set)
{
	if (is_set(p, node) != set)
		text_fail(p->lexer.text, at, set ? "expected a set, not a relation" :
			  "expected a relation, not a set");
}

/* Fails if an operand that takes away from the result grows with the let rec that is being read. */
static void need_growth(struct parser *p, const char *at, unsigned node)
{
	if (p->rules->node[node].on & ON_REC)
		text_fail(p->lexer.text, at, "expected none of the names that this let rec defines "
			  "behind \\ or ~, or in brackets()");
}

static struct name *find_name(struct parser *p, const struct token *token)
{
	for (unsigned i = p->nr; i-- > 0;) {
		if (i >= p->before && i < p->own)
			continue;
		if (token_is(token, p->name[i].name))
			return &p->name[i];
	}
	return NULL;
}

struct name *add_name(struct parser *p, const char *name)
{
	if (p->nr == MAX_NAMES)
		expected(p, "fewer names");
	p->name[p->nr] = (struct name) { .name = name };
	return &p->name[p->nr++];
}

/*
 * Calls a function: names the arguments by the parameters, reads the body again, and drops these
 * names.
 */
static unsigned call_function(struct parser *p, const struct name *function)
{
	unsigned argument[MAX_PARAMETERS], nr = p->nr, before = p->before, own = p->own, result;
	struct lexer behind;

	lexer_expect(&p->lexer, "(");
	for (unsigned i = 0; i < function->nr_parameters; i++) {
		if (i)
			lexer_expect(&p->lexer, ",");
		argument[i] = expression(p);
	}
	behind = p->lexer;
	if (!lexer_is(&behind, ")"))
		expected(p, ")");
	for (unsigned i = 0; i < function->nr_parameters; i++)
		add_name(p, function->parameter[i])->node = argument[i];
	p->before = function->before;
	p->own = nr;
	p->lexer.text = function->text;
	p->lexer.at = function->body;
	lexer_take(&p->lexer);
	result = expression(p);
	p->nr = nr;
	p->before = before;
	p->own = own;
	p->lexer = behind;
	lexer_take(&p->lexer);
	return result;
}

static unsigned end_of(struct parser *p, bool domain, const char *begin)
{
	const char *at;
	unsigned node;

	lexer_expect(&p->lexer, "(");
	at = p->lexer.token.begin;
	node = expression(p);
	need(p, at, node, false);
	lexer_expect(&p->lexer, ")");
	return node_make(p->rules, domain ? NODE_DOMAIN : NODE_RANGE, node, node, begin,
			 p->lexer.taken);
}

/* Reads a set of brackets(), which may depend on nothing that a let rec defines. */
static unsigned bracket(struct parser *p)
{
	const char *at = p->lexer.token.begin;
	unsigned node = expression(p);

	need(p, at, node, true);
	need_growth(p, at, node);
	return node;
}

static unsigned brackets(struct parser *p, const char *begin)
{
	unsigned a, b;

	lexer_expect(&p->lexer, "(");
	a = bracket(p);
	lexer_expect(&p->lexer, ",");
	b = bracket(p);
	lexer_expect(&p->lexer, ")");
	return node_make(p->rules, NODE_BRACKETS, a, b, begin, p->lexer.taken);
}

static unsigned named_expression(struct parser *p)
{
	struct token token = p->lexer.token;
	struct name *name = find_name(p, &token);
	int base;

	if (name) {
		lexer_take(&p->lexer);
		return name->nr_parameters ? call_function(p, name) : name->node;
	}
	if (lexer_accept(&p->lexer, "domain"))
		return end_of(p, true, token.begin);
	if (lexer_accept(&p->lexer, "range"))
		return end_of(p, false, token.begin);
	if (lexer_accept(&p->lexer, "brackets"))
		return brackets(p, token.begin);
	base = base_named(token.begin, (size_t)(token.end - token.begin));
	if (base < 0)
		text_fail(p->lexer.text, token.begin,
			  "expected a set or a relation, not %.*s, which nothing names",
			  (int)(token.end - token.begin), token.begin);
	lexer_take(&p->lexer);
	return node_base(p->rules, (unsigned)base, base_name((unsigned)base));
}

static unsigned on_set(struct parser *p)
{
	const char *begin = p->lexer.token.begin, *at;
	unsigned node;

	lexer_expect(&p->lexer, "[");
	at = p->lexer.token.begin;
	node = expression(p);
	need(p, at, node, true);
	lexer_expect(&p->lexer, "]");
	return node_make(p->rules, NODE_ON, node, node, begin, p->lexer.taken);
}

static unsigned primary(struct parser *p)
{
	struct token token = p->lexer.token;
	unsigned node;

	deeper(p);
	if (lexer_accept(&p->lexer, "(")) {
		node = expression(p);
		lexer_expect(&p->lexer, ")");
	} else if (lexer_is(&p->lexer, "[")) {
		node = on_set(p);
	} else if (token.kind == T_WORD) {
		node = named_expression(p);
	} else if (token.kind == T_NUMBER && !token.number) {
		lexer_take(&p->lexer);
		node = node_base(p->rules, BASE_NONE, "0");
	} else {
		expected(p, "a set or a relation");
	}
	p->depth--;
	return node;
}

/* Whether an expression can begin here. If so, a star before it is the product. */
static bool expression_begins(const struct lexer *lexer)
{
	static const char *const words[] = { "let", "and", "as", "acyclic", "irreflexive", "empty",
		"flag", "include" };

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (lexer_is(lexer, words[i]))
			return false;
	return lexer->token.kind == T_WORD || lexer->token.kind == T_NUMBER ||
	       lexer_is(lexer, "(") || lexer_is(lexer, "[") || lexer_is(lexer, "~");
}

static bool product_follows(const struct parser *p)
{
	struct lexer ahead = p->lexer;

	return lexer_accept(&ahead, "*") && expression_begins(&ahead);
}

static int postfix_op(struct parser *p)
{
	if (lexer_accept(&p->lexer, "^+") || lexer_accept(&p->lexer, "+"))
		return NODE_PLUS;
	if (lexer_accept(&p->lexer, "^*"))
		return NODE_STAR;
	if (lexer_accept(&p->lexer, "^-1"))
		return NODE_INVERSE;
	if (lexer_accept(&p->lexer, "?"))
		return NODE_OPTION;
	if (lexer_is(&p->lexer, "*") && !product_follows(p)) {
		lexer_take(&p->lexer);
		return NODE_STAR;
	}
	return -1;
}

static unsigned postfix(struct parser *p)
{
	const char *begin = p->lexer.token.begin;
	unsigned node = primary(p);
	int op;

	while ((op = postfix_op(p)) >= 0) {
		need(p, begin, node, false);
		node = node_make(p->rules, (enum node_op)op, node, node, begin, p->lexer.taken);
	}
	return node;
}

static unsigned prefix(struct parser *p)
{
	const char *begin = p->lexer.token.begin;
	unsigned node;

	if (!lexer_accept(&p->lexer, "~"))
		return postfix(p);
	deeper(p);
	node = prefix(p);
	p->depth--;
	need_growth(p, begin, node);
	return node_make(p->rules, NODE_NOT, node, node, begin, p->lexer.taken);
}

/* The operators, from the loosest to the tightest, as in cat. */
static const struct { const char *sign; enum node_op op; } binary[] = {
	{ "|", NODE_UNION }, { ";", NODE_SEQUENCE }, { "\\", NODE_MINUS }, { "&", NODE_AND },
	{ "*", NODE_PRODUCT },
};
#define NR_BINARY (sizeof(binary) / sizeof(binary[0]))

static void check_kinds(struct parser *p, const char *at, enum node_op op, unsigned a, unsigned b)
{
	if (op == NODE_MINUS)
		need_growth(p, at, b);
	switch (op) {
	case NODE_SEQUENCE:
		need(p, at, a, false);
		need(p, at, b, false);
		break;
	case NODE_PRODUCT:
		need(p, at, a, true);
		need(p, at, b, true);
		break;
	default:
		if (is_set(p, a) != is_set(p, b))
			text_fail(p->lexer.text, at,
				  "expected two sets or two relations, not one of each");
	}
}

static unsigned level(struct parser *p, unsigned i)
{
	const char *begin = p->lexer.token.begin;
	unsigned node, other;

	if (i == NR_BINARY)
		return prefix(p);
	node = level(p, i + 1);
	while (lexer_is(&p->lexer, binary[i].sign)) {
		lexer_take(&p->lexer);
		other = level(p, i + 1);
		check_kinds(p, begin, binary[i].op, node, other);
		node = node_make(p->rules, binary[i].op, node, other, begin, p->lexer.taken);
	}
	return node;
}

unsigned expression(struct parser *p)
{
	return level(p, 0);
}

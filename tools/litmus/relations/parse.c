/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "relations/parser.h"

#define MAX_INCLUDES 8

/* Names a node, for messages and pictures. A node keeps its first name. */
static void bind(struct parser *p, const char *name, unsigned node)
{
	if (!p->rules->node[node].name)
		p->rules->node[node].name = name;
	add_name(p, name)->node = node;
}

static bool at_statement(const struct lexer *lexer)
{
	static const char *const words[] = { "let", "acyclic", "irreflexive", "empty", "flag",
					     "include" };

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (lexer_is(lexer, words[i]))
			return true;
	return lexer->token.kind == T_END;
}

static void read_function(struct parser *p, const char *name)
{
	struct name function = { .name = name, .text = p->lexer.text };

	do {
		if (function.nr_parameters == MAX_PARAMETERS)
			expected(p, "at most 4 parameters");
		function.parameter[function.nr_parameters++] = lexer_word(&p->lexer,
									  "a parameter's name");
	} while (lexer_accept(&p->lexer, ","));
	lexer_expect(&p->lexer, ")");
	function.body = p->lexer.at;
	function.before = p->nr;
	lexer_expect(&p->lexer, "=");
	/* A function is read where it is called: only then its parameters are known. */
	while (!at_statement(&p->lexer))
		lexer_take(&p->lexer);
	*add_name(p, name) = function;
}

static void read_let(struct parser *p)
{
	char *name = lexer_word(&p->lexer, "a name");

	if (lexer_accept(&p->lexer, "(")) {
		read_function(p, name);
		return;
	}
	lexer_expect(&p->lexer, "=");
	bind(p, name, expression(p));
}

/* Reads a let rec. Its names are needed in its expressions: looks ahead for each "name =" . */
static void read_rec(struct parser *p)
{
	struct rules *rules = p->rules;
	struct group *group = &rules->group[rules->nr_groups];
	const char *name[GROUP_NODES];
	struct lexer begin = p->lexer;
	unsigned nr = p->nr;

	if (rules->nr_groups == MODEL_GROUPS)
		expected(p, "fewer let rec");
	for (bool first = true; !at_statement(&p->lexer); first = false) {
		if (first || lexer_accept(&p->lexer, "and")) {
			if (group->nr == GROUP_NODES)
				expected(p, "fewer names in one let rec");
			name[group->nr] = lexer_word(&p->lexer, "a name");
			group->rec[group->nr] = node_rec(rules, name[group->nr]);
			add_name(p, name[group->nr])->node = group->rec[group->nr];
			group->nr++;
		} else {
			lexer_take(&p->lexer);
		}
	}
	p->lexer = begin;
	for (unsigned i = 0; i < group->nr; i++) {
		if (i)
			lexer_expect(&p->lexer, "and");
		lexer_take(&p->lexer);
		lexer_expect(&p->lexer, "=");
		group->body[i] = expression(p);
		if (rules->node[group->body[i]].is_set)
			expected(p, "a relation in let rec, not a set");
	}
	p->nr = nr;
	for (unsigned i = 0; i < group->nr; i++)
		bind(p, name[i], node_fixed(rules, rules->nr_groups, i, name[i]));
	rules->nr_groups++;
}

static void read_axiom(struct parser *p, enum axiom_kind kind, bool flag)
{
	struct rules *rules = p->rules;
	struct axiom *axiom = &rules->axiom[rules->nr_axioms];
	const char *at = p->lexer.token.begin;

	if (rules->nr_axioms == MODEL_AXIOMS)
		expected(p, "fewer axioms");
	axiom->kind = kind;
	axiom->flag = flag;
	axiom->node = expression(p);
	if (kind != AXIOM_EMPTY && rules->node[axiom->node].is_set)
		text_fail(p->lexer.text, at, "expected a relation, not a set");
	if (lexer_accept(&p->lexer, "as")) {
		axiom->name = lexer_word(&p->lexer, "the axiom's name");
	} else {
		char number[24];

		snprintf(number, sizeof(number), "axiom %u", rules->nr_axioms + 1);
		axiom->name = arena_text(&rules->arena, number, strlen(number));
	}
	rules->nr_axioms++;
}

static void read_statements(struct parser *p, struct text *text, unsigned depth);

static void read_include(struct parser *p, unsigned depth)
{
	struct token token = p->lexer.token;
	struct lexer behind;
	struct text *text;
	char *name;

	if (token.kind != T_STRING)
		expected(p, "\"the name of a model or file\"");
	if (depth == MAX_INCLUDES)
		expected(p, "no more includes in includes");
	name = arena_text(&p->rules->arena, token.begin, (size_t)(token.end - token.begin));
	text = arena_alloc(&p->rules->arena, sizeof(*text));
	if (!rules_text(text, name, &p->rules->arena))
		text_fail(p->lexer.text, token.begin, "%.200s", text->message);
	behind = p->lexer;
	/* A fault in the included file ends the reading of this one, too. */
	read_statements(p, text, depth + 1);
	p->lexer = behind;
	lexer_take(&p->lexer);
}

static void read_checked(struct parser *p, bool flag)
{
	if (lexer_accept(&p->lexer, "acyclic"))
		read_axiom(p, AXIOM_ACYCLIC, flag);
	else if (lexer_accept(&p->lexer, "irreflexive"))
		read_axiom(p, AXIOM_IRREFLEXIVE, flag);
	else if (lexer_accept(&p->lexer, "empty"))
		read_axiom(p, AXIOM_EMPTY, flag);
	else
		expected(p, flag ? "acyclic, irreflexive or empty" :
			 "let, acyclic, irreflexive, empty, flag or include");
}

static void read_statements(struct parser *p, struct text *text, unsigned depth)
{
	lexer_start(&p->lexer, text, text->begin);
	p->lexer.dots = true;
	if (p->lexer.token.kind == T_STRING) {
		struct token title = lexer_take(&p->lexer);

		p->rules->title = arena_text(&p->rules->arena, title.begin,
					     (size_t)(title.end - title.begin));
	}
	while (p->lexer.token.kind != T_END) {
		if (lexer_accept(&p->lexer, "include"))
			read_include(p, depth);
		else if (!lexer_accept(&p->lexer, "let"))
			read_checked(p, lexer_accept(&p->lexer, "flag"));
		else if (lexer_accept(&p->lexer, "rec"))
			read_rec(p);
		else
			read_let(p);
	}
}

/* Whether the union @node has @member in it. */
static bool has_member(const struct rules *rules, unsigned node, unsigned member)
{
	const struct node *n = &rules->node[node];

	return node == member || (n->op == NODE_UNION &&
		(has_member(rules, n->a, member) || has_member(rules, n->b, member)));
}

static unsigned node_of(struct parser *p, const char *name)
{
	for (unsigned i = 0; i < p->nr; i++)
		if (!strcmp(p->name[i].name, name))
			return p->name[i].node;
	return 0;
}

static bool has_communication(struct parser *p, unsigned node)
{
	struct rules *rules = p->rules;

	return has_member(rules, node, node_of(p, "fr")) &&
		has_member(rules, node, node_base(rules, BASE_RF, "rf")) &&
		has_member(rules, node, node_base(rules, BASE_CO, "co"));
}

/* Whether the node is a; b? of an a that has po, and a b that has all steps of communication. */
static bool is_eventual(struct parser *p, unsigned node)
{
	struct rules *rules = p->rules;
	const struct node *n = &rules->node[node], *hb, *eco;

	if (n->op != NODE_SEQUENCE || rules->node[n->b].op != NODE_OPTION)
		return false;
	hb = &rules->node[n->a];
	eco = &rules->node[rules->node[n->b].a];
	return hb->op == NODE_PLUS && has_member(rules, hb->a, node_base(rules, BASE_PO, "po")) &&
		eco->op == NODE_PLUS && has_communication(p, eco->a);
}

/* Whether an axiom is coherence: acyclic po-loc | com and more, or C11's irreflexive hb; eco?. */
static bool is_coherent(struct parser *p)
{
	const struct rules *rules = p->rules;

	for (unsigned i = 0; i < rules->nr_axioms; i++) {
		const struct axiom *axiom = &rules->axiom[i];

		if (axiom->flag)
			continue;
		if (axiom->kind == AXIOM_ACYCLIC && has_communication(p, axiom->node) &&
		    has_member(rules, axiom->node, node_of(p, "po-loc")))
			return true;
		if (axiom->kind == AXIOM_IRREFLEXIVE && is_eventual(p, axiom->node))
			return true;
	}
	return false;
}

static bool names_parts(const struct rules *rules)
{
	for (unsigned i = 0; i < rules->nr; i++)
		if (rules->node[i].op == NODE_BASE && rules->node[i].a == BASE_SAME_ACCESS)
			return true;
	return false;
}

struct parsing {
	struct rules *rules;
	struct text *text;
};

static void parse(void *with)
{
	const struct parsing *parsing = with;
	struct rules *rules = parsing->rules;
	struct parser *p = arena_alloc(&rules->arena, sizeof(*p));
	struct text *common = arena_alloc(&rules->arena, sizeof(*common));

	p->rules = rules;
	if (!rules_text(common, "common", &rules->arena))
		text_leave(common);
	read_statements(p, common, 0);
	rules->title = NULL;
	read_statements(p, parsing->text, 0);
	if (!rules->nr_axioms)
		text_fail(parsing->text, parsing->text->end,
			  "expected an axiom: acyclic, irreflexive or empty");
	rules->coherent = is_coherent(p);
	rules->fewer = rules_fewer(rules);
	rules->parts = names_parts(rules);
}

bool rules_parse(struct rules *rules, struct text *text)
{
	struct parsing parsing = { rules, text };
	const struct text *wrong = text_try(parse, &parsing);

	if (wrong && wrong != text)
		memcpy(text->message, wrong->message, sizeof(text->message));
	return !wrong;
}

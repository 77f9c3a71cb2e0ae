/* SPDX-License-Identifier: MIT */
/* Within the reading of a model: statements (parse.c) of expressions (expression.c). */
#ifndef NAP_LITMUS_PARSER_H
#define NAP_LITMUS_PARSER_H

#include "relations/relations.h"

#define MAX_NAMES	160
#define MAX_PARAMETERS	4

/* What a let has named: a node, or a function, whose body is read anew at each call. */
struct name {
	const char *name;
	unsigned node;
	unsigned nr_parameters;
	const char *parameter[MAX_PARAMETERS];
	const char *body;
	unsigned before;		/* how many names there were: the body knows these */
	struct text *text;
};

struct parser {
	struct rules *rules;
	struct lexer lexer;
	unsigned depth;
	unsigned nr;
	unsigned before, own;		/* in a function: of names, those from @before to @own are not its */
	struct name name[MAX_NAMES];
};

unsigned expression(struct parser *p);
struct name *add_name(struct parser *p, const char *name);

/* Fails at the next token. */
void expected(struct parser *p, const char *what) __attribute__((noreturn));

#endif /* NAP_LITMUS_PARSER_H */

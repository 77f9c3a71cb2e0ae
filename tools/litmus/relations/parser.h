/* SPDX-License-Identifier: MIT */
/* Within the reading of a model: statements (parse.c) made of expressions (expression.c). */
#ifndef NAP_LITMUS_PARSER_H
#define NAP_LITMUS_PARSER_H

#include "relations/relations.h"

#define MAX_NAMES	160
#define MAX_PARAMETERS	4

/* A name of a let: of a node, or of a function, whose body is read again at each call. */
struct name {
	const char *name;
	unsigned node;
	unsigned nr_parameters;
	const char *parameter[MAX_PARAMETERS];
	const char *body;
	unsigned before;		/* how many names come before it: the body knows these */
	struct text *text;
};

struct parser {
	struct rules *rules;
	struct lexer lexer;
	unsigned depth;
	unsigned nr;
	unsigned before, own;		/* in a function: hides the names from @before to @own */
	struct name name[MAX_NAMES];
};

unsigned expression(struct parser *p);
struct name *add_name(struct parser *p, const char *name);

/* Fails at the next token: "expected @what". */
void expected(struct parser *p, const char *what) __attribute__((noreturn));

#endif /* NAP_LITMUS_PARSER_H */

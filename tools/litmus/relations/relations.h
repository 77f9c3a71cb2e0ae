/* SPDX-License-Identifier: MIT */
/*
 * Models, written in a small language of sets and relations, the subset of cat that most models
 * need (Alglave, Cousot, Maranget: Syntax and semantics of the weak consistency model specification
 * language cat, 2016; the names are cat's).
 *
 *	"title"
 *	include "file"
 *	let name = expression		let rec name = expression and name = expression
 *	let name(parameter, ...) = expression
 *	acyclic | irreflexive | empty   expression [as name]
 *	flag empty ...			forbids nothing: a flag; also flag acyclic, flag irreflexive
 *
 *	a | b   a & b   a \ b   a ; b   a * b   ~a   [set]   a^+  a^*  a?  a^-1   (a)   0
 *	domain(a)  range(a)
 *	brackets(a, b)			pairs each event of b with the event of a that it closes
 *					in its thread and location; all between is paired, too
 *
 * A text becomes a graph of nodes, in which equal expressions are one node. A node that depends on
 * neither rf nor co is computed once for each choice of paths, a node that depends on rf alone once
 * for each rf, any other node once for each co.
 */
#ifndef NAP_LITMUS_RELATIONS_H
#define NAP_LITMUS_RELATIONS_H

#include "graph/matrix.h"
#include "text/lexer.h"

/* The base relations and sets of expressions. */
enum base {
	BASE_ALL, BASE_R, BASE_W, BASE_F, BASE_M, BASE_IW,			/* sets */
	BASE_NONE, BASE_ID, BASE_PO, BASE_INT, BASE_EXT, BASE_LOC, BASE_ADDR, BASE_DATA, BASE_CTRL,
	BASE_PICK_ADDR, BASE_PICK_DATA, BASE_PICK_CTRL, BASE_RMW_DATA, BASE_RMW,
	BASE_SAME_ACCESS, BASE_SAME_VALUE, BASE_RF, BASE_CO,			/* relations */
	NR_BASES,
	BASE_TAG = NR_BASES		/* plus the number of a tag: its events (test/test.h) */
};

enum node_op { NODE_BASE, NODE_UNION, NODE_AND, NODE_MINUS, NODE_SEQUENCE, NODE_PRODUCT, NODE_NOT,
	       NODE_ON /* [set] */, NODE_PLUS, NODE_STAR, NODE_OPTION, NODE_INVERSE, NODE_DOMAIN,
	       NODE_RANGE, NODE_FROM /* [set]; a */, NODE_TO /* a; [set] */, NODE_BRACKETS,
	       NODE_REC, NODE_FIXED };

/* Flags for what a node's value depends on. */
#define ON_RF	1
#define ON_CO	2
#define ON_REC	4	/* on a let rec that is being solved */

struct node {
	enum node_op op;
	bool is_set;
	uint8_t on;
	bool grows;			/* if rf or co grow, no member is lost */
	unsigned a, b;			/* nodes; for a NODE_BASE: a is the base */
	const char *name;		/* of a let, or of the base; or NULL */
	const char *begin, *end;	/* in the text */
};

enum axiom_kind { AXIOM_ACYCLIC, AXIOM_IRREFLEXIVE, AXIOM_EMPTY };

struct axiom {
	enum axiom_kind kind;
	bool flag;
	unsigned node;
	const char *name;
};

#define MODEL_AXIOMS	24
#define MODEL_GROUPS	8
#define GROUP_NODES	8

/*
 * A let rec. Its expressions, @body, name each other by NODE_REC. A later expression names one of
 * them by NODE_FIXED (a: the group, b: the index), which stands for its value in the least
 * solution.
 */
struct group {
	unsigned nr, rec[GROUP_NODES], body[GROUP_NODES];
};

struct rules {
	const char *title, *name;
	bool coherent;			/* an axiom is coherence, for each location alone */
	bool parts;			/* the model names same-access: parts have a meaning */
	/* an execution without some of its reads and fences is allowed, too */
	bool fewer;
	struct arena arena;
	unsigned nr, room, nr_axioms, nr_groups;
	struct node *node;
	struct axiom axiom[MODEL_AXIOMS];
	struct group group[MODEL_GROUPS];
};

/*
 * names.c: returns the built-in model @name, or the model in the file @name, which has a dot or a
 * slash. NULL, and @message: there is none, or it is wrong. A model stays until the program ends.
 */
struct rules *rules_of(const char *name, char *message, size_t size);
/* Gets the text of the model @name. */
bool rules_text(struct text *text, const char *name, struct arena *arena);
/* The names of the built-in models, in order; NULL after the last. */
extern const char *const *const rule_names;

/* parse.c: reads "common" (fr, rfe, po-loc and so on), and then @text. False: @text->message. */
bool rules_parse(struct rules *rules, struct text *text);

/* fewer.c: finds out whether rules->fewer. */
bool rules_fewer(const struct rules *rules);

/* node.c: these return the node, which may exist already. Unary nodes have @b = @a. */
unsigned node_base(struct rules *rules, unsigned base, const char *name);
unsigned node_rec(struct rules *rules, const char *name);
unsigned node_fixed(struct rules *rules, unsigned group, unsigned which, const char *name);
unsigned node_make(struct rules *rules, enum node_op op, unsigned a, unsigned b, const char *begin,
		   const char *end);

/* names.c: returns -1 if no base has this name. */
int base_named(const char *begin, size_t length);
const char *base_name(unsigned base);
bool base_is_set(unsigned base);

/* An execution, or a part of one: the values of the bases. The search fills it in. */
struct facts {
	unsigned n;
	event_set set[BASE_NONE];		/* of BASE_ALL .. BASE_IW */
	event_set tag[64];
	struct matrix relation[BASE_TAG];	/* of BASE_NONE .. BASE_CO */
};

/*
 * evaluate.c: the values of the nodes. A value is computed again only if something that it
 * depends on has changed since.
 */
struct evaluation {
	const struct rules *rules;
	const struct facts *facts;
	struct matrix *value;		/* of each node; a set is row[0] */
	uint64_t *computed;		/* when each node was computed */
	bool *is_void;			/* of a node that depends on nothing: it is empty */
	bool *may;			/* of each node: may have a member, as of @may_at */
	uint64_t *may_at;
	uint64_t now, changed[8];	/* now, and when rf, co and so on changed; [0]: all */
};
struct evaluation *evaluation_new(const struct rules *rules, const struct facts *facts,
				  struct arena *arena);

/* Notes that rf or co, @on, has changed; 0: everything has. */
void evaluation_changed(struct evaluation *e, unsigned on);
const struct matrix *evaluation_of(struct evaluation *e, unsigned node);

/*
 * Returns the first broken axiom of the first @nr, flags aside, or -1. @partial: rf and co may be
 * incomplete; checks only the axioms that more rf and co cannot mend.
 */
int evaluation_broken(struct evaluation *e, unsigned nr, bool partial);
bool axiom_holds(struct evaluation *e, const struct axiom *axiom);

/* Whether the node is empty in every execution of the chosen paths. Computed once for them. */
bool evaluation_void(struct evaluation *e, unsigned node);

/* may.c: whether @node, or a let rec, which grows from 0, may have a member for some rf and co. */
bool evaluation_may(struct evaluation *e, unsigned node);
bool evaluation_may_group(struct evaluation *e, const struct group *group);

/* edge.c: the name or text of the innermost part of @node that relates @from to @to. */
const char *edge_label(struct evaluation *e, unsigned node, unsigned from, unsigned to,
		       char *buffer, size_t size);
/* Copies the text of a node, on one line. */
void node_text(const struct node *node, char *buffer, size_t size);

/* opened.c: the steps that a derived relation is made of, each with the event that it leads to. */
#define OPENED_STEPS 48
struct opened {
	unsigned nr;
	struct { char label[80]; unsigned to; } step[OPENED_STEPS];
};
void edge_open(struct evaluation *e, unsigned node, unsigned from, unsigned to,
	       struct opened *opened);

#endif /* NAP_LITMUS_RELATIONS_H */

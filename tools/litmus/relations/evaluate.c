/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "relations/relations.h"

struct evaluation *evaluation_new(const struct rules *rules, const struct facts *facts,
				  struct arena *arena)
{
	struct evaluation *e = arena_alloc(arena, sizeof(*e));

	e->rules = rules;
	e->facts = facts;
	e->value = arena_alloc(arena, rules->nr * sizeof(*e->value));
	e->computed = arena_alloc(arena, rules->nr * sizeof(*e->computed));
	e->is_void = arena_alloc(arena, rules->nr * sizeof(*e->is_void));
	e->may = arena_alloc(arena, rules->nr * sizeof(*e->may));
	e->may_at = arena_alloc(arena, rules->nr * sizeof(*e->may_at));
	e->now = 1;
	e->changed[0] = 1;
	return e;
}

void evaluation_changed(struct evaluation *e, unsigned on)
{
	e->changed[on] = ++e->now;
}

static bool is_current(const struct evaluation *e, unsigned node)
{
	uint64_t computed = e->computed[node];
	unsigned on = e->rules->node[node].on;

	if (e->rules->node[node].op == NODE_REC)	/* solve() sets its value */
		return true;
	return computed >= e->changed[0] && (!(on & ON_RF) || computed >= e->changed[ON_RF]) &&
		(!(on & ON_CO) || computed >= e->changed[ON_CO]) &&
		(!(on & ON_REC) || computed >= e->changed[ON_REC]);
}

static event_set all_of(const struct evaluation *e)
{
	return e->facts->set[BASE_ALL];
}

static void compute_base(struct evaluation *e, unsigned base, struct matrix *to)
{
	const struct facts *facts = e->facts;

	if (base >= BASE_TAG)
		to->row[0] = facts->tag[base - BASE_TAG];
	else if (base_is_set(base))
		to->row[0] = facts->set[base];
	else
		memcpy(to->row, facts->relation[base].row, facts->n * sizeof(to->row[0]));
}

/* Computes row by row; a set has one row. */
static void compute_rows(enum node_op op, struct matrix *to, const struct matrix *a,
			 const struct matrix *b, unsigned rows, event_set all)
{
	for (unsigned i = 0; i < rows; i++)
		switch (op) {
		case NODE_UNION: to->row[i] = a->row[i] | b->row[i]; break;
		case NODE_AND: to->row[i] = a->row[i] & b->row[i]; break;
		case NODE_MINUS: to->row[i] = a->row[i] & ~b->row[i]; break;
		default: to->row[i] = all & ~a->row[i]; break;
		}
}

/* Sets the rows of @set to those of @m, or to @value where @m is NULL; the others are empty. */
static void rows_of(struct matrix *to, event_set set, const struct matrix *m, event_set value,
		    unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		to->row[i] = set >> i & 1 ? (m ? m->row[i] : value) : 0;
}

static void compute_closure(enum node_op op, struct matrix *to, const struct matrix *a, unsigned n)
{
	memcpy(to->row, a->row, n * sizeof(to->row[0]));
	if (op != NODE_OPTION)
		matrix_close(to, n);
	if (op != NODE_PLUS)
		for (unsigned i = 0; i < n; i++)
			matrix_add(to, i, i);
}

static event_set domain_of(const struct matrix *m, unsigned n)
{
	event_set set = 0;

	for (unsigned i = 0; i < n; i++)
		set |= (event_set)(m->row[i] != 0) << i;
	return set;
}

static event_set range_of(const struct matrix *m, unsigned n)
{
	event_set set = 0;

	for (unsigned i = 0; i < n; i++)
		set |= m->row[i];
	return set;
}

/* Whether two events may be a pair of brackets: of one thread, and of one location or none. */
static bool may_pair(const struct evaluation *e, unsigned open, unsigned close)
{
	const struct matrix *relation = e->facts->relation;
	bool placed = matrix_has(&relation[BASE_LOC], open, open);

	return matrix_has(&relation[BASE_PO], open, close) &&
		placed == matrix_has(&relation[BASE_LOC], close, close) &&
		(!placed || matrix_has(&relation[BASE_LOC], open, close));
}

/* Pairs each closing event with the last opening event before it that is not paired yet. */
static void compute_brackets(const struct evaluation *e, struct matrix *to, event_set opening,
			     event_set closing)
{
	memset(to->row, 0, e->facts->n * sizeof(to->row[0]));
	for (; closing; closing &= closing - 1) {
		unsigned close = set_first(closing), open = close;

		while (open-- > 0)
			if (opening >> open & 1 && may_pair(e, open, close)) {
				matrix_add(to, open, close);
				opening &= ~(1ull << open);
				break;
			}
	}
}

/* Finds the least solution: from nothing upwards, until nothing is added. */
static void solve(struct evaluation *e, const struct group *group)
{
	size_t size = e->facts->n * sizeof(event_set);
	bool more = true;

	for (unsigned i = 0; i < group->nr; i++)
		memset(e->value[group->rec[i]].row, 0, size);
	while (more) {
		more = false;
		evaluation_changed(e, ON_REC);
		for (unsigned i = 0; i < group->nr; i++) {
			const struct matrix *body = evaluation_of(e, group->body[i]);
			struct matrix *rec = &e->value[group->rec[i]];

			if (memcmp(rec->row, body->row, size)) {
				memcpy(rec->row, body->row, size);
				more = true;
			}
		}
	}
}

static void compute_fixed(struct evaluation *e, const struct node *node, struct matrix *to)
{
	const struct group *group = &e->rules->group[node->a];

	if (!evaluation_may_group(e, group)) {
		memset(to->row, 0, e->facts->n * sizeof(to->row[0]));
		return;
	}
	solve(e, group);
	memcpy(to->row, e->value[group->rec[node->b]].row, e->facts->n * sizeof(to->row[0]));
}

/* Whether a computed value is empty. */
static bool is_empty(const struct evaluation *e, unsigned node)
{
	const struct matrix *m = &e->value[node];

	return !(e->rules->node[node].is_set ? m->row[0] : domain_of(m, e->facts->n));
}

bool evaluation_void(struct evaluation *e, unsigned node)
{
	if (e->rules->node[node].on)
		return false;
	evaluation_of(e, node);
	return e->is_void[node];
}

/* Whether the result is empty if one operand is: then the other need not be computed. */
static bool needs_both(enum node_op op)
{
	return op == NODE_AND || op == NODE_SEQUENCE || op == NODE_FROM || op == NODE_TO ||
		op == NODE_BRACKETS;
}

static void compute_node(struct evaluation *e, const struct node *node, struct matrix *to)
{
	unsigned n = e->facts->n;
	const struct matrix *a, *b;

	if (node->op == NODE_BASE) {
		compute_base(e, node->a, to);
		return;
	}
	if (node->op == NODE_FIXED) {
		compute_fixed(e, node, to);
		return;
	}
	if (needs_both(node->op) && (evaluation_void(e, node->a) || evaluation_void(e, node->b))) {
		memset(to->row, 0, n * sizeof(to->row[0]));
		return;
	}
	a = evaluation_of(e, node->a);
	b = evaluation_of(e, node->b);
	switch (node->op) {
	case NODE_SEQUENCE: matrix_sequence(to, a, b, n); break;
	case NODE_PRODUCT: rows_of(to, a->row[0], NULL, b->row[0], n); break;
	case NODE_FROM: rows_of(to, a->row[0], b, 0, n); break;
	case NODE_TO:
		for (unsigned i = 0; i < n; i++)
			to->row[i] = a->row[i] & b->row[0];
		break;
	case NODE_ON:
		for (unsigned i = 0; i < n; i++)
			to->row[i] = a->row[0] & 1ull << i;
		break;
	case NODE_PLUS:
	case NODE_STAR:
	case NODE_OPTION: compute_closure(node->op, to, a, n); break;
	case NODE_INVERSE: matrix_inverse(to, a, n); break;
	case NODE_BRACKETS: compute_brackets(e, to, a->row[0], b->row[0]); break;
	case NODE_DOMAIN: to->row[0] = domain_of(a, n); break;
	case NODE_RANGE: to->row[0] = range_of(a, n); break;
	default: compute_rows(node->op, to, a, b, node->is_set ? 1 : n, all_of(e));
	}
}

const struct matrix *evaluation_of(struct evaluation *e, unsigned node)
{
	if (!is_current(e, node)) {
		compute_node(e, &e->rules->node[node], &e->value[node]);
		e->computed[node] = e->now;
		e->is_void[node] = !e->rules->node[node].on && is_empty(e, node);
	}
	return &e->value[node];
}

static bool irreflexive(const struct matrix *m, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (matrix_has(m, i, i))
			return false;
	return true;
}

bool axiom_holds(struct evaluation *e, const struct axiom *axiom)
{
	unsigned n = e->facts->n;
	const struct matrix *m;

	if (!evaluation_may(e, axiom->node))
		return true;
	m = evaluation_of(e, axiom->node);
	switch (axiom->kind) {
	case AXIOM_ACYCLIC:
		return matrix_acyclic(m, n);
	case AXIOM_IRREFLEXIVE:
		return irreflexive(m, n);
	default:
		return is_empty(e, axiom->node);
	}
}

int evaluation_broken(struct evaluation *e, unsigned nr, bool partial)
{
	const struct rules *rules = e->rules;

	for (unsigned i = 0; i < nr; i++) {
		const struct axiom *axiom = &rules->axiom[i];

		if (axiom->flag || (partial && !rules->node[axiom->node].grows))
			continue;
		if (!axiom_holds(e, axiom))
			return (int)i;
	}
	return -1;
}

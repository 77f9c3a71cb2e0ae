/* SPDX-License-Identifier: MIT */
/*
 * Whether a model allows an execution if it allows a longer one, which has the same events, and
 * besides some reads and fences: those of turns of loops that change nothing (path/loops.h). If so,
 * such turns can be left out.
 *
 * The expressions of axioms and flags must show this. What an axiom looks at has to get less: the
 * shorter execution has no members in it that the longer one lacks. What a flag looks at has to
 * lose nothing: the shorter execution has all members whose events are left. Both follow from the
 * form of an expression. A difference a \ b gets less if a gets less and b loses nothing. A
 * sequence a; b loses nothing if neither a nor b does, and if the event between is never left out,
 * or only together with the event before it or after it.
 *
 * Writes are never left out, nor what belongs to one atomic operation with a write, nor the reads
 * that a write's value was made from, nor unlocks, nor events of SRCU, nor grace periods. Sections
 * of RCU are left out as a whole, and so are the parts of one access.
 */
#include "relations/relations.h"
#include "test/test.h"

struct form {
	bool less;		/* has no new members */
	bool keeps;		/* loses no member whose events are left */
	bool from, to;		/* its first, second events are never left out; of a set: both */
	bool with;		/* if one of the two events is left out, so is the other */
};

static struct form base_form(const struct node *n)
{
	bool stays = false;

	switch (n->a) {
	case BASE_W:
	case BASE_IW:
	case BASE_CO:
	case BASE_RMW:
	case BASE_RMW_DATA:
	case BASE_DATA:
	case BASE_PICK_DATA:
	case BASE_NONE:
	case BASE_TAG + TAG_UNLOCK:
	case BASE_TAG + TAG_RCU_SYNC:
	case BASE_TAG + TAG_SRCU_LOCK:
	case BASE_TAG + TAG_SRCU_UNLOCK:
	case BASE_TAG + TAG_SRCU_SYNC:
		stays = true;
		break;
	case BASE_ID:
	case BASE_SAME_ACCESS:
		return (struct form) { .less = true, .keeps = true, .with = true };
	case BASE_RF:
		return (struct form) { .less = true, .keeps = true, .from = true };
	case BASE_ADDR:		/* may lose pairs of repeated reads, and of the turn's branches */
	case BASE_CTRL:
	case BASE_PICK_ADDR:
	case BASE_PICK_CTRL:
		return (struct form) { .less = true };
	default:
		break;
	}
	return (struct form) { .less = true, .keeps = true, .from = stays, .to = stays,
			       .with = stays };
}

static bool is_tag(const struct node *n, enum tag tag)
{
	return n->op == NODE_BASE && n->a == (unsigned)BASE_TAG + tag;
}

/* The form of brackets(a, b). RCU's sections are left out whole, so all other pairs stay. */
static struct form bracket_form(const struct rules *rules, const struct node *n, struct form a,
				struct form b)
{
	bool rcu = is_tag(&rules->node[n->a], TAG_RCU_LOCK) &&
		   is_tag(&rules->node[n->b], TAG_RCU_UNLOCK);
	bool same = a.less && a.keeps && b.less && b.keeps && (rcu || (a.from && b.from));

	return (struct form) { same, same, a.from, b.from, a.from && b.from };
}

static struct form sequence_form(struct form a, struct form b)
{
	bool between = a.to || b.from || a.with || b.with;

	return (struct form) { a.less && b.less, a.keeps && b.keeps && between, a.from, b.to,
			      a.with && b.with };
}

static struct form closure_form(enum node_op op, struct form a)
{
	bool steps = op == NODE_OPTION || a.to || a.from || a.with, plus = op == NODE_PLUS;

	return (struct form) { a.less, a.keeps && steps, plus && a.from, plus && a.to, a.with };
}

static struct form set_of_ends(const struct form *a, bool ends, bool others)
{
	return (struct form) { a->less, a->keeps && (others || a->with), ends, ends, false };
}

static struct form node_form(const struct rules *rules, const struct node *n,
			     const struct form *forms)
{
	struct form a = { 0 }, b = { 0 }, form = { .less = true, .keeps = true };

	if (n->op == NODE_BASE)
		return base_form(n);
	if (n->op == NODE_REC)		/* by induction: the solution grows from nothing */
		return form;
	if (n->op == NODE_FIXED) {
		const struct group *group = &rules->group[n->a];

		for (unsigned i = 0; i < group->nr; i++) {
			form.less &= forms[group->body[i]].less;
			form.keeps &= forms[group->body[i]].keeps;
		}
		return form;
	}
	a = forms[n->a];
	b = forms[n->b];
	switch (n->op) {
	case NODE_UNION:
		return (struct form) { a.less && b.less, a.keeps && b.keeps, a.from && b.from,
				      a.to && b.to, a.with && b.with };
	case NODE_AND:
		return (struct form) { a.less && b.less, a.keeps && b.keeps, a.from || b.from,
				      a.to || b.to, a.with || b.with };
	case NODE_FROM:
		return (struct form) { a.less && b.less, a.keeps && b.keeps, a.from || b.from, b.to,
				      b.with };
	case NODE_TO:
		return (struct form) { a.less && b.less, a.keeps && b.keeps, a.from, a.to || b.to,
				      a.with };
	case NODE_PRODUCT:
		return (struct form) { a.less && b.less, a.keeps && b.keeps, a.from, b.to,
				      a.from && b.to };
	case NODE_MINUS:
		return (struct form) { a.less && b.keeps, a.keeps && b.less, a.from, a.to, a.with };
	case NODE_NOT:
		return (struct form) { a.keeps, a.less, false, false, false };
	case NODE_INVERSE:
		return (struct form) { a.less, a.keeps, a.to, a.from, a.with };
	case NODE_SEQUENCE:
		return sequence_form(a, b);
	case NODE_DOMAIN:
		return set_of_ends(&a, a.from, a.to);
	case NODE_RANGE:
		return set_of_ends(&a, a.to, a.from);
	case NODE_BRACKETS:
		return bracket_form(rules, n, a, b);
	case NODE_ON:
		a.with = true;
		return a;
	default:
		return closure_form(n->op, a);
	}
}

bool rules_fewer(const struct rules *rules)
{
	struct arena arena = { 0 };
	struct form *forms = arena_alloc(&arena, rules->nr * sizeof(*forms));
	bool fewer = true;

	for (unsigned i = 0; i < rules->nr; i++)
		forms[i] = node_form(rules, &rules->node[i], forms);
	for (unsigned i = 0; i < rules->nr_axioms; i++) {
		const struct axiom *axiom = &rules->axiom[i];
		const struct form *form = &forms[axiom->node];

		/* The cycle of a flag may go through events of any number of turns. */
		fewer &= axiom->flag ? form->keeps && axiom->kind != AXIOM_ACYCLIC : form->less;
	}
	arena_free(&arena);
	return fewer;
}

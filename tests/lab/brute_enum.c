/* SPDX-License-Identifier: MIT */
/*
 * Enumerates all candidate executions: each combination of the threads' traces, each reads-from,
 * and each total coherence order. A coherence order in which a write comes between the halves of
 * an atomic instruction is left out, because no model allows it.
 */
#include <string.h>

#include "brute_rel.h"

struct search {
	const struct program *p;
	const struct states *keys;
	visit_fn *visit;
	void *to;
	unsigned weight;
	long left;	/* candidates until the enumeration is given up */
	const struct trace *trace[MAX_THREADS];
	struct exec x;
	int chain[MAX_EVENTS], chains;	/* writes in coherence order, location after location */
	int last[MAX_LOCS];
};

static void masks(struct rel *rel, const uint32_t *mask, const struct trace *t, int base)
{
	for (int to = 0; to < t->n; to++)
		for (int from = 0; from < t->n; from++)
			if (mask[to] >> from & 1)
				rel_add(rel, base + from, base + to);
}

/*
 * Builds the initial writes, the threads' events, and the relations that do not depend on rf and
 * co.
 */
static void build(struct search *s)
{
	struct exec *x = &s->x;

	memset(x, 0, sizeof(*x));
	for (int l = 0; l < s->p->locs; l++)
		x->ev[x->n++] = (struct event){ .thread = -1, .w = true, .loc = l,
						.val = s->p->init[l] };
	for (int t = 0; t < s->p->threads; t++) {
		const struct trace *tr = s->trace[t];
		int base = x->n;

		memcpy(x->ev + base, tr->ev, (size_t)tr->n * sizeof(tr->ev[0]));
		x->n += tr->n;
		for (int i = 0; i < tr->n; i++) {
			for (int j = i + 1; j < tr->n; j++)
				rel_add(&x->po, base + i, base + j);
			if (tr->rmw_of[i] >= 0)
				rel_add(&x->rmw, base + tr->rmw_of[i], base + i);
		}
		masks(&x->addr, tr->addr, tr, base);
		masks(&x->data, tr->data, tr, base);
		masks(&x->ctrl, tr->ctrl, tr, base);
		masks(&x->pick_addr, tr->pick_addr, tr, base);
		masks(&x->pick_data, tr->pick_data, tr, base);
		masks(&x->pick_ctrl, tr->pick_ctrl, tr, base);
		masks(&x->own_sum, tr->own_sum, tr, base);
		masks(&x->own_choice, tr->own_choice, tr, base);
	}
	for (int i = 0; i < x->n; i++)
		for (int j = 0; j < x->n; j++) {
			if (x->ev[i].loc >= 0 && x->ev[i].loc == x->ev[j].loc)
				rel_add(&x->same_loc, i, j);
			if (x->ev[i].thread != x->ev[j].thread)
				rel_add(&x->ext, i, j);
		}
}

static void candidate(struct search *s)
{
	struct exec *x = &s->x;
	signed char val[MAX_KEYS];

	s->left--;
	for (int k = 0; k < s->keys->keys; k++) {
		const struct key *key = &s->keys->key[k];

		val[k] = (signed char)(key->thread < 0 ? x->ev[s->last[key->index]].val :
				       s->trace[key->thread]->reg[key->index]);
	}
	x->fr = rel_seq(x->n, rel_inverse(x->n, x->rf), x->co);
	if (!s->visit(s->to, x, val, s->weight))
		s->left = -1;
}

/*
 * Whether @w is the write of an atomic instruction whose read reads from another write than the
 * last one in the chain.
 */
static bool not_atomic(const struct search *s, int w)
{
	return s->x.ev[w].amo && s->x.ev[w - 1].r && rel_has(&s->x.rmw, w - 1, w) &&
	       !rel_has(&s->x.rf, s->chain[s->chains - 1], w - 1);
}

/* Tries each write of @loc that is not in the chain yet as the next one. */
static void coherence(struct search *s, int loc, int begin, uint64_t in_chain)
{
	struct exec *x = &s->x;
	bool all = true;

	if (s->left < 0)
		return;
	if (loc == s->p->locs) {
		candidate(s);
		return;
	}
	for (int w = 0; w < x->n; w++) {
		if (!x->ev[w].w || x->ev[w].loc != loc || in_chain >> w & 1)
			continue;
		all = false;
		/* The initial write is first. */
		if (begin == s->chains ? x->ev[w].thread >= 0 : not_atomic(s, w))
			continue;
		for (int i = begin; i < s->chains; i++)
			rel_add(&x->co, s->chain[i], w);
		s->chain[s->chains++] = w;
		coherence(s, loc, begin, in_chain | UINT64_C(1) << w);
		s->chains--;
		for (int i = begin; i < s->chains; i++)
			x->co.row[s->chain[i]] &= ~(UINT64_C(1) << w);
	}
	if (!all)
		return;
	s->last[loc] = s->chain[s->chains - 1];
	coherence(s, loc + 1, s->chains, in_chain);
}

static void reads_from(struct search *s, int read)
{
	struct exec *x = &s->x;

	while (read < x->n && !x->ev[read].r)
		read++;
	if (s->left < 0)
		return;
	if (read == x->n) {
		coherence(s, 0, s->chains, 0);
		return;
	}
	for (int w = 0; w < x->n; w++) {
		if (!x->ev[w].w || x->ev[w].loc != x->ev[read].loc ||
		    x->ev[w].val != x->ev[read].val)
			continue;
		rel_add(&x->rf, w, read);
		reads_from(s, read + 1);
		x->rf.row[w] &= ~(UINT64_C(1) << read);
	}
}

static void combine(struct search *s, const struct traces traces[MAX_THREADS], int thread)
{
	if (s->left < 0)
		return;
	if (thread == s->p->threads) {
		s->left--;
		s->weight = 1;
		for (int t = 0; t < s->p->threads; t++)
			s->weight *= s->trace[t]->weight;
		build(s);
		reads_from(s, 0);
		return;
	}
	for (int i = 0; i < traces[thread].n; i++) {
		s->trace[thread] = &traces[thread].trace[i];
		combine(s, traces, thread + 1);
	}
}

bool enumerate(const struct program *p, long limit, const struct states *keys, visit_fn *visit,
	       void *to)
{
	struct traces traces[MAX_THREADS] = { { 0 } };
	static struct search s;
	bool complete;

	s = (struct search){ .p = p, .keys = keys, .visit = visit, .to = to, .left = limit };
	complete = trace_program(p, traces);
	if (complete)
		combine(&s, traces, 0);
	traces_free(traces);
	return complete && s.left >= 0;
}

struct collected {
	struct states *states;
	model_fn *allows;
};

static bool collect(void *to, const struct exec *x, const signed char *val, unsigned weight)
{
	struct collected *c = to;

	(void)weight;
	return states_find(c->states, val) >= 0 || !c->allows(x) || states_add(c->states, val);
}

bool states_of(const struct program *p, enum model model, long limit, struct states *states)
{
	struct collected collected = { states, model_functions[model] };

	states_begin(states, p);
	return enumerate(p, limit, states, collect, &collected);
}

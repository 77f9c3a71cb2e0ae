/* SPDX-License-Identifier: MIT */
/*
 * The pairs come from cycles of program order and communication. An execution with such a cycle is
 * not sequentially consistent, if all parts of an access count as done at once. Each pair of the
 * cycle gets the strongest fence, until no execution that the question asks for is left. Then each
 * order is made as weak as it can be.
 */
#include <string.h>

#include "tool/order.h"

struct weakening {
	struct test *test;
	const struct rules *rules;
	struct limits limits;
	double deadline;
	struct pair *pair;
	unsigned nr;
};

#define SECONDS 10

/* Whether the question is never true with these orders. @witness: an execution in which it is. */
static bool is_never(struct weakening *w, unsigned *map[TEST_THREADS], struct test **test,
		     const struct execution **witness)
{
	struct outcome outcome;

	*test = strengthened(w->test, w->pair, w->nr, map);
	outcome = search(*test, w->rules, &w->limits);
	*witness = NULL;
	for (const struct state *state = outcome.first; state; state = state->next)
		if (prop_holds(w->test->prop, state->value))
			*witness = state->witness;
	return outcome.verdict == VERDICT_NEVER;
}

static bool holds(struct weakening *w)
{
	unsigned *map[TEST_THREADS];
	const struct execution *witness;
	struct test *test;

	return is_never(w, map, &test, &witness);
}

static char kind_of(const struct path_event *event)
{
	return event->kind == EVENT_READ ? 'R' : 'W';
}

static const struct order *strongest(const struct test *test)
{
	const struct order *order = orders_of(test->dialect);

	while (order[1].words)
		order++;
	return order;
}

/* Adds the pair of the events @a and @b of an execution; false: there is no room. */
static bool add_pair(struct weakening *w, const struct test *test, unsigned *map[TEST_THREADS],
		     const struct execution *x, unsigned a, unsigned b)
{
	unsigned t = (unsigned)x->thread[a];
	const struct instruction *code = test->thread[t].code;
	struct pair pair = { .thread = t, .first = map[t][x->event[a].from - code],
			     .second = map[t][x->event[b].from - code],
			     .kind = { kind_of(&x->event[a]), kind_of(&x->event[b]) },
			     .order = strongest(test) };

	if (pair.first == pair.second)
		return true;
	for (unsigned i = 0; i < w->nr; i++)
		if (w->pair[i].thread == t && w->pair[i].first == pair.first &&
		    w->pair[i].second == pair.second)
			return true;
	if (w->nr == ORDER_PAIRS)
		return false;
	w->pair[w->nr++] = pair;
	return true;
}

/* Adds the pairs of a cycle; returns whether there is one, with a pair that is new. */
static bool add_cycle(struct weakening *w, const struct test *test, unsigned *map[TEST_THREADS],
		      const struct execution *x)
{
	const struct matrix *r = x->facts.relation;
	unsigned cycle[MATRIX_EVENTS], nr, before = w->nr;
	struct matrix all, inverse, com, at_once;

	matrix_inverse(&inverse, &r[BASE_RF], x->n);
	matrix_sequence(&com, &inverse, &r[BASE_CO], x->n);
	for (unsigned i = 0; i < x->n; i++)
		com.row[i] |= r[BASE_RF].row[i] | r[BASE_CO].row[i];
	matrix_sequence(&at_once, &com, &r[BASE_SAME_ACCESS], x->n);
	for (unsigned i = 0; i < x->n; i++)
		all.row[i] = r[BASE_PO].row[i] | com.row[i] | at_once.row[i];
	nr = matrix_cycle(&all, x->n, cycle);
	for (unsigned i = 0; i < nr; i++) {
		unsigned a = cycle[i], b = cycle[(i + 1) % nr];

		if (matrix_has(&r[BASE_PO], a, b) && !add_pair(w, test, map, x, a, b))
			return false;
	}
	return w->nr > before;
}

static bool suits(const struct order *order, const struct pair *pair)
{
	return (order->first == '*' || order->first == pair->kind[0]) &&
		(order->second == '*' || order->second == pair->kind[1]);
}

/* Makes the order of a pair as weak as it can be beside the others. */
static void weaken(struct weakening *w, struct pair *pair)
{
	const struct order *last = pair->order;

	pair->order = NULL;
	if (holds(w))
		return;
	for (const struct order *order = orders_of(w->test->dialect); order != last; order++) {
		pair->order = order;
		if (suits(order, pair) && cpu_seconds() < w->deadline && holds(w))
			return;
	}
	pair->order = last;
}

int weakest_orders(struct test *test, const struct rules *rules, const struct limits *limits,
		   const struct execution *witness, struct pair *pair)
{
	struct weakening w = { .test = test, .rules = rules, .pair = pair,
			       .limits = { .unroll = limits->unroll, .seconds = SECONDS / 5,
					   .witness = true },
			       .deadline = cpu_seconds() + SECONDS };
	unsigned *map[TEST_THREADS];
	struct test *now;

	now = strengthened(test, pair, 0, map);
	for (unsigned t = 0; t < test->nr_threads; t++)
		now->thread[t].code = test->thread[t].code;
	while (witness) {
		if (!add_cycle(&w, now, map, witness))
			return w.nr ? -1 : 0;
		if (is_never(&w, map, &now, &witness))
			break;
		if (cpu_seconds() > w.deadline)
			return -1;
	}
	if (!witness && !holds(&w))
		return -1;
	for (unsigned i = 0; i < w.nr; i++)
		weaken(&w, &pair[i]);
	return (int)w.nr;
}

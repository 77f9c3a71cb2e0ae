/* SPDX-License-Identifier: MIT */
/*
 * Orders the writes of each cell, pair by pair, after each read has got its write. A broken
 * choice is given up at once. Where the state shows which write comes last, this is chosen first.
 */
#include <string.h>

#include "search/search.h"

static struct matrix *co_at(struct searching *s)
{
	return &s->x.facts.relation[BASE_CO];
}

static bool is_broken(struct searching *s, bool partial)
{
	return evaluation_broken(s->evaluation, s->axioms, partial) >= 0;
}

/* Finds a pair of writes that nothing orders yet. */
static bool find_pair(struct searching *s, unsigned *cell, unsigned *a, unsigned *b)
{
	const struct matrix *co = co_at(s);

	for (unsigned i = 0; i < s->test->nr_cells; i++)
		for (event_set rest = s->writes[i]; rest; rest &= rest - 1) {
			unsigned one = set_first(rest);

			for (event_set later = rest & (rest - 1) & ~co->row[one]; later;
			     later &= later - 1)
				if (!matrix_has(co, set_first(later), one)) {
					*cell = i;
					*a = one;
					*b = set_first(later);
					return true;
				}
		}
	return false;
}

/* Returns the place in the text of the first event that the axiom flags; NULL: there is none. */
static const char *flagged_at(struct searching *s, const struct axiom *axiom)
{
	const struct matrix *m = evaluation_of(s->evaluation, axiom->node);
	bool is_set = s->rules->node[axiom->node].is_set;

	for (unsigned i = 0; i < s->x.n; i++)
		if ((is_set ? m->row[0] >> i & 1 : m->row[i] != 0) && s->x.event[i].from)
			return s->x.event[i].from->at;
	return NULL;
}

static void note_flags(struct searching *s)
{
	struct outcome *outcome = s->outcome;

	for (unsigned i = 0; i < s->rules->nr_axioms; i++) {
		const struct axiom *axiom = &s->rules->axiom[i];

		if (!axiom->flag || outcome->flags >> i & 1 || axiom_holds(s->evaluation, axiom))
			continue;
		outcome->flags |= 1ull << i;
		outcome->flag_at[i] = flagged_at(s, axiom);
	}
}

static void forbidden_found(struct searching *s)
{
	struct outcome *outcome = s->outcome;
	int broken = evaluation_broken(s->evaluation, s->rules->nr_axioms, false);

	if (broken < 0)
		return;
	outcome->forbidden = arena_alloc(s->test->arena, sizeof(*outcome->forbidden));
	*outcome->forbidden = s->x;
	outcome->broken = (unsigned)broken;
	s->stop = true;
}

static bool stuck_found(struct searching *s)
{
	struct stuck *stuck = arena_alloc(s->test->arena, sizeof(*stuck));

	stuck->execution = arena_alloc(s->test->arena, sizeof(*stuck->execution));
	*stuck->execution = s->x;
	for (unsigned t = 0; t < s->test->nr_threads; t++)
		if (s->path[t]->stuck)
			stuck->at[t] = s->path[t]->stuck->at;
	s->outcome->stuck = stuck;
	s->stop = true;
	return true;
}

/* Judges a complete execution. Returns whether no other order need be tried. */
static bool complete(struct searching *s)
{
	uint64_t value[TEST_OBSERVED];

	s->outcome->candidates++;
	if (is_broken(s, false))
		return false;
	if (s->sticking)
		return stuck_found(s);
	if (!state_of(s, value))
		return true;
	if (s->forbidden) {
		if (prop_holds(s->test->prop, value))
			forbidden_found(s);
		return true;
	}
	note_flags(s);
	if (!state_known(s, value))
		state_add(s, value);
	return !search_flags(s);
}

/* Tries the remaining orders; returns whether one was enough. */
static bool any_order(struct searching *s)
{
	unsigned cell, a, b;
	struct matrix saved;
	bool found = false;

	if (search_is_over(s))
		return true;
	if (!find_pair(s, &cell, &a, &b))
		return complete(s);
	order_save(s, &saved);
	for (unsigned turn = 0; turn < 2 && !found; turn++) {
		order_writes(s, s->writes[cell], turn ? b : a, turn ? a : b);
		found = !is_broken(s, true) && any_order(s);
		order_restore(s, &saved);
	}
	return found;
}

/* Whether the state is no longer needed, when the last writes are chosen. */
static bool state_is_needless(struct searching *s)
{
	uint64_t value[TEST_OBSERVED];

	if (s->forbidden || search_flags(s))
		return false;
	return !state_of(s, value) || state_known(s, value);
}

/* Chooses, from the shown cell @i on, each write that can be the last of the cell. */
static void choose_lasts(struct searching *s, unsigned i)
{
	struct matrix saved;
	event_set writes;

	if (i == s->nr_lasts) {
		if (!state_is_needless(s))
			any_order(s);
		return;
	}
	writes = s->writes[s->last[i]];
	order_save(s, &saved);
	for (event_set rest = writes; rest && !s->stop; rest &= rest - 1) {
		if (!order_last(s, writes, set_first(rest)))
			continue;
		if (!is_broken(s, true))
			choose_lasts(s, i + 1);
		order_restore(s, &saved);
	}
}

/* Relates accesses of equal values, which are known now. No partial choice is judged by them. */
static void relate_values(struct searching *s)
{
	struct matrix *same = &s->x.facts.relation[BASE_SAME_VALUE];
	event_set accesses = s->x.facts.set[BASE_M];

	memset(same->row, 0, s->x.n * sizeof(same->row[0]));
	for (event_set from = accesses; from; from &= from - 1)
		for (event_set to = accesses; to; to &= to - 1)
			if (s->x.value[set_first(from)] == s->x.value[set_first(to)])
				matrix_add(same, set_first(from), set_first(to));
}

void search_co(struct searching *s)
{
	relate_values(s);
	if (s->sticking)
		any_order(s);
	else
		choose_lasts(s, 0);
}

/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "search/search.h"

static uint64_t last_of_cell(const struct searching *s, unsigned cell)
{
	event_set writes = s->writes[cell];

	for (event_set rest = writes; rest; rest &= rest - 1)
		if (!(s->x.facts.relation[BASE_CO].row[set_first(rest)] & writes))
			return s->x.value[set_first(rest)];
	return 0;
}

/* Returns the last value of a location, put together from the values of its cells. */
static uint64_t last_value(const struct searching *s, const struct location *location)
{
	uint64_t value = last_of_cell(s, location->first_cell);

	for (unsigned i = 1; i < location->nr_cells; i++) {
		const struct cell *cell = &s->test->cell[location->first_cell + i];

		if (cell->offset < 8)
			value |= last_of_cell(s, location->first_cell + i) << 8 * cell->offset;
	}
	return value;
}

bool state_of(const struct searching *s, uint64_t *value)
{
	const struct test *test = s->test;

	for (unsigned i = 0; i < test->nr_observed; i++) {
		const struct observed *what = &test->observed[i];

		if (what->thread < 0)
			value[i] = last_value(s, &test->location[what->number]);
		else
			value[i] = expr_value(s->path[what->thread]->reg[what->number],
					      &s->x.value[s->base[what->thread]]);
	}
	if (test->filter && !prop_holds(test->filter, value))
		return false;
	for (unsigned i = 0; i < test->nr_observed; i++)
		if (test->observed[i].hidden)
			value[i] = 0;
	return true;
}

static struct state **bucket_of(const struct searching *s, const uint64_t *value)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < s->test->nr_observed; i++)
		hash = (hash ^ value[i]) * 0x9e3779b97f4a7c15ull;
	return &s->bucket[hash >> 32 & (s->nr_buckets - 1)];
}

static void put_state(struct searching *s, struct state *state)
{
	struct state **bucket = bucket_of(s, state->value);

	state->next = *bucket;
	*bucket = state;
}

/* Doubles the buckets, before there are more states than buckets. */
static void grow(struct searching *s)
{
	unsigned nr = s->nr_buckets;
	struct state **old = s->bucket, *next;

	s->nr_buckets = nr ? 2 * nr : 64;
	s->bucket = arena_alloc(s->test->arena, s->nr_buckets * sizeof(*s->bucket));
	for (unsigned i = 0; i < nr; i++)
		for (struct state *state = old[i]; state; state = next) {
			next = state->next;
			put_state(s, state);
		}
}

static size_t state_size(const struct searching *s)
{
	return s->test->nr_observed * sizeof(uint64_t);
}

bool state_known(const struct searching *s, const uint64_t *value)
{
	if (!s->nr_buckets)
		return false;
	for (struct state *state = *bucket_of(s, value); state; state = state->next)
		if (!memcmp(state->value, value, state_size(s)))
			return true;
	return false;
}

static struct execution *copy_of(const struct searching *s)
{
	struct execution *copy = arena_alloc(s->test->arena, sizeof(*copy));

	*copy = s->x;
	return copy;
}

void state_add(struct searching *s, const uint64_t *value)
{
	struct state *state = arena_alloc(s->test->arena, sizeof(*state));

	if (s->outcome->nr_states >= s->nr_buckets)
		grow(s);
	state->value = arena_alloc(s->test->arena, state_size(s));
	memcpy(state->value, value, state_size(s));
	if (s->limits->witness &&
	    (!s->limits->asked || !s->test->prop || prop_holds(s->test->prop, value)))
		state->witness = copy_of(s);
	put_state(s, state);
	s->outcome->nr_states++;
}

static unsigned nr_compared;

static int by_values(const void *a, const void *b)
{
	const struct state *x = *(struct state *const *)a, *y = *(struct state *const *)b;

	for (unsigned i = 0; i < nr_compared; i++)
		if (x->value[i] != y->value[i])
			return (int64_t)x->value[i] < (int64_t)y->value[i] ? -1 : 1;
	return 0;
}

static void sort(struct searching *s)
{
	struct outcome *outcome = s->outcome;
	struct state **all = arena_alloc(s->test->arena, (outcome->nr_states + 1) * sizeof(*all));
	unsigned nr = 0;

	for (unsigned i = 0; i < s->nr_buckets; i++)
		for (struct state *state = s->bucket[i]; state; state = state->next)
			all[nr++] = state;
	nr_compared = s->test->nr_observed;
	qsort(all, nr, sizeof(*all), by_values);
	for (unsigned i = 0; i < nr; i++)
		all[i]->next = all[i + 1];
	outcome->first = all[0];
}

static enum verdict verdict_over(const struct searching *s)
{
	bool yes = false, no = false;

	if (!s->test->prop)
		return VERDICT_ALWAYS;
	for (struct state *state = s->outcome->first; state; state = state->next)
		if (prop_holds(s->test->prop, state->value))
			yes = true;
		else
			no = true;
	if (s->outcome->bounded && !s->outcome->nr_states)
		return VERDICT_UNDECIDED;
	/* If the time was over, the verdict holds for the number of turns that was tried last. */
	if (s->outcome->timeout && !s->outcome->whole && !(yes && no))
		return VERDICT_UNDECIDED;
	return !yes ? VERDICT_NEVER : no ? VERDICT_SOMETIMES : VERDICT_ALWAYS;
}

void state_finish(struct searching *s)
{
	sort(s);
	s->outcome->verdict = verdict_over(s);
}

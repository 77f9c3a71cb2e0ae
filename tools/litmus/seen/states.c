/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seen/seen.h"
#include "show/show.h"

static void check_parts(const struct seen *seen, const struct test *test)
{
	const char *p = seen->parts;
	char name[96];

	for (unsigned i = 0; i < test->nr_observed; i++) {
		size_t length = strcspn(p, " ");

		observed_text(test, &test->observed[i], name, sizeof(name));
		if (!is_word(p, length, name))
			text_fail(seen->file, seen->parts_at,
				  "expected the parts of the test's states; the %u. is %s", i + 1,
				  name);
		p += length + (p[length] == ' ');
	}
	if (*p)
		text_fail(seen->file, seen->parts_at,
			  "expected the parts of the test's states, and no others than %u",
			  test->nr_observed);
}

static struct counted *counted_of(struct counted_states *states, const struct test *test,
				const uint64_t *value)
{
	struct counted *state;

	for (unsigned i = 0; i < states->nr; i++)
		if (!memcmp(states->state[i].value, value, test->nr_observed * sizeof(*value)))
			return &states->state[i];
	state = &states->state[states->nr++];
	state->value = arena_alloc(test->arena, (test->nr_observed + 1) * sizeof(*value));
	memcpy(state->value, value, test->nr_observed * sizeof(*value));
	return state;
}

static void add_state(struct counted_states *states, const struct test *test,
		      const struct seen_state *seen)
{
	uint64_t value[TEST_OBSERVED] = { 0 };
	struct counted *state;
	bool asked;

	memcpy(value, seen->value, test->nr_observed * sizeof(*value));
	asked = !test->prop || prop_holds(test->prop, value);
	if (test->filter && !prop_holds(test->filter, value)) {
		states->filtered += seen->count;
		return;
	}
	for (unsigned i = 0; i < test->nr_observed; i++)
		if (test->observed[i].hidden)
			value[i] = 0;
	state = counted_of(states, test, value);
	state->count += seen->count;
	state->asked = asked;
	states->asked += asked ? seen->count : 0;
}

static int by_count(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;

	return x->count > y->count ? -1 : x->count < y->count;
}

void seen_states(struct counted_states *states, const struct seen *seen, const struct test *test)
{
	check_parts(seen, test);
	if (seen->lost)
		text_fail(seen->file, seen->at, "it ends in too many states to be counted");
	*states = (struct counted_states) { 0 };
	states->state = arena_alloc(test->arena, (seen->nr_states + 1) * sizeof(*states->state));
	for (unsigned i = 0; i < seen->nr_states; i++)
		add_state(states, test, &seen->state[i]);
	qsort(states->state, states->nr, sizeof(*states->state), by_count);
}
